//! Every help text, whole: what a person reads first, and what an agent goes by.

use std::process::Command;

use clap::CommandFactory as _;
use recap::terminal::args::Cli;

use crate::golden_file;

const RECAP: &str = env!("CARGO_BIN_EXE_recap");

/// The stage programs and the subcommands that they run.
const STAGES: [(&str, &str); 5] = [
    (env!("CARGO_BIN_EXE_recap-collect"), "collect"),
    (env!("CARGO_BIN_EXE_recap-packetize"), "packetize"),
    (env!("CARGO_BIN_EXE_recap-seal-accounting"), "seal-accounting"),
    (env!("CARGO_BIN_EXE_recap-validate-synthesis"), "validate-synthesis"),
    (env!("CARGO_BIN_EXE_recap-render"), "render"),
];

/// What a program prints, at the width that it takes where there is no terminal.
fn help(program: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    let output = command.args(arguments).arg("--help").env_remove("COLUMNS").output().unwrap();
    assert!(output.status.success(), "{arguments:?} --help: {}", output.status);
    assert!(output.stderr.is_empty(), "{arguments:?} --help says something on standard error");
    String::from_utf8(output.stdout).unwrap()
}

/// Compares the help of a command and of those below it; the names of the files.
fn check(command: &clap::Command, above: &[&str]) -> Vec<String> {
    let mut files = Vec::new();
    for command in command.get_subcommands() {
        let words = [above, &[command.get_name()]].concat();
        let file = format!("recap-{}.txt", words.join("-"));
        golden_file::check(&format!("help/{file}"), &help(RECAP, &words));
        files.push(file);
        files.extend(check(command, &words));
    }
    files
}

#[test]
fn help_is_as_written_down() {
    golden_file::check("help/recap.txt", &help(RECAP, &[]));
    let mut files = check(&Cli::command(), &[]);
    files.push("recap.txt".to_owned());
    files.sort();
    assert_eq!(golden_file::names("help"), files, "a help text without a command, or the other way round");
}

#[test]
fn a_stage_program_helps_like_its_subcommand() {
    for (program, name) in STAGES {
        let shown = help(program, &[]).replace(&format!("recap-{name} "), "recap ");
        assert_eq!(shown, help(RECAP, &[name]), "recap-{name}");
    }
}
