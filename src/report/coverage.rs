//! What a recap says about itself before it says anything else: whether the evidence is whole, which session,
//! what became of every record, what is missing, what was verified when. Facts of the manifest, never of a draft.

use std::collections::BTreeMap;

use super::cite::{Citing, Shown};
use super::plain::{Span, push_list, push_more};
use super::recap::Notice;
use super::session_end::{last_mutation, session_end};
use crate::base::digest::Digest;
use crate::base::limits::RENDER_CITED;
use crate::base::rules::Code;
use crate::evidence::git::snapshot::Snapshot;
use crate::evidence::manifest::Manifest;
use crate::evidence::table::Table;
use crate::meaning::accounting::Sealed;

/// What of the evidence is not whole, in the order of the table: limitations that make a recap incomplete wherever they
/// stand.
pub const INCOMPLETE: [Code; 7] = [
    Code::SourceShrankWhileRead,
    Code::SourceRewrittenWhileRead,
    Code::MalformedRecords,
    Code::PartialTail,
    Code::SideFileMissing,
    Code::SideFileRefused,
    Code::SideFilesOmitted,
];

/// Why the evidence is not whole, in the order of the table; empty when it is.
pub fn incomplete(manifest: &Manifest, blocked_evidence: bool) -> Vec<Code> {
    let coverage = &manifest.coverage;
    let limited = |code: Code| manifest.limitations.get(&code).is_some_and(|count| *count > 0);
    let malformed = coverage.records.get("malformed").is_some_and(|count| *count > 0);
    let shrank = limited(Code::SourceShrankWhileRead);
    let partial = coverage.partial_tail.is_some();
    // Whole means: nothing malformed, no partial tail, not shrunk, not rewritten. One of these is the reason.
    let rewritten = limited(Code::SourceRewrittenWhileRead)
        || (!coverage.source_complete && !malformed && !partial && !shrank);
    let holds = |code: &Code| match code {
        Code::SourceRewrittenWhileRead => rewritten,
        Code::MalformedRecords => malformed,
        Code::PartialTail => partial,
        code => limited(*code),
    };
    let blocked = blocked_evidence.then_some(Code::RedactionBlocksEvidence);
    let mut codes: Vec<_> = blocked.into_iter().chain(INCOMPLETE.into_iter().filter(holds)).collect();
    codes.sort_unstable();
    codes
}

impl Notice {
    /// The pieces of the first line.
    pub(super) fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        match (self.incomplete.as_slice(), self.last_event) {
            ([_, ..], _) => {
                spans.push(Span::Own("INCOMPLETE: "));
                push_list(&mut spans, self.incomplete.iter().map(|code| vec![Span::Own(code.as_str())]));
            }
            ([], Some(last)) if self.live => {
                spans.push(Span::Own("SNAPSHOT of a live session up to event "));
                spans.push(Span::text(last));
            }
            ([], Some(last)) => {
                spans.push(Span::Own("COMPLETE transcript up to event "));
                spans.push(Span::text(last));
            }
            ([], None) => spans.push(Span::Own("COMPLETE transcript without events")),
        }
        if self.attempts_reset {
            spans.push(Span::Own("; attempts were reset"));
        }
        spans
    }
}

/// The title of the document.
pub fn title(manifest: &Manifest) -> Vec<Span> {
    let boundary = &manifest.boundary;
    vec![
        Span::Own("Recap of "),
        Span::Own(boundary.harness.name()),
        Span::Own(" session "),
        Span::code(&boundary.session),
    ]
}

/// The lines of the section on scope and coverage.
pub fn scope(
    manifest: &Manifest,
    table: &Table,
    accounting: &Sealed,
    citing: &Citing,
    digests: [Digest; 2],
) -> Vec<Vec<Span>> {
    let [manifest_sha256, accounting_sha256] = digests;
    vec![
        session(manifest),
        time(manifest),
        events(manifest, accounting, citing),
        counted("Records: ", &manifest.coverage.records),
        withheld(manifest),
        limitations(manifest),
        last_mutation(manifest.git.session_observed.last_mutation, table),
        session_end(&manifest.git),
        verified_now(&manifest.git.verified_now),
        vec![
            Span::Own("Bound to manifest "),
            Span::code(manifest_sha256),
            Span::Own(", accounting "),
            Span::code(accounting_sha256),
        ],
    ]
}

fn session(manifest: &Manifest) -> Vec<Span> {
    let boundary = &manifest.boundary;
    let mut spans =
        vec![Span::Own("Boundary: "), Span::code(boundary.id), Span::Own(", "), Span::text(&boundary.form)];
    for (name, id) in [(", agent ", &boundary.agent), (", rollout ", &boundary.rollout)] {
        if let Some(id) = id {
            spans.extend([Span::Own(name), Span::code(id)]);
        }
    }
    spans
}

