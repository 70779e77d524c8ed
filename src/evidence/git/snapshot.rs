//! The state of one repository at one time. Every list is bounded; what is `None` could not be learnt and
//! has a code in `limitations`. It is labelled so that no one takes it for what a session did.

use serde::{Deserialize, Serialize};

use crate::base::rules::Code;

/// What a snapshot may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Label {
    /// The state at the time of the probe, and nothing else.
    #[serde(rename = "verified_now_only")]
    VerifiedNowOnly,
}

/// What read-only probes showed of one repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// `repo-N`: how drafts cite the repository.
    pub repository: String,
    /// Always the same.
    pub label: Label,
    /// When the probes began, RFC 3339, UTC.
    pub probed_at: String,
    /// The top folder; of a bare repository its own folder.
    pub root: String,
    /// What belongs to this work tree alone.
    pub git_dir: String,
    /// What all work trees share.
    pub common_dir: String,
    /// `sha1` or `sha256`.
    pub object_format: String,
    /// The commit that is checked out.
    pub head: Option<String>,
    /// The short name of the branch that is checked out.
    pub branch: Option<String>,
    /// The full name of the branch's upstream, also when it is gone.
    pub upstream: Option<String>,
    /// Commits that the upstream does not have.
    pub ahead: Option<u64>,
    /// Commits that only the upstream has.
    pub behind: Option<u64>,
    /// The best common ancestor of HEAD and the upstream.
    pub merge_base: Option<String>,
    /// The work tree and the index.
    pub status: Option<Status>,
    /// Branches, tags and all other references, by name.
    pub refs: Option<Listing<Reference>>,
    /// The newest commits of HEAD.
    pub recent_commits: Option<Vec<Commit>>,
    /// The newest movements of HEAD.
    pub reflog: Option<Vec<Reflog>>,
    /// The main work tree and the linked ones.
    pub worktrees: Option<Listing<Worktree>>,
    /// Entries of the stash.
    pub stashes: Option<u64>,
    /// Texts that were not UTF-8 and are shown with `\xNN`.
    pub damaged_texts: u64,
    /// What could not be learnt, each code once, in the order of the table.
    pub limitations: Vec<Code>,
}

#[cfg(test)]
impl Snapshot {
    /// A snapshot of which nothing is known, for tests to fill.
    pub(crate) fn unknown(repository: &str) -> Self {
        Self {
            repository: repository.to_owned(),
            label: Label::VerifiedNowOnly,
            probed_at: "2026-12-01T00:10:00Z".to_owned(),
            root: "/w".to_owned(),
            git_dir: "/w/.git".to_owned(),
            common_dir: "/w/.git".to_owned(),
            object_format: "sha1".to_owned(),
            head: None,
            branch: None,
            upstream: None,
            ahead: None,
            behind: None,
            merge_base: None,
            status: None,
            refs: None,
            recent_commits: None,
            reflog: None,
            worktrees: None,
            stashes: None,
            damaged_texts: 0,
            limitations: Vec::new(),
        }
    }
}

/// Changed paths. Untracked files count, ignored ones do not; an untracked folder is one path with `/`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Everything was looked at and nothing was hidden from git.
    pub complete: bool,
    /// Nothing is changed; only ever true of a complete status.
    pub clean: bool,
    /// Paths relative to the root, both names of a renamed file, in the order of git.
    pub changed_paths: Vec<String>,
    /// Changed paths that are not listed.
    pub omitted: u64,
}

/// The first rows of a list and how many more there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing<T> {
    /// What is listed.
    pub rows: Vec<T>,
    /// How many are not.
    pub omitted: u64,
}

/// A reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The full name.
    pub name: String,
    /// What it points to.
    pub oid: String,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// Its id.
    pub oid: String,
    /// The time that its committer wrote, RFC 3339; absent when that is no time.
    pub time: Option<String>,
    /// The first line of its message.
    pub subject: String,
}

/// A movement of HEAD.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reflog {
    /// Where it moved to.
    pub oid: String,
    /// What git or its caller wrote as the reason.
    pub action: String,
}

/// A work tree of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worktree {
    /// Its folder.
    pub path: String,
    /// The commit that is checked out there.
    pub head: Option<String>,
    /// The full name of the branch that is checked out there.
    pub branch: Option<String>,
    /// Its folder is gone.
    pub missing: bool,
}

impl Snapshot {
    /// Runs `change` over every text that comes from the repository or its place: everything but ids,
    /// numbers and our own words. The caller scrubs with it before anything is written.
    #[must_use]
    pub fn map_text(mut self, change: &mut dyn FnMut(String) -> String) -> Self {
        let mut each = |text: &mut String| *text = change(std::mem::take(text));
        [&mut self.root, &mut self.git_dir, &mut self.common_dir].into_iter().for_each(&mut each);
        [&mut self.branch, &mut self.upstream].into_iter().flatten().for_each(&mut each);
        self.status.iter_mut().flat_map(|status| &mut status.changed_paths).for_each(&mut each);
        self.refs.iter_mut().flat_map(|listing| &mut listing.rows).for_each(|row| each(&mut row.name));
        self.recent_commits.iter_mut().flatten().for_each(|commit| each(&mut commit.subject));
        self.reflog.iter_mut().flatten().for_each(|entry| each(&mut entry.action));
        for worktree in self.worktrees.iter_mut().flat_map(|listing| &mut listing.rows) {
            each(&mut worktree.path);
            worktree.branch.iter_mut().for_each(&mut each);
        }
        self
    }
}
