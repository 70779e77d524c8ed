//! The README, the references and the skill do not speak of what is not there: links resolve, commands and their options
//! exist, so do schemas and codes. The page of codes is generated, and compared whole.

use std::collections::BTreeSet;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use clap::CommandFactory as _;
use recap::base::rules::Code;
use recap::base::schemas;
use recap::report::explain::violations_markdown;
use recap::terminal::args::Cli;

use crate::golden_file;

/// Words in backticks that look like codes and are none, and what they are instead. A row that is not needed has
/// to go.
const OTHERWISE: &[(&str, &str)] = &[
    ("a-z", "a range of letters"),
    ("auto-mode-denial", "a row of Claude Code"),
    ("brush-parser", "a crate"),
    ("claude-jsonl", "a form of transcript"),
    ("codex-bare", "a form of transcript"),
    ("codex-document", "a form of transcript"),
    ("codex-legacy", "a form of transcript"),
    ("codex-paginated", "a form of transcript"),
    ("codex-unknown-mode", "a form of transcript"),
    ("continued-in", "a row of Claude Code"),
    ("ct-merkle", "a crate"),
    ("ended-by-model", "a row of Claude Code"),
    ("fork-context-ref", "a row of Claude Code"),
    ("history-suppression", "a row of Claude Code"),
    ("last-prompt", "a row of Claude Code"),
    ("marble-origami-commit", "a row of Claude Code"),
    ("maybe-live", "a flag of a listed session"),
    ("name-disagrees", "a flag of a listed session"),
    ("parent-missing", "a flag of a listed session"),
    ("permission-denial", "a row of Claude Code"),
    ("rewind-pointer", "a row of Claude Code"),
    ("several-files", "a flag of a listed session"),
    ("side-run", "a flag of a listed session"),
    ("tool-results", "a folder of Claude Code"),
    ("workflow-agent", "a flag of a listed session"),
];

/// A page of ours.
struct Page {
    path: Utf8PathBuf,
    text: String,
}

impl Page {
    /// Lines outside of fenced blocks.
    fn prose(&self) -> impl Iterator<Item = &str> {
        self.lines().filter(|(_, fenced)| !fenced).map(|(line, _)| line)
    }

    /// Every line but the fences, and whether it stands in a fenced block.
    fn lines(&self) -> impl Iterator<Item = (&str, bool)> {
        let mut fenced = false;
        self.text.lines().filter_map(move |line| {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            (!fence).then_some((line, fenced))
        })
    }

    /// What stands between backticks in the prose, code that goes on in the next line included.
    fn code(&self) -> Vec<String> {
        let prose: Vec<&str> = self.prose().collect();
        let paragraphs = prose.split(|line| line.trim().is_empty()).map(|lines| lines.join(" "));
        paragraphs
            .flat_map(|text| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>())
            .collect()
    }
}

fn project() -> &'static Utf8Path {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn pages() -> Vec<Page> {
    let entries = project().join("references").read_dir_utf8().unwrap();
    let mut paths: Vec<Utf8PathBuf> = entries.map(|entry| entry.unwrap().into_path()).collect();
    paths.push(project().join("README.md"));
    paths.push(project().join("skills/recap/SKILL.md"));
    let skill = project().join("skills/recap/references").read_dir_utf8().unwrap();
    paths.extend(skill.map(|entry| entry.unwrap().into_path()));
    paths.retain(|path| path.extension() == Some("md"));
    paths.sort();
    paths.into_iter().map(|path| Page { text: fs::read_to_string(&path).unwrap(), path }).collect()
}

/// Fails with everything that was found.
fn none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n  {}", found.join("\n  "));
}

#[test]
fn the_page_of_codes_is_the_table() {
    golden_file::check_generated("references/violations.md", &violations_markdown());
}

#[test]
fn links_lead_somewhere() {
    let mut found = Vec::new();
    for page in pages() {
        for target in page.prose().flat_map(links).filter(|target| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { page.path.clone() } else { page.path.with_file_name(file) };
            let text =
                if path.is_file() { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
            let there = path.exists() && (anchor.is_empty() || anchors(&text).contains(anchor));
            if !there {
                found.push(format!("{}: {target}", page.path));
            }
        }
    }
    none("links to nothing", &found);
}

/// Targets of `[text](target)`.
fn links(line: &str) -> Vec<&str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target)).collect()
}

/// What headings are called in links.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings =
        text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    headings
        .map(|heading| heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-"))
        .collect()
}

#[test]
fn commands_and_their_options_exist() {
    let mut found = Vec::new();
    for page in pages() {
        for command in commands(&page) {
            if let Err(word) = understood(&command) {
                found.push(format!("{}: `{command}`: {word}", page.path));
            }
        }
    }
    none("commands that do not exist", &found);
}

