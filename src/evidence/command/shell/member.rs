//! The simple commands of a call, each with where it ran and what the status of the whole proves about it.

use super::directory::Directory;
use super::outcome::Deduction;
use super::redirect::Redirections;
use super::word::Word;
use super::wrapper::program_name;

/// How much of the end of a command's output the call's result shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// Its end.
    Ending,
    /// A selection.
    Selection,
    /// Nothing of it.
    Nothing,
}

/// Where the shell is that runs a command and opens its redirections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Host {
    /// On this machine, as the session's own.
    #[default]
    Here,
    /// In a container or in another environment.
    Inside,
    /// On another machine.
    Remote,
}

/// One simple command.
#[derive(Debug)]
pub struct Member {
    /// The words without assignments and wrappers; empty for a bare redirection or assignment.
    pub argv: Vec<Word>,
    /// `A=1` before the command or from `env`.
    pub assignments: Vec<(String, Word)>,
    /// Words of wrappers that change where or with what it runs.
    pub prefix: Vec<String>,
    /// What its redirections do.
    pub redirections: Redirections,
    /// Where it runs.
    pub directory: Directory,
    /// A wrapper takes it to a folder that is not followed.
    pub elsewhere: bool,
    /// Where its shell is.
    pub host: Host,
    /// What the whole proves about it.
    pub deduction: Deduction,
    /// Which pipeline of the call: members of one pipeline run at the same time.
    pub step: u32,
    /// What of its output the result shows.
    pub shown: Shown,
    /// Reads what the command before it in a pipeline wrote.
    pub piped: bool,
    /// Its shell does not wait for it.
    pub background: bool,
    /// The body of this function; it runs only if it is called.
    pub function: Option<String>,
}

impl Member {
    /// The program's name, if its word is plain.
    pub fn program(&self) -> Option<&str> {
        self.argv.first().and_then(Word::plain).map(program_name)
    }
}

/// The commands of one call.
#[derive(Debug, Default)]
pub struct Members {
    /// In the order of the text.
    pub list: Vec<Member>,
    /// Some part is not known: a text that the grammar does not take, or more than is looked at.
    pub incomplete: bool,
    /// At its end the shell may stand somewhere else than at its start.
    pub moved: Option<Directory>,
}
