//! Finds secrets: one search for all literals, then the look around each hit.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

use super::alphabet;
use super::armour;
use super::block;
use super::clip;
use super::command;
use super::effort::{DeadEnd, Effort, JOIN};
use super::encoded;
use super::field;
use super::fold::Folded;
use super::joined;
use super::joint;
use super::jwt;
use super::keyed;
use super::kinds::{self, places};
use super::literals::Literals;
use super::mark;
use super::openers::{self, BlockMark, Trigger};
use super::rounds;
use super::shape::{Match, Shape};
use super::spans::{Certainty, Findings, Span};
use super::sum::Check;
use super::url;
use super::value;
use crate::base::digest::Digest;

/// Least bytes between two marks inside of tokens that are looked around in vain.
const BETWEEN_MARKS: usize = 64;

/// Forms of which dead ends are remembered.
const DEAD_ENDS: usize = 8;

/// How often a text is unveiled.
const MOST_FOLDS: usize = 3;

/// How often a text in base64 is decoded.
const MOST_DECODED: usize = 2;

/// The compiled table of kinds.
#[derive(Debug)]
pub struct Spotter {
    literals: Literals,
    /// What each literal opens.
    triggers: Vec<Vec<Trigger>>,
    shapes: Vec<Form>,
    /// SHA-256 of values that a team allows.
    allowed: HashSet<Digest>,
}

/// One written form of a kind.
#[derive(Debug)]
struct Form {
    shape: Shape,
    kind: &'static str,
    check: Check,
}

impl Form {
    fn parse(notation: &'static str, kind: &'static str, check: Check) -> Option<Self> {
        Some(Self { shape: Shape::parse(notation)?, kind, check })
    }
}

/// A kind that a team adds to the table.
#[derive(Debug, Clone, Copy)]
pub struct Added {
    /// Its name.
    pub name: &'static str,
    /// One written form of it.
    pub shape: &'static str,
}

/// What a look at a text showed.
#[derive(Debug, Default)]
pub struct Looked {
    /// What looks like a secret, sorted, not overlapping.
    pub spans: Vec<Span>,
    /// Where marks of vendors stand in place of secrets; they stay.
    pub kept_marks: Vec<usize>,
    /// Where values stand that a team allows; they stay, too.
    pub allowed: Vec<usize>,
}

impl Looked {
    /// How many marks of vendors and how many allowed values begin in `start..end`.
    pub fn kept_within(&self, start: usize, end: usize) -> (u64, u64) {
        let count = |places: &[usize]| places.iter().filter(|at| (start..end).contains(*at)).count() as u64;
        (count(&self.kept_marks), count(&self.allowed))
    }
}

/// How far a pass has come, so that no byte is looked at again and again.
#[derive(Debug, Default)]
struct Progress {
    names: keyed::Walked,
    token_end: usize,
    effort: Effort,
    /// Where forms led to nothing, a place for a few of them each.
    dead_ends: [DeadEnd; DEAD_ENDS],
    /// The same for tokens of dotted parts.
    headless: DeadEnd,
    block_end: usize,
    /// Where a mark inside a token was looked around, and from where on the next one is.
    around: (usize, usize),
    manifest_end: usize,
    /// Where the last password of a row of a password file ended.
    row_end: usize,
    run: joint::Run,
    /// Whether a mark of a key with a body was met, which reaches further than all else.
    saw_block: bool,
    /// For each row of the table of commands, where the last one ended.
    commands: [usize; command::COMMANDS.len()],
}

impl Progress {
    /// Whether a break follows that pieces may be joined over.
    fn breaks(&mut self, bytes: &[u8], at: usize) -> bool {
        self.effort.is_left(at) && self.run.breaks(bytes, at)
    }

    /// What is put together from pieces, or the cost of having tried.
    fn joined<T>(&mut self, join: impl FnOnce() -> Option<T>) -> Option<T> {
        let found = join();
        if found.is_none() {
            self.effort.spend(JOIN);
        }
        found
    }
}

impl Spotter {
    /// Compiles the table.
    pub fn new() -> Self {
        Self::with(&[], HashSet::new())
    }

