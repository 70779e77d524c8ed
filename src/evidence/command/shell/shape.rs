//! Questions about parts of a script that their text alone answers.

use brush_parser::ast;

use super::builtin::literal_status;
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

/// The one word of an `exit` that nothing is around; empty without one.
fn exit_word(command: &ast::Command) -> Option<Word> {
    let ast::Command::Simple(simple) = command else { return None };
    let parts = simple.suffix.iter().flat_map(|suffix| &suffix.0).count();
    let mut words = words(simple);
    if simple.prefix.is_some() || program(simple).as_deref() != Some("exit") || words.len() != parts {
        return None;
    }
    match (words.pop(), words.is_empty()) {
        (None, _) => Some(Word::verbatim("")),
        (Some(word), true) => Some(word),
        (Some(_), false) => None,
    }
}

/// `exit` or `exit $?` and nothing else: the shell ends as the command before it did.
pub fn passes_status_on(pipeline: &ast::Pipeline) -> bool {
    let [command] = pipeline.seq.as_slice() else { return false };
    let word = exit_word(command).filter(|_| !pipeline.bang);
    word.is_some_and(|word| word.text.is_empty() || word.text == "$?")
}

/// `exit N` with N not 0, or a group that says something and ends with it: it cannot end with success.
fn leaves_failing(pipeline: &ast::Pipeline) -> bool {
    match pipeline.seq.as_slice() {
        _ if pipeline.bang => false,
        [ast::Command::Compound(ast::CompoundCommand::BraceGroup(group), None)] => {
            let lone = |item: &ast::CompoundListItem| {
                item.0.additional.is_empty() && !matches!(item.1, ast::SeparatorOperator::Async)
            };
            group.list.0.split_last().is_some_and(|(last, before)| {
                let quiet = before.iter().all(|item| lone(item) && pipeline_is_modest(&item.0.first));
                quiet && lone(last) && leaves_failing(&last.0.first)
            })
        }
        [command] => exit_word(command).as_ref().and_then(literal_status).is_some_and(|code| code > 0),
        _ => false,
    }
}

/// Behind a failure it leaves the shell, and with failure: `exit 1`, `exit $?`.
pub fn leaves_behind_failure(pipeline: &ast::Pipeline) -> bool {
    leaves_failing(pipeline) || passes_status_on(pipeline)
}

/// `… || exit 1`, `… || exit $?`: what follows runs only if what comes before succeeded.
pub fn leaves_on_failure(list: &ast::AndOrList) -> bool {
    matches!(list.additional.last(), Some(ast::AndOr::Or(right)) if leaves_behind_failure(right))
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
