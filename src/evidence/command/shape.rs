//! Questions about parts of a script that their text alone answers.

use brush_parser::ast;

use super::member::Shown;
use super::outcome::modest;
use super::redirect::Redirections;
use super::substitution::MARK;
use super::word::Word;
use super::wrapper::program_name;

/// The name of the program, if it is plain.
fn program(simple: &ast::SimpleCommand) -> Option<String> {
    let word = Word::resolve(&simple.word_or_name.as_ref()?.value);
    word.plain().map(|text| program_name(text).to_owned())
}

fn words(simple: &ast::SimpleCommand) -> Vec<Word> {
    let items = simple.suffix.iter().flat_map(|suffix| &suffix.0);
    items
        .filter_map(|item| match item {
            ast::CommandPrefixOrSuffixItem::Word(word)
            | ast::CommandPrefixOrSuffixItem::AssignmentWord(_, word) => Some(Word::resolve(&word.value)),
            _ => None,
        })
        .collect()
}

/// It can end with no status above 2.
pub fn command_is_modest(command: &ast::Command) -> bool {
    match command {
        ast::Command::Simple(simple) if simple.word_or_name.is_some() => {
            program(simple).is_some_and(|name| modest(&name))
        }
        // A bare assignment ends as the last substitution in it does.
        ast::Command::Simple(simple) => {
            simple.prefix.iter().flat_map(|prefix| &prefix.0).all(|item| match item {
                ast::CommandPrefixOrSuffixItem::AssignmentWord(_, word) => !word.value.contains(MARK),
                _ => true,
            })
        }
        ast::Command::ExtendedTest(..) | ast::Command::Function(_) => true,
        ast::Command::Compound(..) => false,
    }
}

/// The same of a pipeline, whatever `pipefail` says.
pub fn pipeline_is_modest(pipeline: &ast::Pipeline) -> bool {
    pipeline.seq.iter().all(command_is_modest)
}

/// The same of the first pipeline of a list, of the first two, and so on to the whole list.
pub fn modest_prefixes(list: &ast::AndOrList) -> Vec<bool> {
    let mut modest = true;
    list.iter()
        .map(|(_, pipeline)| {
            modest = modest && pipeline_is_modest(pipeline);
            modest
        })
        .collect()
}

/// Its failure ends a shell with `set -e`: a lone pipeline that is not negated, and no group, since a group may
/// hold a failure that was spared.
pub fn stops_the_shell(list: &ast::AndOrList) -> bool {
    let simple = |command: &ast::Command| {
        matches!(
            command,
            ast::Command::Simple(_) | ast::Command::Compound(ast::CompoundCommand::Subshell(_), _)
        )
    };
    list.additional.is_empty() && !list.first.bang && list.first.seq.iter().all(simple)
}

/// It is `set …` and nothing else, which does not fail.
pub fn only_sets(list: &ast::AndOrList) -> bool {
    let [ast::Command::Simple(simple)] = list.first.seq.as_slice() else { return false };
    list.additional.is_empty() && program(simple).as_deref() == Some("set")
}

/// It is a simple command.
pub fn is_simple(pipeline: &ast::Pipeline) -> bool {
    matches!(pipeline.seq.as_slice(), [ast::Command::Simple(_)])
}

/// `exit …`, or a group that ends with it.
pub fn leaves(pipeline: &ast::Pipeline) -> bool {
    match pipeline.seq.as_slice() {
        [ast::Command::Simple(simple)] => matches!(program(simple).as_deref(), Some("exit" | "return")),
        [ast::Command::Compound(ast::CompoundCommand::BraceGroup(group), None)] => {
            group.list.0.last().is_some_and(|item| item.0.additional.is_empty() && leaves(&item.0.first))
        }
        _ => false,
    }
}

/// `… || exit 1`: what follows runs only if what comes before succeeded.
pub fn leaves_on_failure(list: &ast::AndOrList) -> bool {
    matches!(list.additional.last(), Some(ast::AndOr::Or(pipeline)) if leaves(pipeline))
}

/// What a command at the end of a pipe lets through of what it reads.
pub fn passes_on(command: &ast::Command) -> Shown {
    let ast::Command::Simple(simple) = command else { return Shown::Nothing };
    let mut redirections = Redirections::default();
    for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
        if let ast::CommandPrefixOrSuffixItem::IoRedirect(redirect) = item {
            redirections.add(redirect);
        }
    }
    let Some(name) = program(simple).filter(|_| !redirections.hides_output) else { return Shown::Nothing };
    let words = words(simple);
    // A number may be the value of `-n`; any other operand is a file that is read instead.
    let reads_file =
        words.iter().any(|word| !word.text.starts_with(['-', '+']) && word.text.parse::<u64>().is_err());
    match name.as_str() {
        "tee" => Shown::Ending,
        "tail" | "cat" if !reads_file => Shown::Ending,
        "head" | "sort" | "uniq" if !reads_file => Shown::Selection,
        "grep" | "egrep" | "rg" | "sed" => Shown::Selection,
        _ => Shown::Nothing,
    }
}