    /// Compiles the table with kinds that a team adds and values that it allows. A form that is not well-formed is no form.
    pub fn with(added: &[Added], allowed: HashSet<Digest>) -> Self {
        let own = added.iter().filter_map(|kind| Form::parse(kind.shape, kind.name, Check::None));
        let shapes: Vec<Form> = kinds::TABLES
            .iter()
            .flat_map(|table| table.iter())
            .flat_map(|kind| {
                kind.shapes.iter().filter_map(|notation| Form::parse(notation, kind.name, kind.check))
            })
            .chain(own)
            .collect();
        let openers = openers::all(shapes.iter().map(|form| form.shape.anchor()));
        let mut literals: Vec<&'static str> = openers.iter().map(|(literal, _)| *literal).collect();
        literals.sort_unstable();
        literals.dedup();
        // A longer literal also opens what each of its heads opens: `sk-ant-` may be an odd `sk-`.
        let triggers = literals
            .iter()
            .map(|literal| {
                let mut fitting: Vec<_> =
                    openers.iter().filter(|(head, _)| literal.starts_with(head)).collect();
                fitting.sort_by_key(|(head, _)| std::cmp::Reverse(head.len()));
                fitting.into_iter().map(|(_, trigger)| *trigger).collect()
            })
            .collect();
        Self { literals: Literals::new(&literals), triggers, shapes, allowed }
    }

