//! A label says where a statement comes from, and the events must bear it out.

use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::meaning::said::is_said;
use crate::meaning::synthesis::basis::Evidence;
use crate::meaning::synthesis::document::SourceLabel;
use crate::meaning::synthesis::expanded::{Expanded, Given, View};

pub(super) fn check(synthesis: &Expanded, basis: &Evidence<'_>, violations: &mut Violations) {
    for view in synthesis.views() {
        match view.label {
            SourceLabel::AgentReport => agent_report(&view, basis, violations),
            SourceLabel::SessionObserved => session_observed(&view, basis, violations),
            SourceLabel::Inference | SourceLabel::VerifiedNow => caveat(&view, violations),
        }
    }
}

/// What is concluded says what is not seen, and a probe has nothing to add. This needs no evidence.
pub(super) fn caveat(view: &View<'_>, violations: &mut Violations) {
    match (view.label, view.caveat) {
        (SourceLabel::Inference, None) => {
            violations.push(
                Code::InferenceWithoutCaveat,
                view.pointer.clone(),
                "found no caveat, expected one that says what is not shown",
            );
        }
        (SourceLabel::VerifiedNow, Some(_)) => {
            violations.push(
                Code::CaveatMisplaced,
                view.pointer.member("caveat"),
                "found a caveat, expected none under `verified_now`",
            );
        }
        _ => {}
    }
}

/// What an agent said stands in its words, all of it.
fn agent_report(view: &View<'_>, basis: &Evidence<'_>, violations: &mut Violations) {
    for (index, event) in view.evidence.iter().enumerate() {
        let Some(row) = basis.table.find(*event) else { continue };
        if is_said(row) {
            continue;
        }
        let detail =
            format!("found {event} of surface {}, expected words of an agent alone", row.surface.name());
        violations.push(Code::AgentReportUnsupported, view.place_of_event(index), detail);
        if view.given != Given::Ids {
            return;
        }
    }
}

/// What was observed needs at least one event that is not words of an agent.
fn session_observed(view: &View<'_>, basis: &Evidence<'_>, violations: &mut Violations) {
    let mut rows = basis.rows(view.evidence).peekable();
    if rows.peek().is_some() && rows.all(is_said) {
        let place = view.pointer.member("source_label");
        violations.push(
            Code::SessionObservedUnsupported,
            place,
            "found words of agents alone, expected an event that shows more",
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::meaning::synthesis::testing::{Case, ids};

    #[test]
    fn a_report_is_assistant_text_and_nothing_else() {
        let case = Case::new();
        case.refuses(
            |draft| draft["story"][0]["source_label"] = json!("agent_report"),
            &["agent-report-unsupported /story/0/accounting_claim_ids"],
        );
        case.refuses(
            |draft| {
                let entry = &mut draft["story"][1];
                entry["accounting_claim_ids"] = json!(["plan-1", "goal-1"]);
                entry["evidence_ids"] = ids(&[0, 1]);
                draft["story"].as_array_mut().unwrap().remove(0);
            },
            &["agent-report-unsupported /story/0/evidence_ids/0"],
        );
    }

    #[test]
    fn assistant_text_alone_is_no_observation() {
        let case = Case::new();
        case.refuses(
            |draft| draft["final_state"][0]["source_label"] = json!("session_observed"),
            &["session-observed-unsupported /final_state/0/source_label"],
        );
        case.accepts(|draft| {
            draft["final_state"][0]["source_label"] = json!("session_observed");
            draft["final_state"][0]["accounting_claim_ids"] = json!(["end-1", "change-2"]);
        });
    }

    #[test]
    fn an_inference_says_what_is_not_seen_and_a_probe_has_nothing_to_add() {
        let case = Case::new();
        let inference =
            |draft: &mut serde_json::Value| draft["story"][0]["source_label"] = json!("inference");
        case.refuses(inference, &["inference-without-caveat /story/0"]);
        case.accepts(|draft| {
            inference(draft);
            draft["story"][0]["caveat"] = json!("Nobody says so.");
        });
        case.refuses(
            |draft| {
                draft["story"][0]["source_label"] = json!("verified_now");
                draft["story"][0]["caveat"] = json!("Perhaps.");
                draft["story"][0]["git_evidence"] =
                    json!([{"repository": "repo-1", "kind": "clean", "value": "false"}]);
            },
            &["caveat-misplaced /story/0/caveat"],
        );
    }
}
