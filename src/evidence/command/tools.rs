//! Which tool carries a command or an edit, in the call shapes of both harnesses and all their ages. A name that
//! is not here carries nothing that is looked at.

use super::effect::of_tool;
use super::observation::Operation;
use super::patch::{Change, changes, changes_in_code, changes_of_item};
use super::shell::wrapper::is_shell;
use crate::evidence::transcript::json::Json;

/// What a call carries.
#[derive(Debug, PartialEq, Eq)]
pub enum Carried {
    /// A script for a shell.
    Script(Shell),
    /// An argument list that no shell touches.
    Argv(Vec<String>, Option<String>),
    /// Edits.
    Changes(Vec<Change>),
    /// Edits in the code of a script.
    Code(Vec<Change>),
    /// A script for a shell whose grammar is not known.
    Foreign,
    /// Something that others see.
    Effect(&'static str),
    /// A whole file; whether it was new only the result says.
    Written(String),
    /// Nothing that is looked at.
    Nothing,
}

/// A script and how it is run.
#[derive(Debug, PartialEq, Eq)]
pub struct Shell {
    /// Its text.
    pub text: String,
    /// Where, if the call says so.
    pub workdir: Option<String>,
    /// Launched in the background.
    pub background: bool,
    /// The next call may find this one's work directory: the harness keeps the shell's place.
    pub keeps_place: bool,
    /// An error without an exit status is a failed command; else it never ran.
    pub error_is_failure: bool,
}

/// Reads a call.
pub fn carried(name: &str, text: &str) -> Carried {
    if name == "exec" {
        let changes = changes_in_code(text);
        return if changes.is_empty() { Carried::Nothing } else { Carried::Code(changes) };
    }
    if name == "apply_patch" && text.trim_start().starts_with("*** Begin Patch") {
        return of_changes(changes(text));
    }
    if let Some(effect) = of_tool(name) {
        return Carried::Effect(effect);
    }
    let Ok(parsed) =
        Json::parse(text, &["content", "old_string", "new_string", "new_source", "unified_diff"])
    else {
        return Carried::Nothing;
    };
    let input = parsed.value;
    let path = |key: &str| input.get(key).as_str().filter(|path| !path.is_empty()).map(str::to_owned);
    let update = |path: Option<String>| {
        path.map_or(Carried::Nothing, |path| {
            Carried::Changes(vec![Change { path, operation: Operation::Update, moved_to: None }])
        })
    };
    match name {
        "Bash" => claude_shell(&input),
        "PowerShell" if !input.get("command").is_null() => Carried::Foreign,
        "Edit" | "MultiEdit" => update(path("file_path")),
        "NotebookEdit" => update(path("notebook_path")),
        "Write" => path("file_path").map_or(Carried::Nothing, Carried::Written),
        "apply_patch" | "FileChange" | "file_change" | "patch_apply" => {
            let items = changes_of_item(input.get("changes"));
            if items.is_empty() {
                of_changes(changes(input.get("input").as_str().or(input.get("patch").as_str()).unwrap_or("")))
            } else {
                Carried::Changes(items)
            }
        }
        "shell" | "shell_command" | "exec_command" | "container.exec" | "local_shell"
        | "local_shell_call" | "CommandExecution" | "command_execution" => codex_shell(&input),
        _ => Carried::Nothing,
    }
}

fn of_changes(changes: Vec<Change>) -> Carried {
    if changes.is_empty() { Carried::Nothing } else { Carried::Changes(changes) }
}

fn claude_shell(input: &Json<'_>) -> Carried {
    let Some(text) = input.get("command").as_str() else { return Carried::Nothing };
    Carried::Script(Shell {
        text: text.to_owned(),
        workdir: None,
        background: input.get("run_in_background").as_bool() == Some(true),
        keeps_place: true,
        error_is_failure: true,
    })
}

/// `command` or `cmd`, a string or a list, in the object itself or in its `action`.
fn codex_shell(input: &Json<'_>) -> Carried {
    // Input to a command that runs already; its item repeats that command.
    if !input.get("interaction_input").is_null() {
        return Carried::Nothing;
    }
    let action = input.get("action");
    let input = if action.is_object() { action } else { input };
    let workdir = ["workdir", "working_directory", "cwd"]
        .iter()
        .find_map(|key| input.get(key).as_str())
        .map(local_path);
    let command = if input.get("command").is_null() { input.get("cmd") } else { input.get("command") };
    if let Some(text) = command.as_str() {
        return Carried::Script(codex_script(text, workdir));
    }
    let argv: Option<Vec<&str>> = command.items().iter().map(Json::as_str).collect();
    match argv.as_deref() {
        // The harness's own way to a shell, and the old way to patch.
        Some([shell, "-lc" | "-c", text]) if is_shell(shell) => Carried::Script(codex_script(text, workdir)),
        Some(["apply_patch" | "applypatch", patch]) => of_changes(changes(patch)),
        Some([program, ..]) if is_foreign(program) => Carried::Foreign,
        Some([_, ..]) => {
            Carried::Argv(argv.unwrap_or_default().into_iter().map(str::to_owned).collect(), workdir)
        }
        _ => Carried::Nothing,
    }
}

fn codex_script(text: &str, workdir: Option<String>) -> Shell {
    Shell { text: text.to_owned(), workdir, background: false, keeps_place: false, error_is_failure: false }
}

fn is_foreign(program: &str) -> bool {
    let name = super::shell::wrapper::program_name(program).to_ascii_lowercase();
    ["powershell", "pwsh", "cmd"].contains(&name.as_str())
}

/// Items name folders as `file://` addresses.
fn local_path(path: &str) -> String {
    path.strip_prefix("file://").unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Carried, carried};
    use crate::evidence::command::observation::Operation;

