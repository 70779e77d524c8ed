//! Every help text, whole: what a person reads first, and what an agent goes by.

use std::process::Command;

use clap::CommandFactory as _;
use recap::terminal::args::Cli;

use crate::golden_file;

/// What the program prints, at the width that it takes where there is no terminal.
fn help(arguments: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_recap"));
    let output = program.args(arguments).arg("--help").env_remove("COLUMNS").output().unwrap();
    assert!(output.status.success(), "{arguments:?} --help: {}", output.status);
    assert!(output.stderr.is_empty(), "{arguments:?} --help says something on standard error");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn help_is_as_written_down() {
    golden_file::check("help/recap.txt", &help(&[]));
    let mut files = vec!["recap.txt".to_owned()];
    for command in Cli::command().get_subcommands() {
        let file = format!("recap-{}.txt", command.get_name());
        golden_file::check(&format!("help/{file}"), &help(&[command.get_name()]));
        files.push(file);
    }
    files.sort();
    assert_eq!(golden_file::names("help"), files, "a help text without a command, or the other way round");
}
