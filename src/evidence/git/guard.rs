//! The one way to run git in a repository. A [`Guarded`] exists only after the repository's configuration
//! was listed and found harmless, and every run has an environment built from nothing, fixed arguments and
//! every setting that names a program emptied. Known attacks stand beside what stops them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::process::Command;

use super::deadline::Deadline;
use super::layout::Layout;
use super::origin::{require_own_include, require_own_origin};
use super::process::{self, Output};
use super::program::Git;
use super::text::items;
use crate::base::limits;
use crate::base::rules::Code;

/// The whole environment, but for the programs that a configuration names.
const ENVIRONMENT: &[(&str, &str)] = &[
    // Neither the machine's nor the user's settings: the answer is the repository's own.
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    // A home that is no folder: `~` in a setting leads nowhere instead of ending the run.
    ("HOME", "/dev/null"),
    // No network, whatever a remote says.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_TERMINAL_PROMPT", "0"),
    // Read-only: the index is not refreshed on disk.
    ("GIT_OPTIONAL_LOCKS", "0"),
    // History as it is stored, not as local replacements tell it.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("LC_ALL", "C"),
];

/// Settings that win over those of the repository.
const SETTINGS: &[&str] = &[
    // Runs a program in `status`.
    "core.fsmonitor=false",
    // `post-index-change` runs when the index is written.
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    // Any file of the machine, a pipe or `/dev/zero` too; the last one is read whole into memory.
    "core.excludesFile=/dev/null",
    "diff.orderFile=/dev/null",
    // A copy of the history that git believes without looking at the commits.
    "core.commitGraph=false",
    // With more threads git reads the index by a table in it, which can differ from the order that we read it in.
    "index.threads=1",
    // Both would let a changed file pass for an unchanged one.
    "core.untrackedCache=false",
    "core.checkStat=default",
    "core.trustctime=true",
    // Its warnings would make a complete status look incomplete.
    "advice.graftFileDeprecated=false",
];

/// Keys and values that switch a program off.
type Switches = &'static [(&'static str, &'static str)];

/// What is set for each filter driver. An empty command is none.
const FILTER: Switches = &[("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];
/// What is set for each hook of a configuration, which newer versions of git have beside those of a folder.
const HOOK: Switches = &[("enabled", "false")];

/// Extensions of the repository format that were looked at for what they let a repository do. A newer git has more of
/// them, and one could lead to a place that [`Layout`] does not know of.
const EXTENSIONS: &[&[u8]] = &[
    b"noop",
    b"noop-v1",
    b"preciousobjects",
    b"objectformat",
    b"compatobjectformat",
    b"refstorage",
    b"worktreeconfig",
    b"relativeworktrees",
    b"submodulepathconfig",
];

/// A repository whose configuration was found harmless, ready for probes.
#[derive(Debug)]
pub struct Guarded<'a> {
    git: &'a Git,
    layout: &'a Layout,
    deadline: Deadline,
    /// Section and name of everything in the configuration that is a program, with what is set for it.
    programs: BTreeSet<(&'static str, OsString, Switches)>,
}

impl<'a> Guarded<'a> {
    /// Lists the configuration, with its includes, and refuses a repository that may fetch or run a
    /// transport program, or whose configuration somebody else can write; remembers the filter drivers, which would
    /// run in `status`, and the hooks.
    pub fn admit(git: &'a Git, layout: &'a Layout, deadline: Deadline) -> Result<Self, Code> {
        let mut guarded = Self { git, layout, deadline, programs: BTreeSet::new() };
        let output = guarded.run(&["config", "--list", "--includes", "--show-origin", "-z"])?;
        if output.exit != 0 {
            return Err(Code::ProbeFailed);
        }
        let items = items(&output.stdout).filter(|items| items.len().is_multiple_of(2));
        let mut origins = BTreeSet::new();
        for pair in items.ok_or(Code::ProbeFailed)?.chunks_exact(2) {
            let [origin, item] = pair else { return Err(Code::ProbeFailed) };
            if origins.insert(*origin) {
                require_own_origin(origin)?;
            }
            let setting = Setting::read(item);
            setting.refuse_network()?;
            setting.refuse_format()?;
            if matches!(setting.section, b"include" | b"includeif") && setting.key == b"path" {
                require_own_include(origin, setting.value)?;
            }
            let (section, set) = match setting.section {
                b"filter" => ("filter", FILTER),
                b"hook" => ("hook", HOOK),
                _ => continue,
            };
            guarded.programs.insert((section, OsString::from_vec(setting.name.to_vec()), set));
            if guarded.programs.len() > limits::CONFIGURED_PROGRAMS {
                return Err(Code::RepositoryUnusual);
            }
        }
        Ok(guarded)
    }

    /// Runs git with these arguments. A status other than 0 is the caller's to judge.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Output, Code> {
        process::run(self.command(arguments), self.deadline)
    }

    fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(self.git.path());
        // Git goes to the folder itself: a dead file system shall hang the program and not us, who start it.
        command.env_clear().envs(ENVIRONMENT.iter().copied()).current_dir("/");
        command.arg("-C").arg(&self.layout.root);
        command.arg(format!("--git-dir={}", self.layout.git_dir));
        if !self.layout.bare {
            // Wins over `core.worktree`, which can point at any folder.
            command.arg(format!("--work-tree={}", self.layout.root));
        }
        command.arg("--no-pager");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        self.switch_off_programs(&mut command);
        command.args(arguments);
        command
    }

    /// By environment, because in `-c` a name with `=` would be cut there.
    fn switch_off_programs(&self, command: &mut Command) {
        let mut count = 0_usize;
        for (section, name, set) in &self.programs {
            for (key, value) in *set {
                let mut full = OsString::from(section);
                full.push(".");
                full.push(name);
                full.push(".");
                full.push(key);
                command.env(format!("GIT_CONFIG_KEY_{count}"), full);
                command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
                count += 1;
            }
        }
        command.env("GIT_CONFIG_COUNT", count.to_string());
    }
}