/// What begins with the name of the program: lines of fenced blocks, a `\` at the end joining the next, and code in
/// the prose.
fn commands(page: &Page) -> Vec<String> {
    let mut joined = String::new();
    for (line, fenced) in page.lines() {
        let line = if fenced { line.trim() } else { "" };
        let line = line.strip_prefix("$ ").unwrap_or(line);
        match line.strip_suffix('\\') {
            Some(begun) => joined.push_str(begun),
            None => joined.extend([line, "\n"]),
        }
    }
    let fenced: Vec<String> = joined.lines().map(str::to_owned).collect();
    // What ends in a version is no command but the domain of a hash.
    let prose = page.code().into_iter().filter(|code| !code.ends_with(" v1"));
    let all = fenced.into_iter().chain(prose);
    all.filter(|line| line.starts_with("recap ") || line.starts_with("recap-")).collect()
}

/// Goes down the subcommands and looks every long option up; what is not understood is given back.
fn understood(line: &str) -> Result<(), String> {
    let mut words =
        line.split_whitespace().take_while(|word| !word.starts_with(['#', '|', '>', '&', ';', '<']));
    let program = words.next().unwrap_or_default();
    let words = program.strip_prefix("recap-").into_iter().chain(words);
    let cli = Cli::command();
    let mut command = &cli;
    let mut below = 0;
    for word in words {
        if let Some(option) = word.strip_prefix("--") {
            let name = option.split('=').next().unwrap_or_default();
            let mut known =
                command.get_arguments().chain(cli.get_arguments()).filter_map(|own| own.get_long());
            if !["help", "version"].contains(&name) && !known.any(|own| own == name) {
                return Err(word.to_owned());
            }
        } else if let Some(next) = command.find_subcommand(word) {
            command = next;
            below += 1;
        } else if below == 0 && !word.starts_with('-') && word != "…" {
            return Err(word.to_owned());
        }
    }
    Ok(())
}

#[test]
fn schemas_that_are_named_exist() {
    let mut found = Vec::new();
    for page in pages() {
        for command in commands(&page) {
            let name = command.strip_prefix("recap schema ").and_then(|rest| rest.split_whitespace().next());
            // A word in capitals stands for any of them.
            let name = name.filter(|name| *name != "NAME" && !name.starts_with('#'));
            if name.is_some_and(|name| schemas::find(name).is_none()) {
                found.push(format!("{}: {command}", page.path));
            }
        }
        for file in page.code().iter().filter_map(|code| code.strip_prefix("schemas/")?.strip_suffix(".json"))
        {
            if file != "NAME" && schemas::find(file).is_none() {
                found.push(format!("{}: schemas/{file}.json", page.path));
            }
        }
    }
    none("schemas that do not exist", &found);
}

#[test]
fn what_looks_like_a_code_is_one() {
    let mut needed = BTreeSet::new();
    let mut found = Vec::new();
    for page in pages() {
        for word in page.code().into_iter().filter(|word| looks_like_a_code(word)) {
            match OTHERWISE.iter().find(|(own, _)| *own == word) {
                _ if is_ours(&word) => {}
                Some((own, _)) => drop(needed.insert(*own)),
                None => found.push(format!("{}: `{word}`", page.path)),
            }
        }
    }
    let idle = OTHERWISE.iter().filter(|(word, _)| !needed.contains(word));
    found.extend(idle.map(|(word, _)| format!("the row of `{word}` in this test can go")));
    none("words that look like codes", &found);
}

/// Lower-case words joined by hyphens.
fn looks_like_a_code(word: &str) -> bool {
    let lower = |part: &str| !part.is_empty() && part.bytes().all(|letter| letter.is_ascii_lowercase());
    word.contains('-') && word.split('-').all(lower)
}

/// A code, a schema, a command or the program of one.
fn is_ours(word: &str) -> bool {
    let command = word.strip_prefix("recap-").unwrap_or(word);
    Code::parse(word).is_some()
        || schemas::find(word).is_some()
        || Cli::command().find_subcommand(command).is_some()
}

#[cfg(test)]
mod tests {
    use super::understood;

    #[test]
    fn what_is_not_there_is_not_understood() {
        assert_eq!(understood("recap attempts reset M --confirm ROOT8"), Ok(()));
        assert_eq!(understood("recap-collect --session S --output M > receipt"), Ok(()));
        assert_eq!(understood("recap collect --sesion S"), Err("--sesion".to_owned()));
        assert_eq!(understood("recap colect"), Err("colect".to_owned()));
    }
}
