//! Composing: from a validated synthesis and its evidence to the view model. It picks, cuts and words; it
//! judges nothing, and the same inputs give the same recap.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;

use super::cite::{Citing, Shown};
use super::coverage::{incomplete, scope, title};
use super::drawn::bars;
use super::evidence::EvidenceDocument;
use super::outcome::wording;
use super::plain::{Plain, Span, push_list, push_more};
use super::recap::{ABSENT, Bound, Detail, HEADINGS, Line, Made, Notice, Recap, Section, SetAside, Told};
use crate::base::ids::EventId;
use crate::base::limits::{RENDER_CITED, RENDER_COMMITS, RENDER_PATHS};
use crate::evidence::command::observation::{Observation, Outcome};
use crate::evidence::manifest::Manifest;
use crate::evidence::slice::Run;
use crate::evidence::table::Table;
use crate::evidence::transcript::item::Status;
use crate::meaning::accounting::{Group, Sealed};
use crate::meaning::synthesis::document::{
    Change, GitEvidence, Item, NarrativeRole, Plain as NothingMore, Story, Synthesis, Timeline, Verification,
};

/// The evidence that a synthesis was validated against, and what validation learnt.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The manifest it is bound to.
    pub manifest: &'a Manifest,
    /// The ledger of that manifest.
    pub table: &'a Table,
    /// The accounting it is bound to.
    pub accounting: &'a Sealed,
    /// A person opened the ledger state again after its attempts were used up.
    pub attempts_reset: bool,
    /// An item rests only on redaction marks, with a caveat.
    pub blocked_evidence: bool,
}

/// Composes the recap of a validated synthesis.
pub fn compose(synthesis: &Synthesis, from: &Scope<'_>) -> Recap {
    let Scope { manifest, table, accounting, .. } = *from;
    let citing = Citing::new(accounting);
    let digests = [synthesis.manifest_sha256, synthesis.accounting_sha256];
    let [goals, times, files, tests, failures, end] = HEADINGS;
    Recap {
        told: Told {
            notice: Notice {
                incomplete: incomplete(manifest, from.blocked_evidence),
                live: manifest.source.live,
                last_event: manifest.ledger.state.size.checked_sub(1),
                attempts_reset: from.attempts_reset,
            },
            title: title(manifest),
            scope: scope(manifest, table, accounting, &citing, digests),
            headline: headline(&synthesis.headline, table, &citing),
            sections: vec![
                section(goals, &synthesis.story, |item| story(item, table, &citing)),
                timeline(times, &synthesis.timeline, table, &citing),
                section(files, &synthesis.changes, |item| change(item, table, &citing)),
                section(tests, &synthesis.verification, |item| verification(item, table, &citing)),
                section(failures, &synthesis.failures_recoveries, |item| {
                    line("failures_recoveries", item, Vec::new(), Vec::new(), &citing)
                }),
                ending(end, &synthesis.final_state, &synthesis.open_work, table, &citing),
            ],
            groups: accounting.groups().iter().map(set_aside).collect(),
        },
        bound: bound(synthesis, manifest),
        evidence: EvidenceDocument::of(synthesis, accounting, manifest.boundary.id),
    }
}

fn bound(synthesis: &Synthesis, manifest: &Manifest) -> Bound {
    let versions = &manifest.versions;
    Bound {
        boundary: manifest.boundary.id,
        manifest_sha256: synthesis.manifest_sha256,
        accounting_sha256: synthesis.accounting_sha256,
        limitations: manifest.limitations.clone(),
        versions: Made {
            analysis: manifest.git.session_observed.analysis_version.clone(),
            policy: versions.policy.clone(),
            reader: versions.reader.clone(),
            recap: versions.recap.clone(),
            scrubber: versions.scrubber.clone(),
        },
    }
}

fn headline(item: &Item<NothingMore>, table: &Table, citing: &Citing) -> Line {
    Line { title: None, ..line("headline", item, Vec::new(), unsuccessful(item, table), citing) }
}

fn section<S>(heading: &'static str, items: &[Item<S>], make: impl FnMut(&Item<S>) -> Line) -> Section {
    let [nothing, ..] = ABSENT;
    let absent = if items.is_empty() { vec![nothing] } else { Vec::new() };
    Section { heading, lines: items.iter().map(make).collect(), absent }
}

fn line<S>(
    section: &'static str,
    item: &Item<S>,
    lead: Vec<Span>,
    mut facts: Vec<Vec<Span>>,
    citing: &Citing,
) -> Line {
    if !item.git_evidence.is_empty() {
        facts.push(git_facts(&item.git_evidence));
    }
    let title = item.title.as_deref().map(Plain::of).filter(|title| !title.is_empty());
    Line {
        section,
        id: Plain::of(&item.id),
        lead,
        // A line in a list begins with a title, so that no summary can pose as the mark of a task.
        title: Some(title.unwrap_or_else(|| Plain::of(&item.id))),
        facts,
        summary: Plain::of(&item.summary),
        caveat: item.caveat.as_deref().map(Plain::of),
        label: item.source_label,
        claims: Shown::of(item.accounting_claim_ids.iter().map(|id| Plain::of(id)), RENDER_CITED),
        evidence: citing.cite(&item.evidence_ids),
        bar: None,
        detail: Detail {
            git_evidence: item.git_evidence.iter().take(RENDER_CITED).map(plain_fact).collect(),
            ..Detail::default()
        },
    }
}