/// One setting as `config --list -z` prints it: `section.name.key`, a line end, the value.
struct Setting<'a> {
    section: &'a [u8],
    name: &'a [u8],
    key: &'a [u8],
    value: &'a [u8],
}

impl<'a> Setting<'a> {
    fn read(item: &'a [u8]) -> Self {
        let (full, value) = cut(item, item.iter().position(|byte| *byte == b'\n'));
        let (section, rest) = cut(full, full.iter().position(|byte| *byte == b'.'));
        let (name, key) = match rest.iter().rposition(|byte| *byte == b'.') {
            Some(place) => cut(rest, Some(place)),
            None => (&b""[..], rest),
        };
        Self { section, name, key, value }
    }

    /// An extension that is not known, or one that keeps references in a place of its own.
    fn refuse_format(&self) -> Result<(), Code> {
        let known = match (self.section, self.key) {
            (b"extensions", b"refstorage") => matches!(self.value, b"files" | b"reftable"),
            (b"extensions", key) => EXTENSIONS.contains(&key),
            _ => true,
        };
        if known { Ok(()) } else { Err(Code::RepositoryUnusual) }
    }

    /// A partial clone fetches what is missing in the middle of a probe; `name::address` runs the program
    /// `git-remote-name`, and `ext::` runs anything.
    fn refuse_network(&self) -> Result<(), Code> {
        let partial = match self.section {
            b"extensions" => self.key == b"partialclone",
            b"remote" => matches!(self.key, b"promisor" | b"partialclonefilter"),
            _ => false,
        };
        if partial {
            return Err(Code::PartialClone);
        }
        let runs_program = match self.section {
            b"remote" => {
                self.key == b"vcs" || (matches!(self.key, b"url" | b"pushurl") && names_helper(self.value))
            }
            b"branch" => matches!(self.key, b"remote" | b"pushremote") && names_helper(self.value),
            b"url" => names_helper(self.name),
            _ => false,
        };
        if runs_program { Err(Code::ExternalTransport) } else { Ok(()) }
    }
}

/// Cuts around the byte at `place`; without one everything is the first part.
fn cut(bytes: &[u8], place: Option<usize>) -> (&[u8], &[u8]) {
    let (first, rest) = bytes.split_at_checked(place.unwrap_or(bytes.len())).unwrap_or((bytes, b""));
    (first, rest.get(1..).unwrap_or_default())
}

/// `helper::address`, by git's own rule: letters and digits and then two colons.
fn names_helper(address: &[u8]) -> bool {
    let helper =
        address.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(byte)).count();
    helper > 0 && address.get(helper..).is_some_and(|rest| rest.starts_with(b"::"))
}

#[cfg(test)]
mod tests {
    use super::Setting;
    use crate::base::rules::Code;

    fn refusal(item: &str) -> Option<Code> {
        Setting::read(item.as_bytes()).refuse_network().err()
    }

    #[test]
    fn a_setting_is_cut_at_its_first_and_last_dot() {
        let setting = Setting::read(b"filter.a.b=c.clean\nrun me\nnow");
        assert_eq!((setting.section, setting.name), (&b"filter"[..], &b"a.b=c"[..]));
        assert_eq!((setting.key, setting.value), (&b"clean"[..], &b"run me\nnow"[..]));
        let bare = Setting::read(b"core.bare");
        assert_eq!((bare.name, bare.key, bare.value), (&b""[..], &b"bare"[..], &b""[..]));
    }

    #[test]
    fn lazy_fetching_and_transport_programs_are_refused() {
        assert_eq!(refusal("extensions.partialclone\norigin"), Some(Code::PartialClone));
        assert_eq!(refusal("remote.origin.promisor\ntrue"), Some(Code::PartialClone));
        assert_eq!(refusal("remote.origin.url\next::sh -c x"), Some(Code::ExternalTransport));
        assert_eq!(refusal("remote.origin.pushurl\nfd::7"), Some(Code::ExternalTransport));
        assert_eq!(refusal("remote.origin.vcs\nhg"), Some(Code::ExternalTransport));
        assert_eq!(refusal("branch.main.remote\next::sh"), Some(Code::ExternalTransport));
        assert_eq!(refusal("url.ext::sh .insteadof\nhttps://"), Some(Code::ExternalTransport));
    }

    #[test]
    fn an_extension_that_nobody_looked_at_is_refused() {
        let refusal = |item: &str| Setting::read(item.as_bytes()).refuse_format().err();
        for item in ["extensions.objectformat\nsha256", "extensions.refstorage\nreftable", "core.bare\nfalse"]
        {
            assert_eq!(refusal(item), None, "{item}");
        }
        for item in
            ["extensions.refstorage\nfiles:///elsewhere", "extensions.new\ntrue", "extensions.refstorage"]
        {
            assert_eq!(refusal(item), Some(Code::RepositoryUnusual), "{item}");
        }
    }

    #[test]
    fn ordinary_remotes_are_taken() {
        for url in ["https://example.org/a::b", "git@example.org:a/b", "ssh://[::1]/a", "/srv/a", "::a"] {
            assert_eq!(refusal(&format!("remote.origin.url\n{url}")), None, "{url}");
        }
    }
}
