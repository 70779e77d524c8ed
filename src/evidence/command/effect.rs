//! Commands whose effect leaves this machine, or was to. A small table: a program that is not here may have
//! effects, too, and a request to this machine's own address is none.

use super::vcs::Git;
use super::word::{Form, Word};
use super::wrapper::program_name;

/// Program, the words that must follow in this order, the effect.
type Row = (&'static str, &'static [&'static str], &'static str);

/// Options may stand between the words.
const ROWS: &[Row] = &[
    ("gh", &["pr", "create"], "pull_request"),
    ("gh", &["pr", "merge"], "pull_request"),
    ("gh", &["pr", "comment"], "pull_request"),
    ("gh", &["pr", "review"], "pull_request"),
    ("gh", &["pr", "close"], "pull_request"),
    ("gh", &["pr", "reopen"], "pull_request"),
    ("gh", &["pr", "edit"], "pull_request"),
    ("gh", &["pr", "ready"], "pull_request"),
    ("gh", &["issue", "create"], "ticket"),
    ("gh", &["issue", "comment"], "ticket"),
    ("gh", &["issue", "close"], "ticket"),
    ("gh", &["issue", "reopen"], "ticket"),
    ("gh", &["issue", "edit"], "ticket"),
    ("gh", &["issue", "delete"], "ticket"),
    ("gh", &["release", "create"], "publish"),
    ("gh", &["release", "upload"], "publish"),
    ("gh", &["release", "edit"], "publish"),
    ("gh", &["release", "delete"], "publish"),
    ("gh", &["workflow", "run"], "deploy"),
    ("gh", &["repo", "create"], "publish"),
    ("glab", &["mr", "create"], "pull_request"),
    ("glab", &["mr", "merge"], "pull_request"),
    ("glab", &["issue", "create"], "ticket"),
    ("npm", &["publish"], "publish"),
    ("pnpm", &["publish"], "publish"),
    ("yarn", &["publish"], "publish"),
    ("yarn", &["npm", "publish"], "publish"),
    ("bun", &["publish"], "publish"),
    ("cargo", &["publish"], "publish"),
    ("twine", &["upload"], "publish"),
    ("poetry", &["publish"], "publish"),
    ("uv", &["publish"], "publish"),
    ("gem", &["push"], "publish"),
    ("dotnet", &["nuget", "push"], "publish"),
    ("mvn", &["deploy"], "publish"),
    ("docker", &["push"], "publish"),
    ("podman", &["push"], "publish"),
    ("helm", &["push"], "publish"),
    ("kubectl", &["apply"], "deploy"),
    ("kubectl", &["create"], "deploy"),
    ("kubectl", &["delete"], "deploy"),
    ("kubectl", &["patch"], "deploy"),
    ("kubectl", &["replace"], "deploy"),
    ("kubectl", &["scale"], "deploy"),
    ("kubectl", &["set"], "deploy"),
    ("kubectl", &["rollout", "restart"], "deploy"),
    ("kubectl", &["rollout", "undo"], "deploy"),
    ("helm", &["install"], "deploy"),
    ("helm", &["upgrade"], "deploy"),
    ("helm", &["uninstall"], "deploy"),
    ("helm", &["rollback"], "deploy"),
    ("terraform", &["apply"], "deploy"),
    ("terraform", &["destroy"], "deploy"),
    ("tofu", &["apply"], "deploy"),
    ("tofu", &["destroy"], "deploy"),
    ("pulumi", &["up"], "deploy"),
    ("pulumi", &["destroy"], "deploy"),
    ("fly", &["deploy"], "deploy"),
    ("flyctl", &["deploy"], "deploy"),
    ("vercel", &["deploy"], "deploy"),
    ("netlify", &["deploy"], "deploy"),
    ("wrangler", &["deploy"], "deploy"),
    ("gcloud", &["run", "deploy"], "deploy"),
    ("gcloud", &["app", "deploy"], "deploy"),
];

/// Options that make it a rehearsal.
const REHEARSING: &[&str] =
    &["--dry-run", "--dry-run=client", "--dry-run=server", "--help", "-h", "--check", "--preview"];

/// The effect of a command, if it is in the table.
pub fn effect(argv: &[Word], git: Option<&Git>) -> Option<&'static str> {
    if let Some(git) = git {
        return (git.verb == "push" && git.mutating).then_some("push");
    }
    let (program, words) = argv.split_first()?;
    let name = program_name(program.plain()?);
    if words.iter().any(|word| REHEARSING.contains(&word.text.as_str())) {
        return None;
    }
    let operands = operands(words);
    if let Some((_, _, effect)) =
        ROWS.iter().find(|(own, wanted, _)| *own == name && operands.starts_with(wanted))
    {
        return Some(effect);
    }
    match name {
        "curl" => curl(words).then_some("http_write"),
        "wget" => {
            let writes =
                words.iter().any(|word| word.text.starts_with("--post-") || word.text.starts_with("--body-"));
            (writes && !words.iter().any(is_local)).then_some("http_write")
        }
        "gh" => {
            let writes =
                operands.first() == Some(&"api") && method(words).is_some_and(|method| method != "GET");
            writes.then_some("http_write")
        }
        "scp" | "rsync" => operands.last().is_some_and(|target| names_host(target)).then_some("upload"),
        "aws" | "gsutil" => {
            let copies = operands.iter().any(|word| matches!(*word, "cp" | "sync" | "mv"));
            let to_bucket = operands
                .last()
                .is_some_and(|target| target.starts_with("s3://") || target.starts_with("gs://"));
            (copies && to_bucket).then_some("upload")
        }
        _ => None,
    }
}

