//! A label says where a statement comes from, and the events must bear it out.

use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::evidence::transcript::item::Surface;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::SourceLabel;
use crate::meaning::synthesis::expand::{Expanded, Given, View};

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    for view in synthesis.views() {
        let caveat = view.caveat.is_some();
        match view.label {
            SourceLabel::AgentReport => agent_report(&view, basis, violations),
            SourceLabel::SessionObserved => session_observed(&view, basis, violations),
            SourceLabel::Inference if !caveat => {
                violations.push(Code::InferenceWithoutCaveat, view.pointer.clone(), "add a caveat");
            }
            SourceLabel::VerifiedNow if caveat => {
                violations.push(Code::CaveatMisplaced, view.pointer.member("caveat"), "label verified_now");
            }
            SourceLabel::Inference | SourceLabel::VerifiedNow => {}
        }
    }
}

/// What the agent said stands in assistant text, all of it.
fn agent_report(view: &View<'_>, basis: &Evidence<'_>, violations: &mut Violations) {
    for (index, event) in view.evidence.iter().enumerate() {
        let Some(row) = basis.table.find(*event) else { continue };
        if row.surface == Surface::Assistant {
            continue;
        }
        let detail = format!("{event} is of surface {}", row.surface.name());
        violations.push(Code::AgentReportUnsupported, view.place_of_event(index), detail);
        if view.given != Given::Ids {
            return;
        }
    }
}

/// What was observed needs at least one event that is not the assistant's own words.
fn session_observed(view: &View<'_>, basis: &Evidence<'_>, violations: &mut Violations) {
    let mut rows = basis.rows(view.evidence).peekable();
    if rows.peek().is_some() && rows.all(|row| row.surface == Surface::Assistant) {
        let place = view.pointer.member("source_label");
        violations.push(Code::SessionObservedUnsupported, place, "every event is assistant text");
    }
}
