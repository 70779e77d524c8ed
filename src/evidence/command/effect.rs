//! Commands whose effect leaves this machine, or was to. A small table: a program that is not here may have
//! effects, too, and a request to this machine's own address is none.

use super::outside::{ACTIONS, LOOKING, MESSAGING, ROWS, SERVICES, VERBS};
use super::request::{curl, delivered, gh_api, httpie, wget};
use super::runner::subject;
use super::shell::member::{Host, Member};
use super::shell::walk::of_script;
use super::shell::word::Word;
use super::shell::wrapper::over_ssh;
use super::vcs::Git;

/// Options that make it a rehearsal.
const REHEARSING: &[&str] = &[
    "--dry-run",
    "--dry-run=client",
    "--dry-run=server",
    "--dryrun",
    "--help",
    "-h",
    "--version",
    "--check",
    "--preview",
    "--local",
    "--snapshot",
    "--noop",
    "--syntax-check",
    "--list-tasks",
    "--list-hosts",
];

/// The effect of a command, if it is known.
pub fn effect(member: &Member, git: Option<&Git>) -> Option<&'static str> {
    let known = match git {
        Some(git) => of_git(git),
        None => of_program(&member.argv),
    };
    known.or_else(|| (member.host == Host::Remote && !looks(member)).then_some("remote_command"))
}

fn of_program(argv: &[Word]) -> Option<&'static str> {
    let (name, words) = subject(argv)?;
    if words.iter().any(|word| REHEARSING.contains(&word.text.as_str())) {
        return None;
    }
    let operands = operands(words);
    let row = ROWS.iter().find(|(own, wanted, _)| *own == name && operands.starts_with(wanted));
    if let Some((_, _, effect)) = row {
        return Some(effect);
    }
    let first = operands.first().copied().unwrap_or_default();
    match name {
        "curl" => curl(words).then(|| delivered(words)),
        "wget" => wget(words).then_some("http_write"),
        "http" | "https" | "xh" | "xhs" => httpie(words).then(|| delivered(words)),
        "gh" | "glab" if first == "api" => gh_api(words).then_some("http_write"),
        "scp" | "rsync" | "rclone" => {
            operands.last().is_some_and(|target| names_host(target)).then_some("upload")
        }
        "aws" | "gsutil" if operands.iter().take(2).any(|word| matches!(*word, "cp" | "sync" | "mv")) => {
            to_bucket(&operands).then_some("upload")
        }
        "aws" | "az" | "gcloud" => cloud(name, &operands),
        "vercel" => {
            let deploys = ["deploy", "promote", "rollback", "redeploy", "alias"].contains(&first);
            (deploys || first.is_empty() || matches!((first, operands.get(1)), ("env", Some(&"add" | &"rm"))))
                .then_some("deploy")
        }
        "cargo" if first == "release" => {
            words.iter().any(|word| word.text == "--execute").then_some("publish")
        }
        "ssh" => ssh(argv).then_some("remote_command"),
        "mail" | "mailx" | "mutt" | "sendmail" | "msmtp" | "swaks" => {
            operands.iter().any(|word| word.contains('@')).then_some("message")
        }
        "npm" | "pnpm" | "yarn" | "bun" | "make" | "just" | "task" | "fastlane" => script(&operands),
        _ => None,
    }
}

fn of_git(git: &Git) -> Option<&'static str> {
    let first = git.argv.first().map_or("", |word| word.text.as_str());
    match (git.verb.as_str(), first) {
        ("push", _) if git.mutating => Some("push"),
        ("lfs", "push") | ("svn", "dcommit") => Some("push"),
        ("send-email", _) if !git.argv.iter().any(|word| word.text == "--dry-run") => Some("message"),
        _ => None,
    }
}

/// A script of the project that is called so.
fn script(operands: &[&str]) -> Option<&'static str> {
    let name = operands.iter().find(|word| !matches!(**word, "run" | "run-script"))?;
    let mut parts = name.split([':', '-', '_']);
    let effect = match parts.next()? {
        "deploy" => "deploy",
        "publish" | "release" => "publish",
        _ => return None,
    };
    let rehearses = |part: &str| matches!(part, "dry" | "check" | "test" | "build" | "notes" | "local");
    (!parts.any(rehearses)).then_some(effect)
}