fn time(manifest: &Manifest) -> Vec<Span> {
    let session = &manifest.session;
    match (&session.first_timestamp, &session.last_timestamp) {
        (Some(first), Some(last)) => {
            vec![Span::Own("Time: "), Span::text(first), Span::Own(" to "), Span::text(last)]
        }
        _ => vec![Span::Own("Time: unknown")],
    }
}

fn events(manifest: &Manifest, accounting: &Sealed, citing: &Citing) -> Vec<Span> {
    let total = manifest.ledger.state.size;
    let mut spans = counted("Events: ", &manifest.coverage.events);
    spans.extend([
        Span::Own("; "),
        Span::text(citing.significant()),
        Span::Own(" in "),
        Span::text(accounting.claims().len()),
        Span::Own(" claims, "),
        Span::text(total.saturating_sub(citing.significant())),
        Span::Own(" set aside"),
    ]);
    let open = manifest.coverage.calls.open;
    if open > 0 {
        let calls = if open == 1 { " call without result" } else { " calls without result" };
        spans.extend([Span::Own("; "), Span::text(open), Span::Own(calls)]);
    }
    spans
}

/// `name total (key count, …)`, zeros left out.
fn counted(name: &'static str, counts: &BTreeMap<String, u64>) -> Vec<Span> {
    let total: u64 = counts.values().fold(0, |sum, count| sum.saturating_add(*count));
    let mut spans = vec![Span::Own(name), Span::text(total)];
    if total > 0 {
        spans.push(Span::Own(" ("));
        push_counts(&mut spans, counts.iter().map(|(key, count)| (Span::text(key), *count)));
        spans.push(Span::Own(")"));
    }
    spans
}

fn withheld(manifest: &Manifest) -> Vec<Span> {
    let mut spans = vec![Span::Own("Withheld: ")];
    let parts = manifest.coverage.withheld.iter().map(|(kind, hidden)| (Span::text(kind), hidden.parts));
    push_counts(&mut spans, parts);
    spans.push(Span::Own("; redactions: "));
    push_counts(&mut spans, manifest.redactions.iter().map(|(kind, count)| (Span::text(kind), *count)));
    spans
}

fn limitations(manifest: &Manifest) -> Vec<Span> {
    let mut spans = vec![Span::Own("Limitations: ")];
    let codes = manifest.limitations.iter().map(|(code, count)| (Span::Own(code.as_str()), *count));
    push_counts(&mut spans, codes);
    spans
}

fn verified_now(snapshots: &[Snapshot]) -> Vec<Span> {
    let mut spans = vec![Span::Own("Verified now: ")];
    let shown = Shown::of(snapshots.iter().map(snapshot), RENDER_CITED);
    if shown.first.is_empty() {
        spans.push(Span::Own("nothing"));
    }
    for (place, one) in shown.first.into_iter().enumerate() {
        if place > 0 {
            spans.push(Span::Own("; "));
        }
        spans.extend(one);
    }
    push_more(&mut spans, shown.more, [" repository", " repositories"]);
    spans
}

fn snapshot(snapshot: &Snapshot) -> Vec<Span> {
    let mut spans = vec![
        Span::text(&snapshot.repository),
        Span::Own(" at "),
        Span::text(&snapshot.probed_at),
        Span::Own(": "),
    ];
    for (name, value) in [("branch ", &snapshot.branch), ("head ", &snapshot.head)] {
        if let Some(value) = value {
            spans.extend([Span::Own(name), Span::code(value), Span::Own(", ")]);
        }
    }
    match &snapshot.status {
        Some(status) if status.complete && status.clean => spans.push(Span::Own("clean")),
        Some(status) => {
            let paths = status.omitted.saturating_add(status.changed_paths.len() as u64);
            spans.extend([Span::text(paths), Span::Own(" changed paths")]);
            if !status.complete {
                spans.push(Span::Own(" at least"));
            }
        }
        None => spans.push(Span::Own("status unknown")),
    }
    for code in &snapshot.limitations {
        spans.extend([Span::Own(", "), Span::Own(code.as_str())]);
    }
    spans
}

/// `key count, key count`, zeros left out; `none` for an empty list.
fn push_counts(spans: &mut Vec<Span>, counts: impl Iterator<Item = (Span, u64)>) {
    let shown = counts.filter(|(_, count)| *count > 0);
    let before = spans.len();
    push_list(spans, shown.map(|(key, count)| vec![key, Span::Own(" "), Span::text(count)]));
    if spans.len() == before {
        spans.push(Span::Own("none"));
    }
}
