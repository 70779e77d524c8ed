//! The written table of scripts: their simple commands, and what each status of the whole proves about each of them.

use std::fmt::Write as _;
use std::fs;

use recap::evidence::command::observation::{Outcome, Reason};
use recap::evidence::command::shell::member::Member;
use recap::evidence::command::shell::outcome::Whole;
use recap::evidence::command::shell::walk::of_script;
use recap::evidence::command::shell::word::Form;

/// The scripts, each with the heading that it stands under.
pub fn scripts() -> Vec<(String, String)> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/commands.txt");
    let mut all = Vec::new();
    let (mut heading, mut script) = (String::new(), String::new());
    let text = fs::read_to_string(file).unwrap();
    for line in text.lines().chain(["----"]) {
        let ends = line == "----" || line.starts_with("==== ");
        if !ends {
            script.push_str(line);
            script.push('\n');
            continue;
        }
        if let Some(script) = script.strip_suffix('\n') {
            all.push((heading.clone(), script.to_owned()));
        }
        script.clear();
        line.strip_prefix("==== ").unwrap_or(&heading).to_owned().clone_into(&mut heading);
    }
    all
}

/// All of it as text.
pub fn table() -> String {
    let mut out = "What each status of a script proves about each of its simple commands: three letters, for the statuses 0, 1 and 101.\n\
                   P passed, F failed; unknown, because masked by l a list, p a pipeline, c control, or b in the background, n nested,\n\
                   u beside something that is not understood.\n"
        .to_owned();
    let mut last = String::new();
    for (heading, script) in scripts() {
        if heading != last {
            writeln!(out, "\n==== {heading}").unwrap();
            last = heading;
        }
        writeln!(out, "\n{script}").unwrap();
        let Some(members) = of_script(&script, None) else {
            out.push_str("    not taken\n");
            continue;
        };
        for member in &members.list {
            writeln!(out, "    {} {}", letters(member), told(member)).unwrap();
        }
        if members.incomplete {
            out.push_str("    and what is not known\n");
        }
    }
    out
}

fn letters(member: &Member) -> String {
    let letter = |whole| match member.deduction.outcome(whole) {
        (Outcome::Passed, _) => 'P',
        (Outcome::Failed, _) => 'F',
        (Outcome::Unknown, Some(Reason::MaskedByPipeline)) => 'p',
        (Outcome::Unknown, Some(Reason::MaskedByList)) => 'l',
        (Outcome::Unknown, Some(Reason::MaskedByControl)) => 'c',
        (Outcome::Unknown, Some(Reason::Backgrounded)) => 'b',
        (Outcome::Unknown, Some(Reason::Nested)) => 'n',
        (Outcome::Unknown, Some(Reason::Unparsed)) => 'u',
        (Outcome::Unknown, other) => panic!("{other:?}"),
    };
    [Whole::Ok, Whole::Failed(Some(1)), Whole::Failed(Some(101))].map(letter).iter().collect()
}

/// Assignments, words, place; a word that is no value as it stands is in angle brackets.
fn told(member: &Member) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(member.assignments.iter().map(|(name, value)| format!("{name}={}", value.text)));
    parts.extend(member.argv.iter().map(|word| match (word.form, word.text.contains([' ', '\n', '\t'])) {
        (Form::Plain, false) => word.text.clone(),
        (Form::Plain, true) => format!("{:?}", word.text),
        _ => format!("<{}>", word.text.replace('\n', "\\n")),
    }));
    if member.argv.is_empty() {
        parts.push("(no command)".to_owned());
    }
    let writes = member.redirections.written.iter().map(|written| format!("> {}", written.target.text));
    parts.extend(writes);
    if !member.prefix.is_empty() {
        parts.push(format!("by {}", member.prefix.join(" ")));
    }
    match member.directory.known() {
        Some(folder) => parts.push(format!("in {folder}")),
        None if member.directory.trail().is_empty() => {}
        None => parts.push("somewhere".to_owned()),
    }
    parts.join(" ")
}
