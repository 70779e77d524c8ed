//! Which record repeats a fact of an earlier one. The first carrier is the event, every later one the mirror;
//! never by equal text alone.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::line::RecordSpan;
use super::pairing::Calls;
use super::record_line::{Grade, MirrorOf};
use crate::base::sorted;
use crate::evidence::transcript::reading::{Key, MirrorClaim, WindowMark};

/// Unpaired records that a window remembers; people seldom queue more prompts.
const WINDOW_RECORDS: usize = 256;

/// A proven mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// The earlier carrier and the grade.
    pub mirror: MirrorOf,
    /// The earlier record itself, where both are copies of one record: what else differs can be listed.
    pub twin: Option<RecordSpan>,
}

/// Remembers first carriers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Mirrors {
    by_id: BTreeMap<Cow<'static, str>, Carriers>,
    windows: BTreeMap<Cow<'static, str>, [VecDeque<(Key, u64)>; 2]>,
}

/// The first carrier of each id of one class, with a fingerprint of what it told.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Carriers(#[serde(serialize_with = "sorted::map")] HashMap<Key, (RecordSpan, Key)>);

impl Mirrors {
    /// Applies turn borders and withdrawals.
    pub fn mark(&mut self, marks: &[WindowMark]) {
        for mark in marks {
            match mark {
                WindowMark::Clear(class) => {
                    self.windows.remove(*class);
                }
                WindowMark::Withdraw(class, content) => {
                    for lane in self.windows.get_mut(*class).into_iter().flatten() {
                        if let Some(place) = lane.iter().position(|(own, _)| own == content) {
                            lane.remove(place);
                        }
                    }
                }
            }
        }
    }

    /// The earlier carrier, if one of the claims is proven.
    pub fn prove(&mut self, claims: &[MirrorClaim], calls: &Calls) -> Option<Proof> {
        claims.iter().find_map(|claim| match claim {
            MirrorClaim::Id { class, id, content } => {
                let carrier = self.by_id.get(*class).and_then(|carriers| carriers.0.get(id));
                carrier.filter(|(_, first)| first == content).map(|(span, _)| Proof {
                    mirror: MirrorOf { offset: span.offset, grade: Grade::Id },
                    twin: Some(*span),
                })
            }
            MirrorClaim::OfCall { call } => {
                let mirror = calls.offset(*call).map(|offset| MirrorOf { offset, grade: Grade::Id })?;
                Some(Proof { mirror, twin: None })
            }
            MirrorClaim::Order { class, second_lane, content } => {
                let [first, second] = self.windows.get_mut(*class)?;
                let other = if *second_lane { first } else { second };
                let place = other.iter().position(|(own, _)| own == content)?;
                let (_, offset) = other.remove(place)?;
                Some(Proof { mirror: MirrorOf { offset, grade: Grade::Order }, twin: None })
            }
        })
    }

    /// Remembers a record under its claims: as a first carrier, or, when it is a mirror itself, under its ids only.
    pub fn remember(&mut self, claims: &[MirrorClaim], span: RecordSpan, mirror: Option<MirrorOf>) {
        for claim in claims {
            match claim {
                MirrorClaim::Id { class, id, content } => {
                    let carriers = self.by_id.entry(Cow::Borrowed(class)).or_default();
                    carriers.0.entry(*id).or_insert((span, *content));
                }
                MirrorClaim::Order { class, second_lane, content } if mirror.is_none() => {
                    let [first, second] = self.windows.entry(Cow::Borrowed(class)).or_default();
                    let lane = if *second_lane { second } else { first };
                    if lane.len() >= WINDOW_RECORDS {
                        lane.pop_front();
                    }
                    lane.push_back((*content, span.offset));
                }
                MirrorClaim::Order { .. } | MirrorClaim::OfCall { .. } => {}
            }
        }
    }
}
