//! Facts about what may be said of runs.

use serde_json::{Value, json};

use crate::evidence::command::observation::Outcome;
use crate::meaning::accounting::ClaimKind;
use crate::meaning::synthesis::testing::{Case, draft, id, ids};

const OUTCOME: &str = "verification-outcome-mismatch /verification/0/command_event_id";

fn says(draft: &mut Value, outcome: &str, basis: Option<&str>) {
    draft["verification"][0]["outcome"] = json!(outcome);
    if let Some(basis) = basis {
        draft["verification"][0]["basis"] = json!(basis);
    }
}

#[test]
fn the_outcome_is_the_indexed_one_or_retried() {
    let case = Case::new();
    case.accepts(|draft| says(draft, "passed", None));
    case.accepts(|draft| says(draft, "retried", None));
    for outcome in ["failed", "unknown"] {
        case.refuses(|draft| says(draft, outcome, None), &[OUTCOME]);
    }
}

#[test]
fn a_masked_status_is_unknown_or_what_the_output_reports() {
    let reported = Some("reported_by_output");
    let mut case = Case::new();
    case.refuses(|draft| says(draft, "passed", reported), &[OUTCOME]);
    case.run(8, |outcome, reported, _| (*outcome, *reported) = (Outcome::Unknown, Some(Outcome::Passed)));
    // The failed run before it has no later pass by status now.
    let told = |draft: &mut Value| {
        let mut failed = draft["verification"][0].clone();
        failed["id"] = json!("run-2");
        failed["accounting_claim_ids"] = json!(["failure-1"]);
        failed["outcome"] = json!("failed");
        failed["command_event_id"] = json!(id(4));
        failed["result_event_id"] = json!(id(5));
        draft["verification"].as_array_mut().unwrap().push(failed);
    };
    case.refuses(|draft| says(draft, "unknown", None), &["verification-run-omitted /verification"]);
    let both = |draft: &mut Value, outcome, basis| {
        told(draft);
        says(draft, outcome, basis);
    };
    case.accepts(|draft| both(draft, "unknown", None));
    case.accepts(|draft| both(draft, "passed", reported));
    case.refuses(|draft| both(draft, "passed", None), &[OUTCOME]);
    case.refuses(|draft| both(draft, "failed", reported), &[OUTCOME]);
    case.refuses(|draft| both(draft, "unknown", reported), &[OUTCOME]);
}

#[test]
fn a_wrong_outcome_is_told_what_the_index_shows() {
    for (outcome, reported, said, expected) in [
        (Outcome::Passed, None, "failed", "passed, or retried"),
        (Outcome::Failed, None, "passed", "failed"),
        (
            Outcome::Unknown,
            Some(Outcome::Passed),
            "failed",
            "unknown, or passed with basis reported_by_output",
        ),
        (
            Outcome::Unknown,
            Some(Outcome::Failed),
            "passed",
            "unknown, or failed with basis reported_by_output",
        ),
        (Outcome::Unknown, None, "passed", "unknown"),
    ] {
        let mut case = Case::new();
        case.run(8, |shown, by_output, _| (*shown, *by_output) = (outcome, reported));
        let mut draft = draft();
        says(&mut draft, said, None);
        let rejected = case.check(&draft).unwrap_err();
        let found = rejected.violations.sorted();
        let wrong = found.iter().find(|one| one.code.as_str() == "verification-outcome-mismatch").unwrap();
        assert_eq!(wrong.detail, format!("found another outcome of {}, expected {expected}", id(8)));
    }
}

#[test]
fn an_outcome_of_a_run_names_its_call_and_its_own_result() {
    let case = Case::new();
    let place = "/verification/0";
    case.refuses(
        |draft| draft["verification"][0]["command_event_id"] = Value::Null,
        &[
            "verification-run-omitted /verification",
            &format!("verification-needs-command {place}/command_event_id"),
        ],
    );
    let unknown = format!("verification-command-unknown {place}/command_event_id");
    for stranger in [id(2).to_string(), "e8-000000000000".to_owned()] {
        case.refuses(
            |draft| draft["verification"][0]["command_event_id"] = json!(stranger),
            &["verification-run-omitted /verification", &unknown],
        );
    }
    let result = format!("verification-result-mismatch {place}/result_event_id");
    for other in [json!(id(5)), Value::Null] {
        case.refuses(|draft| draft["verification"][0]["result_event_id"] = other, &[&result]);
    }
}

