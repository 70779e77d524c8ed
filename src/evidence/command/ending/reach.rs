//! How far a call can reach into a repository: what is known to only read, what writes files and moves no reference,
//! and everything else. Only what is listed here is known; a program that is not can do anything.

use serde::{Deserialize, Serialize};

use super::harmless::only_reads;
use crate::evidence::command::fact::FactKind;
use crate::evidence::command::shell::member::{Member, Members};
use crate::evidence::command::shell::word::{Form, Word};
use crate::evidence::command::vcs::git;
use crate::evidence::event::Event;
use crate::evidence::transcript::item::{Actor, Surface, facet};

/// What may have changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Reach {
    /// Nothing.
    #[default]
    Nothing,
    /// Files, and neither HEAD nor branches.
    Files,
    /// Anything.
    Anything,
    /// Anything, and nobody tells when it ends.
    Lasting,
}

impl Reach {
    /// The least that can change what a fact says.
    pub const fn changing(kind: FactKind) -> Self {
        match kind {
            FactKind::Head | FactKind::Branch => Self::Anything,
            FactKind::Clean => Self::Files,
        }
    }
}

/// Of all commands of a script.
pub fn of_members(members: &Members) -> Reach {
    let known = members.list.iter().map(of_member).max().unwrap_or_default();
    if members.incomplete { known.max(Reach::Anything) } else { known }
}

/// Of one command.
pub fn of_member(member: &Member) -> Reach {
    let written = member.redirections.written.iter().map(|written| of_target(&written.target));
    let own = written.max().unwrap_or_default().max(of_command(member));
    if member.background && own > Reach::Nothing { Reach::Lasting } else { own }
}

/// Of an edit by its path.
pub fn of_path(path: &str) -> Reach {
    if is_inside_git(path) { Reach::Anything } else { Reach::Files }
}

/// Of a tool that carries neither a command nor an edit.
pub fn of_tool(name: &str, event: &Event) -> Reach {
    const READING: &[&str] = &[
        "AskUserQuestion",
        "BashOutput",
        "EnterPlanMode",
        "ExitPlanMode",
        "Glob",
        "Grep",
        "KillBash",
        "KillShell",
        "LS",
        "ListMcpResourcesTool",
        "NotebookRead",
        "Read",
        "TaskCreate",
        "TaskGet",
        "TaskList",
        "TaskOutput",
        "TaskStop",
        "TaskUpdate",
        "TodoRead",
        "TodoWrite",
        "ToolSearch",
        "WebFetch",
        "WebSearch",
        "list_agents",
        "request_user_input",
        "update_plan",
        "view_image",
        "wait",
        "wait_agent",
        "web_search",
    ];
    // They begin something, or wake something, that works on beside the session.
    const LASTING: &[&str] = &[
        "CronCreate",
        "Monitor",
        "SendMessage",
        "TeamCreate",
        "Workflow",
        "followup_task",
        "resume_agent",
        "send_input",
        "send_message",
        "spawn_agent",
    ];
    if READING.contains(&name) || (name == "write_stdin" && is_poll(event.text.as_str())) {
        Reach::Nothing
    } else if LASTING.iter().any(|own| name.ends_with(own)) {
        Reach::Lasting
    } else {
        Reach::Anything
    }
}

/// Of what a person, a hook or another agent did beside the calls.
pub fn of_notice(event: &Event) -> Reach {
    const TROUBLE: &[&str] = &[facet::AGENT_REPORT, facet::INTERRUPT, facet::ROLLBACK, facet::ABORTED_TURN];
    let typed = event.has_facet("bash_input") || event.has_facet("user_shell");
    let spoken = event.surface == Surface::System && matches!(event.actor, Actor::Hook | Actor::Agent);
    let command = event.has_facet("injected:command") && !is_own_command(event.text.as_str());
    let trouble = TROUBLE.iter().any(|name| event.has_facet(name));
    if typed || spoken || command || trouble { Reach::Anything } else { Reach::Nothing }
}

/// A slash command of the harness that runs nothing. Others can hold commands of a shell.
fn is_own_command(text: &str) -> bool {
    const COMMANDS: &[&str] = &[
        "/clear", "/compact", "/config", "/context", "/cost", "/exit", "/help", "/model", "/quit", "/resume",
        "/status", "/usage",
    ];
    let name = text.split_once("<command-name>").and_then(|(_, rest)| rest.split_once("</command-name>"));
    name.is_some_and(|(name, _)| COMMANDS.contains(&name.trim()))
}