    /// The one spotter of the program.
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<Spotter> = OnceLock::new();
        GLOBAL.get_or_init(Self::new)
    }

    /// Whether a team allows this very value.
    pub fn allows(&self, secret: &[u8]) -> bool {
        !self.allowed.is_empty() && self.allowed.contains(&Digest::of(secret))
    }

    /// Everything in `text` that looks like a secret, sorted, not overlapping.
    pub fn spot(&self, text: &str) -> Vec<Span> {
        self.look(text).spans
    }

    /// The same with what was seen and stays.
    pub fn look(&self, text: &str) -> Looked {
        let (first, saw_block) = self.look_once(text, &[(0, text.len())]);
        let pass = |text: &str, marks: &[(usize, usize)]| {
            let whole = [(0, text.len())];
            self.look_once(text, if saw_block { &whole } else { marks }).0.spans
        };
        let spans = rounds::until_quiet(text, first.spans, pass);
        Looked { spans, ..first }
    }

    /// One look at parts of a text and at what disguises change in it; also whether it holds marks of keys with bodies.
    fn look_once(&self, text: &str, parts: &[(usize, usize)]) -> (Looked, bool) {
        let mut findings = Findings::default();
        let mut saw_block = self.look_through(text.as_bytes(), parts, 0, &mut findings);
        // One disguise may hide another: an entity whose sign is an escape, an escape in two bytes a letter.
        let mut folds: Vec<Folded> = Vec::new();
        while folds.len() < MOST_FOLDS
            && let Some(folded) = Folded::of(folds.last().map_or(text.as_bytes(), Folded::bytes))
        {
            let mut unveiled = Findings::default();
            let near = if saw_block { vec![(0, folded.bytes().len())] } else { folded.near_changes() };
            saw_block |= self.look_through(folded.bytes(), &near, 0, &mut unveiled);
            folds.push(folded);
            findings.take_over(unveiled, |start, end| {
                folds.iter().rev().fold((start, end), |(start, end), folded| folded.source(start, end))
            });
        }
        let kept_marks = findings.take_kept_marks();
        let mut spans = clip::to_strings(text, findings.into_spans(text));
        let mut allowed = Vec::new();
        if !self.allowed.is_empty() {
            spans.retain(|span| {
                let secret = text.get(span.start..span.end).unwrap_or_default();
                let is_allowed = self.allows(secret.as_bytes());
                allowed.extend(is_allowed.then_some(span.start));
                !is_allowed
            });
        }
        (Looked { spans, kept_marks, allowed }, saw_block)
    }

    /// One pass over parts of `bytes`; `depth` is how often they were decoded. Whether marks of keys with bodies were met.
    fn look_through(
        &self,
        bytes: &[u8],
        parts: &[(usize, usize)],
        depth: usize,
        findings: &mut Findings,
    ) -> bool {
        let mut progress = Progress::default();
        for part in parts {
            self.look_at_literals(bytes, *part, &mut progress, findings);
            if depth < MOST_DECODED {
                self.look_at_runs(bytes, *part, depth, findings);
            }
        }
        progress.saw_block
    }

    /// Bodies of armour and text in base64.
    fn look_at_runs(
        &self,
        bytes: &[u8],
        (start, end): (usize, usize),
        depth: usize,
        findings: &mut Findings,
    ) {
        let mut walked = 0;
        encoded::for_each_run(bytes, start, end, |start, end| {
            if start >= walked && armour::begins(alphabet::part(bytes, start, end)) {
                let (stop, is_proven) = armour::body(bytes, start);
                walked = stop;
                if is_proven {
                    findings.add(start, stop, places::PRIVATE_KEY, Certainty::Marked);
                }
            }
            let Some((start, decoded)) = encoded::text(bytes, start, end) else { return };
            let mut inner = Findings::default();
            self.look_through(&decoded, &[(0, decoded.len())], depth + 1, &mut inner);
            if !inner.is_empty() {
                findings.add(start, end, places::ENCODED, Certainty::Encoded);
            }
        });
    }

    fn look_at_literals(
        &self,
        bytes: &[u8],
        (start, end): (usize, usize),
        progress: &mut Progress,
        findings: &mut Findings,
    ) {
        self.literals.for_each(bytes, start, end, |at, number| {
            for trigger in self.triggers.get(number).map_or(&[][..], Vec::as_slice) {
                if self.pull(*trigger, bytes, at, progress, findings) {
                    break;
                }
            }
        });
    }

    /// Looks at what the literal at `at` opens; whether a token with a mark of its own was found.
    fn pull(
        &self,
        trigger: Trigger,
        bytes: &[u8],
        at: usize,
        progress: &mut Progress,
        findings: &mut Findings,
    ) -> bool {
        match trigger {
            Trigger::NameWord(length) => keyed::look(bytes, at, length, &mut progress.names, findings),
            Trigger::Shape(index) => return self.try_shape(index, bytes, at, progress, findings),
            Trigger::Address => place(findings, url::password(bytes, at), places::URL_PASSWORD),
            Trigger::Bearer(length) => keyed::bearer(bytes, at + length, findings),
            Trigger::Parameter(length) => {
                place(findings, field::parameter(bytes, at, at + length), places::SECRET)
            }
            Trigger::Port(length) if at >= progress.row_end => {
                let found = field::pgpass(bytes, at, at + length);
                progress.row_end = found.map_or(at, |(_, end)| end);
                place(findings, found, places::PASSWORD);
            }
            Trigger::Port(_) => {}
            Trigger::Unseal(length) => place(findings, field::unseal_key(bytes, at + length), places::SECRET),
            Trigger::Mark(length) => {
                if mark::opens_mark(bytes, at) || length == openers::VENDOR_STARS.len() {
                    findings.keep_mark(at);
                }
            }
            Trigger::Jwt => {
                if at >= progress.token_end
                    && alphabet::opens_word(bytes, at)
                    && let Some(end) = Self::dotted(bytes, at, progress)
                {
                    progress.token_end = end;
                    findings.add(at, end, places::JWT, Certainty::Marked);
                    return true;
                }
            }
            Trigger::Block(mark) => look_at_block(mark, bytes, at, progress, findings),
            Trigger::Secrets if at >= progress.manifest_end => {
                progress.manifest_end = at + field::MANIFEST;
                field::kubernetes_secrets(bytes, at, findings);
            }
            Trigger::Secrets => {}
            Trigger::Command(row) => look_at_command(row, bytes, at, progress, findings),
        }
        false
    }

    fn dotted(bytes: &[u8], at: usize, progress: &mut Progress) -> Option<usize> {
        if progress.headless.holds(0, at, &progress.effort) {
            return None;
        }
        let breaks = progress.breaks(bytes, at);
        let whole = if breaks { progress.joined(|| joined::dotted(bytes, at)) } else { None };
        let found = whole.or_else(|| jwt::end(bytes, at));
        if found.is_none() {
            let (end, is_cut) = jwt::head_end(bytes, at);
            if alphabet::byte(bytes, end) != b'.' {
                progress.effort.spend(end - at);
                progress.headless = DeadEnd::new(0, end, is_cut);
            }
        }
        found
    }

    /// A token with its mark inside and a break; behind marks that lead to none only some are looked at.
    fn around(
        shape: &Shape,
        check: Check,
        bytes: &[u8],
        at: usize,
        progress: &mut Progress,
    ) -> Option<Match> {
        let (last, next) = progress.around;
        if at != last && at < next {
            return None;
        }
        let found = joined::around(shape, check, bytes, at, || progress.breaks(bytes, at));
        progress.around = (at, if found.is_some() { at } else { at + BETWEEN_MARKS });
        found
    }

    fn try_shape(
        &self,
        index: usize,
        bytes: &[u8],
        at: usize,
        progress: &mut Progress,
        findings: &mut Findings,
    ) -> bool {
        let Progress { dead_ends, effort, .. } = progress;
        let leads_nowhere = dead_ends.get(index % DEAD_ENDS).is_some_and(|end| end.holds(index, at, effort));
        if at < progress.token_end || leads_nowhere {
            return false;
        }
        let Some(Form { shape, kind, check }) = self.shapes.get(index) else { return false };
        let alone = shape.matches(bytes, at, progress.token_end);
        let opens = at == progress.token_end || alphabet::opens_word(bytes, at);
        let whole = if alone.is_some_and(|found| found.exact) {
            None
        } else if !shape.begins_with_anchor() {
            Self::around(shape, *check, bytes, at, progress)
        } else if opens && progress.breaks(bytes, at) {
            progress.joined(|| joined::token(shape, *check, bytes, at, alone))
        } else {
            None
        };
        let is_token = |found: &Match| !value::stands_for_none(alphabet::part(bytes, found.start, found.end));
        let Some(Match { start, end, .. }) = whole.or(alone).filter(is_token) else {
            progress.effort.spend(if whole.is_some() { JOIN } else { 0 });
            // Where it begins inside of a word, the form itself was not tried.
            if (alone.is_some() || opens)
                && let Some((end, is_cut)) = shape.dead_end(bytes, at, alone.map(|found| found.end))
            {
                progress.effort.spend(end - at);
                if let Some(slot) = progress.dead_ends.get_mut(index % DEAD_ENDS) {
                    *slot = DeadEnd::new(index, end, is_cut);
                }
            }
            return false;
        };
        progress.token_end = end;
        findings.add(start, end, kind, Certainty::Marked);
        true
    }
}