/// The action among the first words of a cloud's command line.
fn cloud(name: &str, operands: &[&str]) -> Option<&'static str> {
    const MESSAGES: &[&str] = &["send-email", "send-message", "send-raw-email"];
    const OWN: &[&str] = &["configure", "config", "auth", "login", "components", "cloud"];
    if operands.first().is_none_or(|first| OWN.contains(first)) {
        return None;
    }
    // Behind the groups of a service stand names, which may look like an action.
    let depth = if name == "aws" { 2 } else { 5 };
    let is_action = |word: &&&str| {
        ACTIONS.iter().any(|action| {
            word.strip_prefix(action).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
    };
    let action = operands.iter().take(depth).skip(1).find(is_action)?;
    let has = |word: &str| operands.contains(&word);
    Some(if MESSAGES.contains(action) || (has("sns") && *action == "publish") {
        "message"
    } else if has("storage") && action.starts_with("upload") {
        "upload"
    } else if has("repos") && has("pr") {
        "pull_request"
    } else if has("boards") {
        "ticket"
    } else {
        "deploy"
    })
}

fn to_bucket(operands: &[&str]) -> bool {
    operands.last().is_some_and(|target| target.starts_with("s3://") || target.starts_with("gs://"))
}

/// A command for another machine, with words that are not all known, that does more than look. Without a command a
/// forge answers who is there and runs nothing.
fn ssh(argv: &[Word]) -> bool {
    let Some(command) = over_ssh(argv) else { return false };
    let text = command.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    of_script(&text, None).is_none_or(|members| members.incomplete || !members.list.iter().all(looks))
}

/// It changes nothing where it runs.
fn looks(member: &Member) -> bool {
    let verb = member.argv.get(1).and_then(Word::plain).unwrap_or_default();
    let only_reads = match member.program() {
        None => member.argv.is_empty(),
        Some("systemctl") => matches!(verb, "status" | "is-active" | "show" | "cat"),
        Some("docker" | "podman") => matches!(verb, "ps" | "logs" | "images" | "inspect" | "stats"),
        Some("git") => matches!(verb, "status" | "log" | "diff" | "rev-parse" | "show"),
        Some(program) => LOOKING.contains(&program),
    };
    only_reads && member.redirections.written.is_empty()
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

/// The effect of a tool of another server, as far as server and tool are called so that it is plain: a verb that
/// changes something, of a service that others see.
pub fn of_tool(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let inside = lower.strip_prefix("mcp__").unwrap_or(&lower);
    let (server, tool) = inside.rsplit_once("__").or_else(|| inside.rsplit_once('.'))?;
    let services = SERVICES.iter().chain(MESSAGING);
    let service = services.clone().find(|service| server.contains(**service))?;
    let mut parts = tool.split(['_', '-']).filter(|part| part != service);
    let verb = parts.next().filter(|verb| VERBS.contains(verb))?;
    let rest: Vec<&str> = parts.collect();
    let about = |nouns: &[&str]| rest.iter().any(|part| nouns.contains(&part.trim_end_matches('s')));
    let requests = rest.windows(2).any(|pair| matches!(pair, ["pull" | "merge", "request" | "requests"]));
    let says = MESSAGING.contains(service) && matches!(verb, "send" | "post" | "reply");
    Some(if requests || about(&["pr", "mr"]) {
        "pull_request"
    } else if says || about(&["message", "email", "mail", "dm"]) {
        "message"
    } else if about(&["issue", "ticket", "task", "card", "incident", "comment"]) {
        "ticket"
    } else if verb == "push" {
        "push"
    } else {
        "http_write"
    })
}

/// `host:path`, `user@host:path`, `rsync://…`; no path of this machine, no drive letter.
fn names_host(target: &str) -> bool {
    let Some((host, _)) = target.split_once(':') else { return false };
    host.len() > 1 && !host.contains('/')
}

#[cfg(test)]
mod tests {
    use super::{effect, of_tool};
    use crate::evidence::command::shell::walk::of_script;
    use crate::evidence::command::vcs::git;

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
            ("git lfs push origin main", Some("push")),
            ("git lfs pull", None),
            ("git send-email --dry-run a.patch", None),
            ("git send-email a.patch", Some("message")),
            ("gh api repos/x/issues -f title=x", Some("http_write")),
            ("gh api graphql -f query={viewer{login}}", None),
            ("gh api graphql -f query=mutation{x}", Some("http_write")),
            ("gh run list", None),
            ("gh secret set X", Some("http_write")),
            ("glab mr note 3 -m x", Some("pull_request")),
            ("glab mr list", None),
            ("python -m twine upload dist/a", Some("publish")),
            ("cargo release patch", None),
            ("cargo release patch --execute", Some("publish")),
            ("goreleaser release --snapshot", None),
            ("npm version patch", None),
            ("npm run deploy", Some("deploy")),
            ("npm run release:dry", None),
            ("make release-notes", None),
            ("make publish", Some("publish")),
            ("az webapp up -n x", Some("deploy")),
            ("az group list", None),
            ("az repos pr create --title x", Some("pull_request")),
            ("az storage blob upload -f a", Some("upload")),
            ("az login", None),
            ("gcloud run deploy x", Some("deploy")),
            ("gcloud builds submit", Some("deploy")),
            ("gcloud config set project x", None),
            ("gcloud compute instances list", None),
            ("aws lambda invoke --function-name x out.json", Some("deploy")),
            ("aws cloudformation create-stack --stack-name x", Some("deploy")),
            ("aws cloudformation describe-stacks", None),
            ("aws sns publish --message x", Some("message")),
            ("aws s3 rm s3://b/a", None),
            ("aws configure set region x", None),
            ("heroku config:set A=b", Some("deploy")),
            ("heroku logs", None),
            ("railway up", Some("deploy")),
            ("railway status", None),
            ("vercel --prod", Some("deploy")),
            ("vercel dev", None),
            ("vercel env pull", None),
            ("netlify deploy --prod", Some("deploy")),
            ("netlify dev", None),
            ("firebase deploy", Some("deploy")),
            ("firebase emulators:start", None),
            ("wrangler pages deploy dist", Some("deploy")),
            ("wrangler dev", None),
            ("cdk deploy", Some("deploy")),
            ("cdk synth", None),
            ("sls deploy", Some("deploy")),
            ("sls offline", None),
            ("ansible-playbook site.yml", Some("deploy")),
            ("ansible-playbook --check site.yml", None),
            ("terraform plan", None),
            ("ssh host uptime", None),
            ("ssh -i key host sudo systemctl restart x", Some("remote_command")),
            ("ssh host systemctl status x", None),
            ("ssh host 'cd /srv && git pull && cargo test'", Some("remote_command")),
            ("ssh host 'ps aux | grep x'", None),
            ("ssh host 'echo x > y'", Some("remote_command")),
            ("ssh host \"systemctl restart $X\"", Some("remote_command")),
            ("ssh host \"systemctl status $X\"", None),
            ("ssh host \"$X\"", Some("remote_command")),
            ("ssh -N -L 1:a:1 host", None),
            ("ssh -T git@github.com", None),
            ("mail -s x me@x.example", Some("message")),
            ("curl -d x https://hooks.slack.com/services/a", Some("message")),
            ("curl https://hooks.slack.com/services/a", None),
            ("http POST https://x.example a=b", Some("http_write")),
            ("http https://x.example a==b", None),
            ("http :3000 a=b", None),
            ("wget --method=DELETE https://x.example", Some("http_write")),
            ("rclone copy a remote:b", Some("upload")),
            ("jira issue create", Some("ticket")),
            ("kubectl get pods", None),
            ("docker build .", None),
        ] {
            // As a session's script, so that wrappers are off as they are there.
            let members = of_script(text, None).unwrap();
            let found = members.list.iter().find_map(|member| effect(member, git(&member.argv).as_ref()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn tools_of_other_servers_have_effects_only_where_their_names_say_so() {
        for (name, expected) in [
            ("mcp__github__create_pull_request", Some("pull_request")),
            ("mcp__github__add_issue_comment", Some("ticket")),
            ("mcp__github__push_files", Some("push")),
            ("mcp__github__get_issue", None),
            ("mcp__github__list_pull_requests", None),
            ("mcp__claude_ai_Slack__slack_send_message", Some("message")),
            ("slack.post_message", Some("message")),
            ("mcp__linear__create_issue", Some("ticket")),
            ("mcp__notion__update_page", Some("http_write")),
            ("mcp__memory__create_entities", None),
            ("mcp__filesystem__write_file", None),
            ("Bash", None),
        ] {
            assert_eq!(of_tool(name), expected, "{name}");
        }
    }
}
