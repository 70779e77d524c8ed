//! From the syntax tree of a script to its simple commands. The walk follows the shell's rules for lists,
//! pipelines, groups and options set on the way; scripts inside scripts are followed to a small depth. It knows
//! builtins and wrappers and no other program.

use std::collections::BTreeSet;

use brush_parser::ast;

use super::builtin::{Leaving, Options, Shell, Switch, steers};
use super::directory::Directory;
use super::member::{Host, Member, Members, Shown};
use super::outcome::{Deduction, modest};
use super::parse::{Script, parse};
use super::redirect::Redirections;
use super::shape;
use super::substitution::Taken;
use super::word::{Form, Word};
use super::wrapper::{Around, Inner, Unwrapped, assignment, evaluated, reads_its_script, unwrap};
use crate::base::limits::COMMAND_MEMBERS;
use crate::evidence::command::observation::Reason;

/// The commands of a script; `None` when the grammar does not take it.
pub fn of_script(text: &str, workdir: Option<&str>) -> Option<Members> {
    let script = parse(text)?;
    let start = Directory::start(workdir);
    let mut walk = Walk::new(start.clone());
    walk.script(script, Deduction::WHOLE, Shown::Ending);
    let moved = (walk.shell.directory != start).then(|| walk.shell.directory.clone());
    Some(walk.finish(moved))
}

/// The command of an argument list that no shell touches.
pub fn of_argv(argv: &[String], workdir: Option<&str>) -> Members {
    let mut walk = Walk::new(Directory::start(workdir));
    let words = argv.iter().map(|word| Word::verbatim(word)).collect();
    walk.command(words, Vec::new(), Redirections::default(), Deduction::WHOLE, Shown::Ending);
    walk.finish(None)
}

pub(super) struct Walk {
    members: Vec<Member>,
    pub(super) incomplete: bool,
    /// A substitution is not understood. Some shells then refuse the whole script, and some run it.
    pub(super) broken: bool,
    pub(super) shell: Shell,
    /// What was taken out of the script that is walked.
    pub(super) taken: Vec<Taken>,
    functions: BTreeSet<String>,
    function: Option<String>,
    piped: bool,
    background: bool,
    step: u32,
    pub(super) depth: usize,
    /// Nothing of the script runs behind what is walked next.
    ends: bool,
}

impl Walk {
    fn new(directory: Directory) -> Self {
        Self {
            members: Vec::new(),
            incomplete: false,
            broken: false,
            shell: Shell::new(directory, Options::DEFAULT),
            taken: Vec::new(),
            functions: BTreeSet::new(),
            function: None,
            piped: false,
            background: false,
            step: 0,
            depth: 0,
            ends: false,
        }
    }

    /// Functions that nobody calls run nothing; a program whose name a function takes is not that program.
    fn finish(self, moved: Option<Directory>) -> Members {
        let Self { mut members, functions, incomplete, broken, .. } = self;
        for member in members.iter_mut().filter(|_| broken) {
            member.deduction = member.deduction.hidden(Reason::Unparsed);
        }
        if !functions.is_empty() {
            let called: BTreeSet<String> =
                members.iter().filter_map(|member| member.program().map(str::to_owned)).collect();
            members.retain(|member| {
                member.function.as_ref().is_none_or(|name| called.contains(name))
                    && member.program().is_none_or(|program| !functions.contains(program))
            });
            if functions.iter().any(|name| modest(name) || steers(name)) {
                for member in &mut members {
                    member.deduction = member.deduction.hidden(Reason::Nested);
                }
            }
        }
        Members { list: members, incomplete, moved }
    }