impl Default for Spotter {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether `text` holds anything that looks like a secret: for drafts, paths, labels and native ids.
pub fn has_secret(text: &str) -> bool {
    !Spotter::global().spot(text).is_empty()
}

/// A text for a person, its secrets replaced by marks: what a message repeats of an argument may be one.
pub fn hide(text: &str) -> Cow<'_, str> {
    let spans = Spotter::global().spot(text);
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut hidden, mut copied) = (String::new(), 0);
    for (span, number) in spans.iter().zip(1..) {
        hidden.push_str(text.get(copied..span.start).unwrap_or_default());
        hidden.push_str(&mark::marker(span.kind, number));
        copied = span.end;
    }
    hidden.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(hidden)
}

fn place(findings: &mut Findings, found: Option<(usize, usize)>, kind: &'static str) {
    if let Some((start, end)) = found {
        findings.add(start, end, kind, Certainty::Placed);
    }
}

/// Looks at a command once, however often its name stands in its own line.
fn look_at_command(row: usize, bytes: &[u8], at: usize, progress: &mut Progress, findings: &mut Findings) {
    let (Some((name, way)), Some(seen)) = (command::COMMANDS.get(row), progress.commands.get_mut(row)) else {
        return;
    };
    if at < *seen {
        return;
    }
    *seen = command::limit(bytes, at);
    place(findings, command::secret(bytes, at, *seen, name, *way), places::PASSWORD);
}

/// Looks for the body of a key at one of its marks.
fn look_at_block(mark: BlockMark, bytes: &[u8], at: usize, progress: &mut Progress, findings: &mut Findings) {
    progress.saw_block = true;
    let free = progress.block_end;
    let body = match mark {
        BlockMark::Begin => block::body_after(bytes, at),
        BlockMark::Putty => block::putty_body(bytes, at),
        BlockMark::End if at >= free => block::body_before(bytes, at, free),
        BlockMark::Mac if at >= free => block::putty_body_before(bytes, at, free),
        BlockMark::End | BlockMark::Mac => None,
    };
    take_block(body, progress, findings);
    if mark == BlockMark::Mac {
        // Nothing before this code belongs to the next one.
        progress.block_end = progress.block_end.max(at + 1);
        place(findings, block::putty_mac(bytes, at), places::PRIVATE_KEY);
    }
}

fn take_block(body: Option<(usize, usize)>, progress: &mut Progress, findings: &mut Findings) {
    if let Some((start, end)) = body
        && start >= progress.block_end
    {
        progress.block_end = end;
        findings.add(start, end, places::PRIVATE_KEY, Certainty::Marked);
    }
}
