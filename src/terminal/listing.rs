//! Lists of sessions: as a person, a program or anybody else may read them, and what `recap` alone says.

use std::io::IsTerminal as _;

use camino::Utf8PathBuf;

use super::args::{HarnessName, SessionsArgs};
use super::output::Output;
use crate::base::ids::Harness;
use crate::base::rules::Code;
use crate::base::{Refusal, Result};
use crate::stage::World;
use crate::stage::sessions::{Ask, sessions};
use crate::stage::sessions_text::{for_a_person, for_a_program, for_anybody};

/// Sessions that `recap` alone lists.
const WELCOME: usize = 5;

/// The list that was asked for. Where nothing fits, it still says what was searched.
///
/// # Errors
/// `usage` for a time before all times; what [`sessions`] refuses.
pub(super) fn listing(world: &World<'_>, args: &SessionsArgs) -> Result<Output> {
    let since = match args.since {
        None => None,
        Some(since) => {
            Some(since.before(world.clock.now()).ok_or_else(|| Refusal::new(Code::Usage).at("--since"))?)
        }
    };
    let ask = Ask {
        harness: args.harness.map(|name| match name {
            HarnessName::Claude => Harness::Claude,
            HarnessName::Codex => Harness::Codex,
        }),
        work_directory: args.cwd.clone(),
        branch: args.branch.clone(),
        since,
        limit: (!args.all).then_some(args.limit),
    };
    let listing = sessions(world, &ask)?;
    let text = if args.json {
        for_a_program(&listing)?
    } else if std::io::stdout().is_terminal() {
        for_a_person(&listing)
    } else {
        for_anybody(&listing)
    };
    if listing.matched > 0 {
        return Ok(Output::Text(text));
    }
    let refusal = Refusal::new(Code::SessionNotFound);
    Ok(Output::Nothing(text, refusal.hint("ask for less, or see above what was searched")))
}

/// What `recap` alone says to a person: the newest sessions of this working directory, and what to type next.
///
/// # Errors
/// What [`sessions`] refuses.
pub(super) fn welcome(world: &World<'_>) -> Result<String> {
    let here = Some(Utf8PathBuf::from("."));
    let listing = sessions(world, &Ask { work_directory: here, limit: Some(WELCOME), ..Ask::default() })?;
    let Some(newest) = listing.sessions.first() else {
        return Ok("No session of this working directory.\n\n\
                   recap sessions    lists those of all directories\n\
                   recap demo        shows the whole pipeline on a bundled session\n\
                   recap --help      lists the commands\n"
            .to_owned());
    };
    let next = format!(
        "\nrecap collect --session {}\n\nrecap sessions    lists those of all directories\n\
         recap --help      lists the commands\n",
        newest.boundary
    );
    Ok(for_a_person(&listing) + &next)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use camino::{Utf8Path, Utf8PathBuf};

    use super::{World, welcome};
    use crate::base::clock::SystemClock;

    const ID: &str = "2d2e2f20-1111-4222-8333-444455556666";

    fn said(home: &Utf8Path, working_directory: &Utf8Path) -> String {
        let clock = SystemClock::default();
        let world = World {
            clock: &clock,
            environment: BTreeMap::from([("HOME".to_owned(), home.to_string())]),
            working_directory: working_directory.to_owned(),
            interrupted: Arc::default(),
            terminal: true,
        };
        welcome(&world).unwrap()
    }

    #[test]
    fn the_program_alone_says_what_to_type_next() {
        let keep = tempfile::tempdir().unwrap();
        let home = Utf8PathBuf::from_path_buf(keep.path().canonicalize().unwrap()).unwrap();
        let (here, elsewhere) = (home.join("tide"), home.join("other"));
        std::fs::create_dir_all(home.join(".claude/projects/-tide")).unwrap();
        std::fs::create_dir_all(&elsewhere).unwrap();
        let row = format!(
            "{{\"type\":\"user\",\"sessionId\":\"{ID}\",\"cwd\":\"{here}/src\",\"message\":{{\"content\":\"x\"}}}}\n"
        );
        std::fs::write(home.join(format!(".claude/projects/-tide/{ID}.jsonl")), row).unwrap();
        let text = said(&home, &here);
        let (before, next) = text.split_once("recap collect --session ").unwrap();
        assert!(before.starts_with(next.lines().next().unwrap()), "{text}");
        assert!(said(&home, &elsewhere).starts_with("No session of this working directory."));
    }
}
