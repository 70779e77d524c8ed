//! What no file of the project speaks of: the machine that it was written on, and how the writing went.

use std::fs;
use std::process::Command;

use crate::tidy::tree::project;

/// One thing that is not spoken of, in two pieces, so that this list does not find itself.
struct Unspoken {
    pieces: [&'static str; 2],
    /// A line that also holds this speaks of something else, and of what.
    unless: Option<(&'static str, &'static str)>,
}

const UNSPOKEN: [Unspoken; 8] = [
    Unspoken { pieces: ["/wo", "rk/"], unless: None },
    Unspoken {
        pieces: ["/ro", "ot/"],
        unless: Some(("agent", "Codex names its agents by paths from a root agent")),
    },
    Unspoken { pieces: ["/tmp", "/wt"], unless: None },
    Unspoken { pieces: ["bash", "_jobs"], unless: None },
    Unspoken { pieces: ["COMMON", ".md"], unless: None },
    Unspoken { pieces: ["other ", "helpers"], unless: None },
    Unspoken { pieces: ["my ", "worktree"], unless: None },
    Unspoken { pieces: ["the ", "brief says"], unless: None },
];

/// Lines of tracked text files that speak of it.
pub fn spoken() -> Vec<String> {
    let mut found = Vec::new();
    for file in tracked() {
        let Ok(text) = fs::read_to_string(project().join(&file)) else { continue };
        for (line, number) in text.lines().zip(1..) {
            found.extend(spoken_in(line).map(|phrase| format!("{file}:{number}: {phrase}")));
        }
    }
    found
}

fn spoken_in(line: &str) -> impl Iterator<Item = String> {
    UNSPOKEN.iter().filter_map(move |unspoken| {
        let phrase = unspoken.pieces.concat();
        let meant = unspoken.unless.is_some_and(|(word, _)| line.contains(word));
        (line.contains(&phrase) && !meant).then_some(phrase)
    })
}

/// The files that git knows. Outside a checkout there are none, and the test says so.
fn tracked() -> Vec<String> {
    let listing = Command::new("git").arg("-C").arg(project()).args(["ls-files", "-z"]).output();
    let listed =
        listing.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let files: Vec<String> = listed.split('\0').filter(|file| !file.is_empty()).map(str::to_owned).collect();
    if files.is_empty() {
        println!("not a checkout: nothing was looked through for words");
    }
    files
}

#[cfg(test)]
mod tests {
    use super::spoken_in;

    #[test]
    fn a_home_is_spoken_of_and_an_agent_is_not() {
        let home = format!("see {}{}notes", "/ro", "ot/");
        assert_eq!(spoken_in(&home).count(), 1);
        assert_eq!(spoken_in(&format!("{{\"agent_path\":\"{}{}w\"}}", "/ro", "ot/")).count(), 0);
    }
}