    /// A script of its own: what leaves it touches no other.
    pub(super) fn script(&mut self, mut script: Script, deduction: Deduction, shown: Shown) {
        let first = self.members.len();
        let outer = std::mem::replace(&mut self.taken, std::mem::take(&mut script.taken));
        let mut items = script.items();
        // An `exit $?` at the end gives the status of what is before it, as the end itself would.
        if items.len() > 1
            && items
                .last()
                .is_some_and(|item| item.0.additional.is_empty() && shape::passes_status_on(&item.0.first))
            && items.iter().all(|item| !matches!(item.1, ast::SeparatorOperator::Async))
        {
            items.pop();
        }
        self.ends = true;
        self.list(&items, deduction, shown);
        self.taken = outer;
        let Leaving { any, failing, boldly } = self.shell.leaving;
        for member in self.members.iter_mut().skip(first) {
            if any {
                member.deduction = member.deduction.hidden(Reason::MaskedByList);
            } else if failing || boldly {
                member.deduction = member.deduction.may_leave(!boldly);
            }
        }
    }

    pub(super) fn list(&mut self, items: &[&ast::CompoundListItem], deduction: Deduction, shown: Shown) {
        let (certain, ends) = (self.shell.certain, std::mem::take(&mut self.ends));
        // Whether something before may have ended the shell by failing, and whether all of it is modest.
        let (mut stopping, mut all_modest) = (false, true);
        for (place, ast::CompoundListItem(and_or, separator)) in items.iter().enumerate() {
            self.shell.certain = certain;
            if matches!(separator, ast::SeparatorOperator::Async) {
                let outer = std::mem::replace(&mut self.background, true);
                self.apart(|walk| {
                    walk.and_or(and_or, deduction.hidden(Reason::Backgrounded), Shown::Nothing)
                });
                self.background = outer;
                continue;
            }
            let errexit = self.shell.options.errexit;
            let stops = shape::leaves_on_failure(and_or)
                || (errexit == Switch::On && !self.shell.spared && shape::stops_the_shell(and_or));
            let own = if place + 1 < items.len() {
                if stops { deduction.earlier() } else { deduction.hidden(Reason::MaskedByList) }
            } else if stopping {
                deduction.shared(all_modest, Reason::MaskedByList)
            } else {
                deduction
            };
            let before = self.shell.directory.clone();
            self.ends = ends && place + 1 == items.len();
            self.and_or(and_or, own, shown);
            if self.shell.options.errexit != Switch::Off && !shape::only_sets(and_or) {
                stopping = true;
                all_modest &= shape::modest_prefixes(and_or).last().copied().unwrap_or(false);
            }
            if !stops {
                self.shell.directory = self.shell.directory.clone().or(&before);
            }
        }
        self.shell.certain = certain;
    }

