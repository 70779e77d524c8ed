//! Scripts inside of scripts: substitutions, here-documents, `bash -c`, `eval`. They are followed to a small depth;
//! what is beyond leaves the whole incomplete.

use brush_parser::ast::{ExtendedTestExpr, IoFileRedirectTarget, IoRedirect, SubshellCommand};

use super::builtin::{Leaving, Options, Shell};
use super::member::Shown;
use super::outcome::Deduction;
use super::parse::{Script, parse};
use super::redirect::Redirections;
use super::substitution::{Taken, expanded, marks};
use super::walk::Walk;
use super::word::Word;
use crate::base::limits::SCRIPT_DEPTH;
use crate::evidence::command::observation::Reason;

impl Walk {
    /// The substitutions of a word.
    pub(super) fn inside(&mut self, raw: &str) {
        for number in marks(raw) {
            if let Some(taken) = self.taken.get(number).cloned() {
                self.substitution(&taken);
            }
        }
    }

    fn substitution(&mut self, taken: &Taken) {
        match taken {
            Taken::Script(script) => {
                let hidden = Deduction::WHOLE.hidden(Reason::Nested);
                if let Some(script) = self.inner(script) {
                    self.child(script, Options::DEFAULT, hidden, Shown::Nothing);
                } else {
                    self.broken = true;
                }
            }
            Taken::Text(text) => self.text(text),
        }
    }

    /// A text in which a shell expands substitutions.
    fn text(&mut self, text: &str) {
        if !text.contains(['$', '`']) {
            return;
        }
        let held = if self.depth < SCRIPT_DEPTH { expanded(text) } else { None };
        let Some(held) = held else {
            (self.incomplete, self.broken) = (true, true);
            return;
        };
        self.depth += 1;
        for taken in &held {
            self.substitution(taken);
        }
        self.depth -= 1;
    }

    /// The commands in the target of a redirection.
    pub(super) fn redirection(&mut self, redirect: &IoRedirect) {
        use IoFileRedirectTarget as Target;
        match redirect {
            IoRedirect::File(_, _, Target::Filename(word) | Target::Duplicate(word))
            | IoRedirect::HereString(_, word)
            | IoRedirect::OutputAndError(word, _) => self.inside(&word.value),
            IoRedirect::File(_, _, Target::ProcessSubstitution(_, group)) => self.process(group),
            IoRedirect::File(_, _, Target::Fd(_)) | IoRedirect::HereDocument(..) => {}
        }
    }

    /// `<( … )` and `>( … )`.
    pub(super) fn process(&mut self, group: &SubshellCommand) {
        let hidden = Deduction::WHOLE.hidden(Reason::Nested);
        self.apart(|walk| walk.items(&group.list, hidden, Shown::Nothing));
    }

    /// Puts the body of a here-document in the place of its mark.
    pub(super) fn document(&mut self, redirections: &mut Redirections) {
        let Some((text, literal)) = &mut redirections.document else { return };
        let taken = marks(text).next().and_then(|number| self.taken.get(number));
        *text = match taken {
            Some(Taken::Text(body)) => body.clone(),
            _ => String::new(),
        };
        if !*literal {
            let body = text.clone();
            self.text(&body);
        }
    }

    /// The words of `[[ … ]]`.
    pub(super) fn condition(&mut self, expression: &ExtendedTestExpr) {
        match expression {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.condition(left);
                self.condition(right);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => self.condition(inner),
            ExtendedTestExpr::UnaryTest(_, word) => self.inside(&word.value),
            ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.inside(&left.value);
                self.inside(&right.value);
            }
        }
    }

    /// A script inside this one, run by a shell of its own.
    pub(super) fn nested(&mut self, text: &str, options: Options, deduction: Deduction, shown: Shown) {
        let Some(script) = self.inner(text) else { return };
        self.child(script, options, deduction, shown);
    }

    /// Runs in a shell of its own; gives how that may have ended early.
    fn child(&mut self, script: Script, options: Options, deduction: Deduction, shown: Shown) -> Leaving {
        let inner = Shell::new(self.shell.directory.clone(), options);
        let outer = std::mem::replace(&mut self.shell, inner);
        self.depth += 1;
        self.script(script, deduction, shown);
        self.depth -= 1;
        std::mem::replace(&mut self.shell, outer).leaving
    }

    /// A text that this shell runs itself.
    pub(super) fn inline(&mut self, text: &str, deduction: Deduction, shown: Shown) {
        let Some(mut script) = self.inner(text) else {
            self.shell.leaving.any = true;
            return;
        };
        let outer = std::mem::replace(&mut self.taken, std::mem::take(&mut script.taken));
        self.depth += 1;
        self.list(&script.items(), deduction, shown);
        self.depth -= 1;
        self.taken = outer;
    }

    /// `trap 'script' EXIT`: the script runs at an end or a failure, and changes the status only if it leaves the shell,
    /// or fails under `set -e`.
    pub(super) fn trap(&mut self, words: &[Word]) {
        const KNOWN: &[&str] =
            &["EXIT", "ERR", "INT", "TERM", "HUP", "QUIT", "0", "SIGINT", "SIGTERM", "SIGHUP"];
        let [script, signals @ ..] = words else { return };
        let known = signals.iter().all(|signal| KNOWN.contains(&signal.text.as_str()));
        let Some(text) = script.plain().filter(|text| known && !text.starts_with('-')) else {
            self.shell.leaving.any |= script.text != "-";
            return;
        };
        // In a group, because an `exit` at its end is not the end of the shell's own script.
        let Some(script) = self.inner(&format!("{{ {text}\n}}")) else {
            self.shell.leaving.any = true;
            return;
        };
        let leaving =
            self.child(script, Options::DEFAULT, Deduction::WHOLE.hidden(Reason::Nested), Shown::Ending);
        let leaves = leaving.any || leaving.failing || leaving.boldly;
        self.shell.leaving.any |= leaves;
        self.shell.leaving.boldly = true;
    }

    fn inner(&mut self, text: &str) -> Option<Script> {
        let script = if self.depth < SCRIPT_DEPTH { parse(text) } else { None };
        self.incomplete |= script.is_none();
        script
    }
}