#[test]
fn what_was_only_discussed_names_no_run() {
    let case = Case::new();
    let discussed = |draft: &mut Value, command: Value| {
        let mut talk = draft["verification"][0].clone();
        talk["id"] = json!("run-2");
        talk["outcome"] = json!("discussed_only");
        talk["command_event_id"] = command;
        talk["result_event_id"] = Value::Null;
        draft["verification"].as_array_mut().unwrap().push(talk);
    };
    case.accepts(|draft| discussed(draft, Value::Null));
    case.refuses(
        |draft| discussed(draft, json!(id(8))),
        &["verification-must-not-name-command /verification/1/command_event_id"],
    );
}

#[test]
fn further_runs_share_outcome_and_claims_and_are_counted_once() {
    let mut case = Case::new();
    case.claims.retain(|(id, ..)| id != "failure-1");
    case.claim("failure-1", ClaimKind::Verification, &[4, 5]);
    case.run(4, |outcome, _, _| *outcome = Outcome::Passed);
    let further = |draft: &mut Value, runs: &[u64]| {
        draft["verification"][0]["accounting_claim_ids"] = json!(["check-1", "failure-1"]);
        draft["verification"][0]["further_runs"] = ids(runs);
    };
    case.accepts(|draft| further(draft, &[4]));
    let place = "/verification/0/further_runs";
    case.refuses(|draft| further(draft, &[4, 4]), &[&format!("evidence-duplicate {place}/1")]);
    case.refuses(|draft| further(draft, &[8]), &[&format!("evidence-duplicate {place}/0")]);
    case.refuses(|draft| further(draft, &[2]), &[&format!("verification-command-unknown {place}/0")]);
    case.refuses(
        |draft| {
            further(draft, &[4]);
            draft["verification"][0]["outcome"] = json!("retried");
        },
        &[&format!("verification-outcome-mismatch {place}/0")],
    );
    case.refuses(
        |draft| {
            draft["verification"][0]["further_runs"] = ids(&[4]);
        },
        &["projection-missing /verification", &format!("evidence-outside-claims {place}/0")],
    );
}

#[test]
fn the_last_run_and_every_failure_without_a_later_pass_are_told() {
    let mut case = Case::new();
    case.run(8, |outcome, _, _| *outcome = Outcome::Failed);
    let omitted = "verification-run-omitted /verification";
    case.refuses(|draft| says(draft, "failed", None), &[omitted]);
    case.accepts(|draft| {
        says(draft, "failed", None);
        draft["verification"][0]["accounting_claim_ids"] = json!(["check-1", "failure-1"]);
        draft["verification"][0]["further_runs"] = ids(&[4]);
    });
}

#[test]
fn two_runs_of_one_call_are_told_by_what_is_said_of_each() {
    let mut case = Case::new();
    case.test_run(8, "lint", Outcome::Unknown, 0, false);
    let omitted = "verification-run-omitted /verification";
    case.refuses(|_| {}, &[omitted]);
    case.accepts(|draft| {
        let mut lint = draft["verification"][0].clone();
        lint["id"] = json!("run-2");
        lint["outcome"] = json!("unknown");
        draft["verification"].as_array_mut().unwrap().push(lint);
    });
}

#[test]
fn a_final_state_says_that_its_run_was_overtaken() {
    let mut case = Case::new();
    let rests_on_run = |draft: &mut Value| {
        draft["final_state"][0]["accounting_claim_ids"] = json!(["end-1", "check-1"]);
        draft["final_state"][0]["source_label"] = json!("session_observed");
    };
    case.accepts(rests_on_run);
    case.run(8, |_, _, stale| *stale = true);
    case.accepts(|_| {});
    case.refuses(rests_on_run, &["verification-stale /final_state/0"]);
    case.accepts(|draft| {
        rests_on_run(draft);
        draft["final_state"][0]["caveat"] = json!("An edit followed the run.");
    });
}