    /// Lists of `&&` and `||` bind to the left: the last operator splits the whole.
    fn and_or(&mut self, list: &ast::AndOrList, deduction: Deduction, shown: Shown) {
        let mut left = deduction;
        let mut rights = Vec::with_capacity(list.additional.len());
        let modest = shape::modest_prefixes(list);
        for (place, item) in list.additional.iter().enumerate().rev() {
            let (rest, right) = match item {
                ast::AndOr::And(pipeline) => (
                    left.shared(shape::pipeline_is_modest(pipeline), Reason::MaskedByList),
                    left.shared(modest.get(place).copied().unwrap_or(false), Reason::MaskedByList),
                ),
                ast::AndOr::Or(pipeline) if shape::leaves_behind_failure(pipeline) => {
                    (left.or_leaves(), left.alternatives().1)
                }
                ast::AndOr::Or(_) => left.alternatives(),
            };
            rights.push(right);
            left = rest;
        }
        let (certain, spared) = (self.shell.certain, self.shell.spared);
        let ends = std::mem::take(&mut self.ends);
        let before = self.shell.directory.clone();
        self.shell.spared |= !list.additional.is_empty();
        self.pipeline(&list.first, left, shown);
        self.shell.certain &= list.additional.is_empty();
        for (place, item) in list.additional.iter().enumerate() {
            let right = rights.pop().unwrap_or(left);
            let after = self.shell.directory.clone();
            self.shell.spared = spared || place + 1 < list.additional.len();
            match item {
                ast::AndOr::And(pipeline) => self.pipeline(pipeline, right, shown),
                ast::AndOr::Or(pipeline) => {
                    // Here the left side failed: a lone `cd` did not happen, of more it is in doubt.
                    let lone = place == 0 && shape::is_simple(&list.first);
                    self.shell.directory = if lone { before.clone() } else { after.clone().or(&before) };
                    let (copies, leaving) = (shape::passes_status_on(pipeline), self.shell.leaving);
                    let leaves = shape::leaves_behind_failure(pipeline);
                    self.pipeline(pipeline, right, shown);
                    if leaves && ends && place + 1 == list.additional.len() {
                        self.shell.leaving = leaving;
                    } else if copies {
                        self.shell.leaving = Leaving { boldly: true, ..leaving };
                    }
                    let here = self.shell.directory.clone();
                    self.shell.directory = if leaves { after } else { here.or(&after) };
                }
            }
        }
        (self.shell.certain, self.shell.spared) = (certain, spared);
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline, deduction: Deduction, shown: Shown) {
        self.step = self.step.saturating_add(1);
        let deduction = if pipeline.bang { deduction.hidden(Reason::MaskedByControl) } else { deduction };
        let commands = &pipeline.seq;
        if let [command] = commands.as_slice() {
            self.one(command, deduction, shown);
            return;
        }
        let pipefail = self.shell.options.pipefail;
        let piped = self.piped;
        let bold = commands.iter().filter(|command| !shape::command_is_modest(command)).count();
        let mut behind = Shown::Ending;
        let mut visible: Vec<Shown> = Vec::with_capacity(commands.len());
        for command in commands.iter().rev() {
            visible.push(behind);
            behind = behind.max(shape::passes_on(command));
        }
        for (place, command) in commands.iter().enumerate() {
            let last = place + 1 == commands.len();
            let others = bold == usize::from(!shape::command_is_modest(command));
            let own = match (pipefail, last) {
                (Switch::Off, true) => deduction,
                (Switch::On, _) | (Switch::Perhaps, true) => {
                    deduction.shared(others, Reason::MaskedByPipeline)
                }
                (Switch::Off | Switch::Perhaps, false) => deduction.hidden(Reason::MaskedByPipeline),
            };
            self.piped = piped || place > 0;
            let shown = shown.max(visible.pop().unwrap_or(Shown::Nothing));
            self.apart(|walk| walk.one(command, own, shown));
        }
        self.piped = piped;
    }

    fn one(&mut self, command: &ast::Command, deduction: Deduction, shown: Shown) {
        // Behind `exec` nothing runs; that something stands there makes all of it doubtful.
        self.shell.leaving.any |= self.shell.replaced;
        match command {
            ast::Command::Simple(simple) => self.simple(simple, deduction, shown),
            ast::Command::Compound(compound, redirects) => {
                let mut redirections = Redirections::default();
                for redirect in redirects.iter().flat_map(|list| &list.0) {
                    self.redirection(redirect);
                    redirections.add(redirect);
                }
                self.document(&mut redirections);
                let shown = if redirections.hides_output { Shown::Nothing } else { shown };
                self.compound(compound, deduction, shown);
                self.bare(redirections, deduction);
            }
            ast::Command::Function(definition) => {
                let name = definition.fname.value.clone();
                self.functions.insert(name.clone());
                let outer = self.function.replace(name);
                self.apart(|walk| walk.compound(&definition.body.0, deduction.hidden(Reason::Nested), shown));
                self.function = outer;
            }
            ast::Command::ExtendedTest(test, _) => self.condition(&test.expr),
        }
    }