/// Input of no characters to what runs already.
fn is_poll(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text)
        .is_ok_and(|input| input.get("chars").is_none_or(|chars| chars == ""))
}

fn is_inside_git(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| part == ".git")
}

fn of_target(target: &Word) -> Reach {
    match (target.form, target.text.as_str()) {
        (Form::Plain, "/dev/null" | "/dev/stdout" | "/dev/stderr") => Reach::Nothing,
        (Form::Plain | Form::Tilde, path) => of_path(path),
        (Form::Pattern | Form::Expanded, _) => Reach::Anything,
    }
}

fn of_command(member: &Member) -> Reach {
    // They leave something running when they end.
    const LASTING: &[&str] = &[
        "at",
        "batch",
        "crontab",
        "disown",
        "docker",
        "docker-compose",
        "launchctl",
        "pm2",
        "podman",
        "screen",
        "setsid",
        "systemctl",
        "tmux",
        "watchman",
    ];
    let Some((first, words)) = member.argv.split_first() else { return Reach::Nothing };
    let (Some(name), Some(program)) = (first.plain(), member.program()) else { return Reach::Anything };
    if LASTING.contains(&program) {
        return Reach::Lasting;
    }
    let system = name == program || ["/bin/", "/usr/bin/"].iter().any(|folder| name.starts_with(folder));
    if !system || !member.prefix.is_empty() || member.elsewhere {
        return Reach::Anything;
    }
    match program {
        "git" => of_git(&member.argv),
        // Later commands of git may mean another repository.
        "export" | "declare" | "typeset" | "alias" => {
            let lasts = words.iter().any(|word| word.text.contains("GIT_") || word.text.contains("git"));
            if lasts { Reach::Lasting } else { Reach::Nothing }
        }
        "tee" | "touch" | "mkdir" => words.iter().map(of_target).max().unwrap_or_default(),
        "sed" | "gsed" => of_sed(words),
        program if only_reads(program, words) => Reach::Nothing,
        _ => Reach::Anything,
    }
}

fn of_git(argv: &[Word]) -> Reach {
    const READING: &[&str] = &[
        "blame",
        "branch",
        "cat-file",
        "check-ignore",
        "cherry",
        "config",
        "count-objects",
        "describe",
        "diff",
        "diff-files",
        "diff-index",
        "diff-tree",
        "for-each-ref",
        "grep",
        "log",
        "ls-files",
        "ls-remote",
        "ls-tree",
        "merge-base",
        "name-rev",
        "reflog",
        "remote",
        "rev-list",
        "rev-parse",
        "shortlog",
        "show",
        "show-ref",
        "stash",
        "status",
        "symbolic-ref",
        "tag",
        "whatchanged",
        "worktree",
    ];
    if let [_, word] = argv
        && word.text == "--version"
    {
        return Reach::Nothing;
    }
    let set = |word: &Word| word.text == "-c" || word.text == "--config-env" || word.text == "--exec-path";
    let writes = |word: &Word| word.text.starts_with("--output") || word.text.starts_with("--open-files");
    let Some(git) = git(argv) else { return Reach::Anything };
    // By place: a value of an option may be called like the verb.
    let before = argv.iter().take(argv.len().saturating_sub(git.argv.len() + 1));
    let reads = !git.mutating && READING.contains(&git.verb.as_str());
    let plain = git.argv.iter().all(|word| word.form != Form::Expanded && !writes(word));
    if reads && plain && !before.into_iter().any(set) { Reach::Nothing } else { Reach::Anything }
}

/// `sed -n 1,5p`, and in place only on files that are named.
fn of_sed(words: &[Word]) -> Reach {
    let mut operands = words.iter().filter(|word| !word.text.starts_with('-'));
    let addresses = |text: &str| text.bytes().all(|byte| b"0123456789,;$p ".contains(&byte));
    let replaces = |text: &str| {
        let parts: Vec<&str> = text.split('/').collect();
        matches!(parts.as_slice(), ["s", _, _, flags] if flags.bytes().all(|byte| matches!(byte, b'g' | b'i' | b'I' | b'p')))
    };
    let script = operands.next().and_then(Word::plain);
    let options = words.iter().filter(|word| word.text.starts_with('-'));
    let known =
        options.map(|word| word.text.as_str()).all(|option| matches!(option, "-n" | "-i" | "-E" | "-r"));
    if !known || !script.is_some_and(|script| addresses(script) || replaces(script)) {
        return Reach::Anything;
    }
    if words.iter().any(|word| word.text == "-i") {
        operands.map(of_target).max().unwrap_or_default()
    } else {
        Reach::Nothing
    }
}