fn plain_fact(fact: &GitEvidence) -> GitEvidence {
    let [repository, kind, value] = [&fact.repository, &fact.kind, &fact.value].map(|text| shown(text));
    GitEvidence { repository, kind, value }
}

/// A text of a document as every format shows it.
fn shown(text: &str) -> String {
    Plain::of(text).as_str().to_owned()
}

fn git_facts(evidence: &[GitEvidence]) -> Vec<Span> {
    let shown = Shown::of(evidence, RENDER_CITED);
    let mut spans = Vec::new();
    push_list(
        &mut spans,
        shown.first.into_iter().map(|fact| {
            let name = format!("{} {}", fact.repository, fact.kind);
            vec![Span::text(name), Span::Own(" "), Span::code(&fact.value)]
        }),
    );
    push_more(&mut spans, shown.more, [" fact", " facts"]);
    spans
}

fn story(item: &Item<Story>, table: &Table, citing: &Citing) -> Line {
    let role = match item.section.narrative_role {
        NarrativeRole::Setup => "setup ",
        NarrativeRole::Approach => "approach ",
        NarrativeRole::TurningPoint => "turning point ",
        NarrativeRole::Outcome => "outcome ",
        NarrativeRole::Remaining => "remaining ",
    };
    let mut told = line("story", item, vec![Span::Own(role)], unsuccessful(item, table), citing);
    told.detail.narrative_role = Some(item.section.narrative_role);
    told
}

/// Times are those of the first event of an entry; the date is said where it changes.
fn timeline(heading: &'static str, items: &[Item<Timeline>], table: &Table, citing: &Citing) -> Section {
    let mut day = None;
    let mut bars = bars(items, table).into_iter();
    section(heading, items, |item| {
        let Timeline { first_ordinal, last_ordinal } = item.section;
        let time_ms = table.row(first_ordinal).and_then(|row| row.time_ms);
        let lead = time_ms.and_then(|time_ms| clock(time_ms, &mut day)).unwrap_or_default();
        let mut told = line("timeline", item, lead, Vec::new(), citing);
        told.bar = bars.next();
        told.detail.first_ordinal = Some(first_ordinal);
        told.detail.last_ordinal = Some(last_ordinal);
        told
    })
}

fn clock(time_ms: i64, day: &mut Option<Date>) -> Option<Vec<Span>> {
    let time = Offset::UTC.to_datetime(Timestamp::from_millisecond(time_ms).ok()?);
    let mut text = format!("{:02}:{:02}", time.hour(), time.minute());
    if day.replace(time.date()) != Some(time.date()) {
        text = format!("{} {text}", time.date());
    }
    Some(vec![Span::text(text), Span::Own(" ")])
}

fn change(item: &Item<Change>, table: &Table, citing: &Citing) -> Line {
    let lists = [
        (&item.section.paths, RENDER_PATHS, "", [" path", " paths"]),
        (&item.section.commits, RENDER_COMMITS, "commits ", [" commit", " commits"]),
    ];
    let facts: Vec<Vec<Span>> = lists
        .into_iter()
        .filter(|(all, ..)| !all.is_empty())
        .map(|(all, most, name, more)| {
            let shown = Shown::of(all, most);
            let mut spans = vec![Span::Own(name)];
            push_list(&mut spans, shown.first.into_iter().map(|text| vec![Span::code(text)]));
            push_more(&mut spans, shown.more, more);
            spans
        })
        .chain(unsuccessful(item, table))
        .collect();
    let mut told = line("changes", item, Vec::new(), facts, citing);
    told.detail.paths = item.section.paths.iter().take(RENDER_PATHS).map(|path| shown(path)).collect();
    told.detail.commits =
        item.section.commits.iter().take(RENDER_COMMITS).map(|commit| shown(commit)).collect();
    told
}

/// A run is cited by itself: its call, its result and the further runs; without one, by the events of its claims.
fn verification(item: &Item<Verification>, table: &Table, citing: &Citing) -> Line {
    let mut told = line("verification", item, Vec::new(), vec![wording(&item.section, table)], citing);
    let Verification { outcome, basis, command_event_id, result_event_id, further_runs } = &item.section;
    told.detail.outcome = Some(*outcome);
    told.detail.basis = *basis;
    told.detail.further_runs = Some(further_runs.len() as u64);
    let mut runs: Vec<EventId> =
        command_event_id.iter().chain(result_event_id).chain(further_runs).copied().collect();
    runs.sort_unstable();
    runs.dedup();
    if runs.is_empty() { told } else { Line { evidence: citing.cite(&runs), ..told } }
}