    fn compound(&mut self, compound: &ast::CompoundCommand, deduction: Deduction, shown: Shown) {
        use ast::CompoundCommand as Compound;
        let hidden = deduction.hidden(Reason::MaskedByControl);
        match compound {
            Compound::BraceGroup(group) => self.items(&group.list, deduction, shown),
            Compound::Subshell(group) => {
                let (directory, options) = (self.shell.directory.clone(), self.shell.options);
                self.items(&group.list, deduction, shown);
                (self.shell.directory, self.shell.options) = (directory, options);
            }
            Compound::ForClause(clause) => {
                for word in clause.values.iter().flatten() {
                    self.inside(&word.value);
                }
                self.branches(&[&clause.body.list], hidden, shown);
            }
            Compound::ArithmeticForClause(clause) => {
                for part in [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten() {
                    self.inside(&part.value);
                }
                self.branches(&[&clause.body.list], hidden, shown);
            }
            Compound::WhileClause(clause) | Compound::UntilClause(clause) => {
                self.branches(&[&clause.0, &clause.1.list], hidden, shown);
            }
            Compound::IfClause(clause) => {
                let mut lists = vec![&clause.condition, &clause.then];
                for part in clause.elses.iter().flatten() {
                    lists.extend(part.condition.as_ref());
                    lists.push(&part.body);
                }
                self.branches(&lists, hidden, shown);
            }
            Compound::CaseClause(clause) => {
                self.inside(&clause.value.value);
                let lists: Vec<&ast::CompoundList> =
                    clause.cases.iter().filter_map(|case| case.cmd.as_ref()).collect();
                self.branches(&lists, hidden, shown);
            }
            Compound::Coprocess(process) => {
                let outer = std::mem::replace(&mut self.background, true);
                self.apart(|walk| {
                    walk.one(&process.body, deduction.hidden(Reason::Backgrounded), Shown::Nothing)
                });
                self.background = outer;
            }
            Compound::Arithmetic(arithmetic) => self.inside(&arithmetic.expr.value),
        }
    }

    pub(super) fn items(&mut self, list: &ast::CompoundList, deduction: Deduction, shown: Shown) {
        let items: Vec<&ast::CompoundListItem> = list.0.iter().collect();
        self.list(&items, deduction, shown);
    }

    /// Lists that may or may not run: what they change is in doubt afterwards.
    fn branches(&mut self, lists: &[&ast::CompoundList], deduction: Deduction, shown: Shown) {
        let (before, certain) = (self.shell.directory.clone(), self.shell.certain);
        self.shell.certain = false;
        for list in lists {
            self.items(list, deduction, shown);
            self.shell.directory = self.shell.directory.clone().or(&before);
        }
        self.shell.certain = certain;
    }

    /// A child of this shell: nothing that it changes comes back, but that something may have left is kept.
    pub(super) fn apart(&mut self, walk: impl FnOnce(&mut Self)) {
        let outer = self.shell.clone();
        self.shell.certain = false;
        walk(self);
        let leaving = std::mem::replace(&mut self.shell, outer).leaving;
        self.shell.leaving = self.shell.leaving.or(leaving);
    }

    fn simple(&mut self, simple: &ast::SimpleCommand, deduction: Deduction, shown: Shown) {
        let mut redirections = Redirections::default();
        let mut assignments = Vec::new();
        let mut argv = Vec::new();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            let mut words = Vec::new();
            self.part(item, &mut redirections, &mut words);
            assignments
                .extend(words.iter().map(|word| assignment(word).unwrap_or((String::new(), word.clone()))));
        }
        if let Some(word) = &simple.word_or_name {
            self.inside(&word.value);
            argv.push(Word::resolve(&word.value));
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.part(item, &mut redirections, &mut argv);
        }
        self.document(&mut redirections);
        let shown = if redirections.hides_output { Shown::Nothing } else { shown };
        self.command(argv, assignments, redirections, deduction, shown);
    }

