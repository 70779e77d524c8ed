//! The person's own `!` command. The harness tells it in two records: a message wrapped in
//! `<user_shell_command>` (both modes) and, before it, a `CommandExecution` of source `user_shell` (paginated).
//! Both become the same two items: the person's command, and what the harness says came of it.

use super::line::{spoken, system};
use crate::evidence::transcript::item::{Actor, ActorGrade, Surface};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::{Key, MirrorClaim, Reading};

/// Reads the wrapped message; false when its inside is not as expected, so that it is told as it stands.
pub fn ran(text: &str, reading: &mut Reading<Raw>) -> bool {
    let Some((_, rest)) = text.split_once("<command>\n") else { return false };
    let Some((command, rest)) = rest.split_once("\n</command>\n<result>\n") else { return false };
    let Some((result, _)) = rest.rsplit_once("\n</result>") else { return false };
    let code = result.strip_prefix("Exit code: ").and_then(|rest| rest.lines().next()).unwrap_or("");
    tell(command, code, result.to_owned(), false, reading);
    true
}

/// Reads the paginated copy.
pub fn executed(item: &Json<'_>, reading: &mut Reading<Raw>) {
    // The harness runs the line as `<shell> -lc <line>`.
    let command = item.get("command").items().last().and_then(Json::as_str).unwrap_or("");
    let code = item.get("exit_code").as_i64().map(|code| code.to_string()).unwrap_or_default();
    let output = item.get("aggregated_output").as_str().unwrap_or("");
    tell(command, &code, format!("Exit code: {code}\nOutput:\n{output}"), true, reading);
}

fn tell(command: &str, code: &str, result: String, second_lane: bool, reading: &mut Reading<Raw>) {
    let content = Key::of(&["user_shell", command, code]);
    reading.mirrors.push(MirrorClaim::Order { class: "user_shell", second_lane, content });
    reading.items.push(spoken(Surface::User, Actor::Person, ActorGrade::Proven, vec!["user_shell"], command));
    reading.items.push(system(Actor::Harness, vec!["injected:user_shell_output"], result));
}

#[cfg(test)]
mod tests {
    use super::{executed, ran};
    use crate::evidence::transcript::item::Surface;
    use crate::evidence::transcript::json::Json;
    use crate::evidence::transcript::reading::{MirrorClaim, Reading};

    #[test]
    fn both_records_tell_the_same_and_claim_each_other() {
        let mut message = Reading::structural("a");
        let text = "<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 5\nDuration: 0.1 seconds\nOutput:\na\n</result>\n</user_shell_command>";
        assert!(ran(text, &mut message));
        let mut item = Reading::structural("b");
        let json =
            Json::parse(r#"{"command":["/bin/bash","-lc","ls"],"exit_code":5,"aggregated_output":"a"}"#, &[])
                .unwrap();
        executed(&json.value, &mut item);
        for reading in [&message, &item] {
            assert_eq!(reading.items[0].surface, Surface::User);
            assert_eq!(reading.items[0].text.expose(), "ls");
        }
        let content = |reading: &Reading<_>| match reading.mirrors[0] {
            MirrorClaim::Order { content, .. } => content,
            _ => unreachable!(),
        };
        assert_eq!(content(&message), content(&item));
    }
}