/// Changes, commits and effects among an item's events that did not succeed, whatever its prose says.
fn unsuccessful<S>(item: &Item<S>, table: &Table) -> Vec<Vec<Span>> {
    let mut counts: BTreeMap<(End, String), u64> = BTreeMap::new();
    for event in &item.evidence_ids {
        let rows: Vec<&Observation> = table.of_call(event.ordinal()).collect();
        let committed = rows.iter().any(|row| matches!(row, Observation::CommitReported { .. }));
        // One call can hold several changes: the worst is told.
        let ends = rows.iter().filter_map(|row| unsuccessful_row(row, committed));
        if let Some(end) = ends.min_by_key(|(end, _)| *end) {
            *counts.entry(end).or_default() += 1;
        }
    }
    if counts.is_empty() {
        return Vec::new();
    }
    let mut spans = Vec::new();
    push_list(
        &mut spans,
        counts.into_iter().map(|((end, attempted), count)| {
            let attempts = if count == 1 { attempted } else { plural(&attempted) };
            vec![
                Span::text(count),
                Span::Own(" "),
                Span::text(attempts),
                Span::Own(" "),
                Span::Own(end.words()),
            ]
        }),
    );
    vec![spans]
}

fn plural(word: &str) -> String {
    let hisses = ["sh", "ch", "s", "x"].iter().any(|end| word.ends_with(end));
    format!("{word}{}", if hisses { "es" } else { "s" })
}

/// How an attempt ended that did not plainly succeed; the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Failed,
    Rejected,
    Interrupted,
    WithoutResult,
    BesideFailure,
    Unknown,
}

impl End {
    const fn words(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Rejected => "rejected",
            Self::Interrupted => "interrupted",
            Self::WithoutResult => "without result",
            Self::BesideFailure => "in a command that failed",
            Self::Unknown => "of unknown outcome",
        }
    }
}

/// How it ended and what was tried; `None` for what is no change, commit or effect, and for what succeeded. Of a script
/// that failed only a command whose own status is known has failed itself.
fn unsuccessful_row(row: &Observation, committed: bool) -> Option<(End, String)> {
    let (attempt, own, tried) = match row {
        Observation::FileMutation { attempt, .. } => (attempt, Some(Outcome::Failed), "edit".to_owned()),
        Observation::ShellWrite { attempt, scratch: false, .. } => (attempt, None, "shell write".to_owned()),
        // Git's own line is proof for what led to it.
        Observation::GitCommand { mutating: true, .. } if committed => return None,
        Observation::GitCommand { attempt, mutating: true, outcome, verb, .. } => {
            (attempt, Some(*outcome), format!("git {verb}"))
        }
        Observation::ExternalEffect { attempt, outcome, effect } => {
            (attempt, Some(*outcome), effect.replace('_', " "))
        }
        _ => return None,
    };
    let end = match (attempt.status, attempt.result) {
        (Status::Ok, _) => return None,
        (Status::Error, _) if own == Some(Outcome::Failed) => End::Failed,
        (Status::Error, _) if own == Some(Outcome::Passed) => return None,
        (Status::Error, _) => End::BesideFailure,
        (Status::Rejected, _) => End::Rejected,
        (Status::Interrupted, _) => End::Interrupted,
        (Status::Unknown, None) => End::WithoutResult,
        (Status::Unknown, Some(_)) => End::Unknown,
    };
    Some((end, tried))
}

fn ending(
    heading: &'static str,
    state: &[Item<NothingMore>],
    open: &[Item<NothingMore>],
    table: &Table,
    citing: &Citing,
) -> Section {
    let end = |item| line("final_state", item, vec![Span::Own("final ")], unsuccessful(item, table), citing);
    let left = |item| line("open_work", item, vec![Span::Own("open ")], Vec::new(), citing);
    let [nothing, no_state, no_work] = ABSENT;
    let absent = match (state.is_empty(), open.is_empty()) {
        (true, true) => vec![nothing],
        (true, false) => vec![no_state],
        (false, true) => vec![no_work],
        (false, false) => Vec::new(),
    };
    Section { heading, lines: state.iter().map(end).chain(open.iter().map(left)).collect(), absent }
}

fn set_aside(group: &Group) -> SetAside {
    let length = |run: &Run| run.last.saturating_sub(run.first).saturating_add(1);
    let count = |runs: &mut dyn Iterator<Item = &Run>| runs.map(length).fold(0, u64::saturating_add);
    SetAside {
        id: Plain::of(&group.id),
        label: Plain::of(&group.label),
        events: count(&mut group.ranges.iter()),
        more_events: count(&mut group.ranges.iter().skip(RENDER_CITED)),
        ranges: Shown::of(group.ranges.iter().copied(), RENDER_CITED),
    }
}