    fn part(&mut self, item: &ast::CommandPrefixOrSuffixItem, all: &mut Redirections, words: &mut Vec<Word>) {
        use ast::CommandPrefixOrSuffixItem as Item;
        match item {
            Item::IoRedirect(redirect) => {
                self.redirection(redirect);
                all.add(redirect);
            }
            Item::Word(word) | Item::AssignmentWord(_, word) => {
                self.inside(&word.value);
                words.push(Word::resolve(&word.value));
            }
            Item::ProcessSubstitution(_, group) => {
                self.process(group);
                words.push(Word { text: "<(…)".to_owned(), form: Form::Expanded });
            }
        }
    }

    /// A command with its words, wrapped or not.
    fn command(
        &mut self,
        argv: Vec<Word>,
        mut assignments: Vec<(String, Word)>,
        redirections: Redirections,
        deduction: Deduction,
        shown: Shown,
    ) {
        match unwrap(argv) {
            Unwrapped::Command(Inner { argv, around }) => {
                if reads_its_script(&argv) {
                    match &redirections.document {
                        Some((text, true)) => {
                            self.nested(text, Options::DEFAULT, under(deduction, &around), shown)
                        }
                        // From a pipe, a file, or a text that another shell has still to expand.
                        _ => self.incomplete = true,
                    }
                    self.bare(redirections, deduction);
                    return;
                }
                assignments.extend(around.assignments.iter().cloned());
                if let Some(text) = evaluated(&argv).filter(|_| assignments.is_empty()) {
                    self.inline(&text, under(deduction, &around), shown);
                    self.bare(redirections, deduction);
                    return;
                }
                match argv.split_first() {
                    Some((program, words)) if program.text == "trap" => self.trap(words),
                    Some((program, _)) if program.text == "eval" => self.incomplete = true,
                    _ => {}
                }
                self.shell.run(&argv);
                self.shell.replaced |= around.replaces;
                self.push(argv, assignments, redirections, under(deduction, &around), shown, around);
            }
            Unwrapped::Script { text, pipefail, errexit, around } => {
                let options = Options { pipefail: Switch::of(pipefail), errexit: Switch::of(errexit) };
                let host = match (around.remote, around.elsewhere) {
                    (true, _) => Host::Remote,
                    (false, true) => Host::Inside,
                    (false, false) => Host::Here,
                };
                let first = self.members.len();
                self.nested(&text, options, under(deduction, &around), shown);
                assignments.extend(around.assignments);
                for member in self.members.iter_mut().skip(first) {
                    member.assignments.splice(0..0, assignments.iter().cloned());
                    member.prefix.splice(0..0, around.prefix.iter().cloned());
                    member.elsewhere |= around.elsewhere;
                    member.host = member.host.max(host);
                }
                self.bare(redirections, deduction);
            }
            Unwrapped::Opaque => self.incomplete = true,
        }
    }

    /// Redirections of something that is no simple command.
    fn bare(&mut self, redirections: Redirections, deduction: Deduction) {
        if !redirections.written.is_empty() {
            let hidden = deduction.hidden(Reason::Nested);
            self.push(Vec::new(), Vec::new(), redirections, hidden, Shown::Nothing, Around::default());
        }
    }

    fn push(
        &mut self,
        argv: Vec<Word>,
        assignments: Vec<(String, Word)>,
        redirections: Redirections,
        deduction: Deduction,
        shown: Shown,
        around: Around,
    ) {
        if self.members.len() >= COMMAND_MEMBERS {
            self.incomplete = true;
            return;
        }
        self.members.push(Member {
            argv,
            assignments,
            prefix: around.prefix,
            redirections,
            directory: self.shell.directory.clone(),
            elsewhere: around.elsewhere,
            host: Host::Here,
            deduction,
            step: self.step,
            shown,
            piped: self.piped,
            background: self.background || around.detached,
            function: self.function.clone(),
        });
    }
}

/// What a wrapper leaves of a deduction.
fn under(deduction: Deduction, around: &Around) -> Deduction {
    if around.detached {
        deduction.hidden(Reason::Backgrounded)
    } else if around.can_fail {
        deduction.wrapped()
    } else if around.can_stop {
        deduction.may_be_stopped()
    } else {
        deduction
    }
}