    #[test]
    fn commands_are_found_in_every_shape() {
        for (name, text, script, workdir) in [
            ("Bash", r#"{"command":"ls","description":"x"}"#, "ls", None),
            ("shell", r#"{"command":["bash","-lc","ls"],"workdir":"/w"}"#, "ls", Some("/w")),
            ("container.exec", r#"{"cmd":["/bin/sh","-c","ls"]}"#, "ls", None),
            ("shell_command", r#"{"command":"ls","workdir":"/w"}"#, "ls", Some("/w")),
            ("exec_command", r#"{"cmd":"ls","workdir":"/w"}"#, "ls", Some("/w")),
            (
                "local_shell",
                r#"{"action":{"type":"exec","command":["bash","-lc","ls"],"working_directory":"/w"}}"#,
                "ls",
                Some("/w"),
            ),
            (
                "CommandExecution",
                r#"{"command":["/bin/bash","-lc","ls"],"cwd":"file:///w"}"#,
                "ls",
                Some("/w"),
            ),
        ] {
            let Carried::Script(shell) = carried(name, text) else { panic!("{name}") };
            assert_eq!((shell.text.as_str(), shell.workdir.as_deref()), (script, workdir), "{name}");
        }
        assert!(matches!(carried("shell", r#"{"command":["cargo","test"]}"#), Carried::Argv(..)));
        for (name, text) in [
            ("PowerShell", r#"{"command":"Get-ChildItem"}"#),
            ("shell", r#"{"command":["powershell.exe","-Command","ls"]}"#),
            ("CommandExecution", r#"{"command":["C:\\Windows\\System32\\cmd.exe","/c","dir"]}"#),
        ] {
            assert_eq!(carried(name, text), Carried::Foreign, "{text}");
        }
        assert_eq!(carried("Bash", r#"{"__unparsedToolInput":{"raw":"ls"}}"#), Carried::Nothing);
        let poll = r#"{"command":["bash","-lc","ls"],"cwd":"file:///w","interaction_input":""}"#;
        assert_eq!(carried("CommandExecution", poll), Carried::Nothing);
        assert_eq!(carried("mcp__x__shell", r#"{"command":"ls"}"#), Carried::Nothing);
        assert_eq!(carried("Bash", "not json"), Carried::Nothing);
    }

    #[test]
    fn patches_are_found_in_every_shape() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
        let quoted = serde_json::to_string(patch).unwrap();
        for (name, text) in [
            ("apply_patch", patch.to_owned()),
            ("apply_patch", format!(r#"{{"input":{quoted}}}"#)),
            ("shell", format!(r#"{{"command":["apply_patch",{quoted}]}}"#)),
            ("exec", format!("await tools.apply_patch({quoted})")),
            (
                "FileChange",
                r#"{"changes":{"a":{"type":"add","content":"x"}},"status":"completed"}"#.to_owned(),
            ),
        ] {
            let (Carried::Changes(changes) | Carried::Code(changes)) = carried(name, &text) else {
                panic!("{name} {text}")
            };
            assert_eq!((changes[0].path.as_str(), changes[0].operation), ("a", Operation::Add));
        }
    }

    #[test]
    fn structured_edits_name_their_file() {
        assert!(matches!(
            carried("Edit", r#"{"file_path":"/a","old_string":"x","new_string":"y"}"#),
            Carried::Changes(_)
        ));
        assert!(matches!(carried("NotebookEdit", r#"{"notebook_path":"/a.ipynb"}"#), Carried::Changes(_)));
        assert_eq!(
            carried("Write", r#"{"file_path":"/a","content":"x"}"#),
            Carried::Written("/a".to_owned())
        );
        assert_eq!(carried("Read", r#"{"file_path":"/a"}"#), Carried::Nothing);
    }
}