/// Options before a verb that take the next word.
const VALUED: &[&str] = &[
    "-n",
    "--namespace",
    "--context",
    "--kubeconfig",
    "-C",
    "--prefix",
    "-R",
    "--repo",
    "--profile",
    "--region",
    "--project",
    "--manifest-path",
    "--filter",
    "--cwd",
    "--dir",
];

/// The words that are neither options nor, as far as the table above goes, their values.
fn operands(words: &[Word]) -> Vec<&str> {
    let mut operands = Vec::new();
    let mut words = words.iter().map(|word| word.text.as_str());
    while let Some(text) = words.next() {
        if VALUED.contains(&text) {
            words.next();
        } else if !text.starts_with('-') {
            operands.push(text);
        }
    }
    operands
}

/// `-X POST`, `-XPOST`, `--request=POST`, `--method POST`.
fn method(words: &[Word]) -> Option<String> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if matches!(text, "-X" | "--request" | "--method") {
            return words.next().and_then(Word::plain).map(str::to_ascii_uppercase);
        }
        let joined = ["--request=", "--method=", "-X"].iter().find_map(|start| text.strip_prefix(start));
        if let Some(method) = joined {
            return Some(method.to_ascii_uppercase());
        }
    }
    None
}

/// A request that carries data or names a writing method, to another machine.
fn curl(words: &[Word]) -> bool {
    let text = |word: &Word| word.text.clone();
    let data = words.iter().map(text).any(|text| {
        ["--data", "--form", "--json", "--upload-file"].iter().any(|start| text.starts_with(start))
            || ["-d", "-F", "-T"].iter().any(|start| text.starts_with(start))
    });
    let reading = words.iter().any(|word| matches!(word.text.as_str(), "-G" | "--get" | "-I" | "--head"));
    let writes = match method(words).as_deref() {
        Some("GET" | "HEAD" | "OPTIONS") => false,
        Some(_) => true,
        None => data && !reading,
    };
    writes && !words.iter().any(is_local)
}

/// An address of this machine.
fn is_local(word: &Word) -> bool {
    if word.form == Form::Expanded && word.text.starts_with('$') {
        return false;
    }
    let rest = word.text.split_once("://").map_or(word.text.as_str(), |(_, rest)| rest);
    let host = rest.split(['/', '?']).next().unwrap_or(rest);
    let host = host.strip_prefix('[').map_or_else(
        || host.split(':').next().unwrap_or(host),
        |inside| inside.split(']').next().unwrap_or(inside),
    );
    host == "localhost"
        || host == "::1"
        || host == "0.0.0.0"
        || (host.starts_with("127.") && host.split('.').count() == 4)
}

/// `host:path`, `user@host:path`, `rsync://…`; no path of this machine, no drive letter.
fn names_host(target: &str) -> bool {
    let Some((host, _)) = target.split_once(':') else { return false };
    host.len() > 1 && !host.contains('/')
}

#[cfg(test)]
mod tests {
    use super::effect;
    use crate::evidence::command::vcs::git;
    use crate::evidence::command::word::Word;

    #[test]
    fn effects_are_told_from_rehearsals_and_local_requests() {
        for (text, expected) in [
            ("git push origin main", Some("push")),
            ("git push --dry-run", None),
            ("gh pr create --fill", Some("pull_request")),
            ("gh pr view 1", None),
            ("gh issue comment 3 -b x", Some("ticket")),
            ("gh api repos/x -X POST", Some("http_write")),
            ("gh api repos/x", None),
            ("npm publish --access public", Some("publish")),
            ("cargo publish --dry-run", None),
            ("docker push x", Some("publish")),
            ("kubectl -n x apply -f y", Some("deploy")),
            ("kubectl apply -f y", Some("deploy")),
            ("terraform apply -auto-approve", Some("deploy")),
            ("curl -X POST https://x.example/y", Some("http_write")),
            ("curl -XDELETE $API/y", Some("http_write")),
            ("curl -s -d a=b https://x.example", Some("http_write")),
            ("curl -G -d a=b https://x.example", None),
            ("curl -X POST http://localhost:3000/y", None),
            ("curl -d x http://127.0.0.1:8080", None),
            ("curl -d x http://[::1]:8080/", None),
            ("curl https://x.example", None),
            ("scp a me@host:b", Some("upload")),
            ("scp me@host:b a", None),
            ("rsync -a a/ b/", None),
            ("aws s3 cp a s3://b", Some("upload")),
            ("aws s3 cp s3://b a", None),
            ("echo git push", None),
        ] {
            let words: Vec<Word> = text.split(' ').map(Word::resolve).collect();
            assert_eq!(effect(&words, git(&words).as_ref()), expected, "{text}");
        }
    }
}
