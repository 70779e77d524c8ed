//! Which record repeats a fact of an earlier one. The first carrier is the event, every later one the mirror;
//! never by equal text alone.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::line::RecordSpan;
use super::pairing::Calls;
use super::record_line::{Grade, MirrorOf};
use crate::base::Result;
use crate::base::private::Folder;
use crate::evidence::runs::{Fixed, KeyMap};
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
    by_id: KeyMap<Carrier>,
    windows: BTreeMap<Cow<'static, str>, [VecDeque<(Key, u64)>; 2]>,
}

/// The first carrier of an id of one class, with a fingerprint of what it told.
#[derive(Debug, Clone, Copy)]
pub struct Carrier {
    span: RecordSpan,
    content: Key,
}

impl Fixed for Carrier {
    const BYTES: usize = 32;

    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.span.offset.to_le_bytes());
        out.extend_from_slice(&self.span.length.to_le_bytes());
        out.extend_from_slice(self.content.as_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (offset, rest) = bytes.split_first_chunk()?;
        let (length, content) = rest.split_first_chunk()?;
        let span = RecordSpan { offset: u64::from_le_bytes(*offset), length: u64::from_le_bytes(*length) };
        Some(Self { span, content: Key::from_bytes(content.try_into().ok()?) })
    }
}

impl Mirrors {
    /// Beyond a bound, first carriers are remembered in files of this folder.
    ///
    /// # Errors
    /// As [`KeyMap::attach`].
    pub fn attach(&mut self, folder: &Folder) -> Result<()> {
        self.by_id.attach(folder)
    }

    /// First carriers that have an id.
    pub const fn carriers(&mut self) -> &mut KeyMap<Carrier> {
        &mut self.by_id
    }

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
    ///
    /// # Errors
    /// `read-failed`.
    pub fn prove(&mut self, claims: &[MirrorClaim], calls: &Calls) -> Result<Option<Proof>> {
        for claim in claims {
            let proof = match claim {
                MirrorClaim::Id { id, content, .. } => {
                    let carrier = self.by_id.get(*id)?;
                    carrier.filter(|first| first.content == *content).map(|first| Proof {
                        mirror: MirrorOf { offset: first.span.offset, grade: Grade::Id },
                        twin: Some(first.span),
                    })
                }
                MirrorClaim::OfCall { call } => calls
                    .offset(*call)?
                    .map(|offset| Proof { mirror: MirrorOf { offset, grade: Grade::Id }, twin: None }),
                MirrorClaim::Order { class, second_lane, content } => self
                    .in_order(class, *second_lane, *content)
                    .map(|offset| Proof { mirror: MirrorOf { offset, grade: Grade::Order }, twin: None }),
            };
            if proof.is_some() {
                return Ok(proof);
            }
        }
        Ok(None)
    }

    /// Takes the oldest unpaired record of the other lane with this content.
    fn in_order(&mut self, class: &str, second_lane: bool, content: Key) -> Option<u64> {
        let [first, second] = self.windows.get_mut(class)?;
        let other = if second_lane { first } else { second };
        let place = other.iter().position(|(own, _)| *own == content)?;
        other.remove(place).map(|(_, offset)| offset)
    }

    /// Remembers a record under its claims: as a first carrier, or, when it is a mirror itself, under its ids only.
    ///
    /// # Errors
    /// `read-failed`, `write-failed`.
    pub fn remember(
        &mut self,
        claims: &[MirrorClaim],
        span: RecordSpan,
        mirror: Option<MirrorOf>,
    ) -> Result<()> {
        for claim in claims {
            match claim {
                MirrorClaim::Id { id, content, .. } => {
                    self.by_id.insert(*id, Carrier { span, content: *content })?;
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
        Ok(())
    }
}
