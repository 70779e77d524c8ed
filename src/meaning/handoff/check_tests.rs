//! Every rule of an edges draft on one small set: a parent, its child, and what the child began in turn.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Basis, Handoff, check};
use crate::base::digest::Digest;
use crate::base::ids::{BoundaryId, Harness};
use crate::base::violations::Violations;
use crate::evidence::kinship::said::By;
use crate::evidence::kinship::set::{Edge, EdgeType, Follows, Grade, Proof, SET_SCHEMA, Set, Side, edge_id};
use crate::evidence::sample::Sample;
use crate::evidence::table::Table;
use crate::evidence::transcript::item::{Status, facet};

fn boundary(name: &str) -> BoundaryId {
    BoundaryId::derive(Harness::Claude, name, None, None)
}

fn edge(from: &str, to: &str) -> Edge {
    let (from, to) = (boundary(from), boundary(to));
    let proof = vec![Proof { by: By::ResultAgentId, side: Side::From, record: None }];
    Edge {
        id: edge_id(from, to, EdgeType::Child),
        from,
        to,
        kind: EdgeType::Child,
        grade: Grade::Proven,
        inherited: None,
        proof,
    }
}

struct Case {
    set: Set,
    set_sha256: Digest,
    tables: BTreeMap<BoundaryId, Table>,
}

impl Case {
    fn new() -> Self {
        let set = Set {
            schema_version: SET_SCHEMA.to_owned(),
            selected: boundary("parent"),
            follows: Follows { children: true, chain: false },
            members: Vec::new(),
            edges: vec![edge("parent", "child"), edge("child", "inner")],
            left_out: Vec::new(),
            limitations: BTreeMap::new(),
            content_sha256: Digest::of(b"content"),
        };
        // Ids of samples depend on the ordinal alone: what only the child and only the inner child hold stands behind.
        let parent = Sample::new().user("Do it.").call("Task").result(Status::Ok, "done").assistant("Done.");
        let child = Sample::new()
            .system(facet::TASK, "Your task.")
            .call("ls")
            .result(Status::Ok, "a")
            .assistant("I looked.")
            .call("cat")
            .redacted()
            .system(facet::AGENT_REPORT, "My own child says yes.");
        let inner = child_of(&child);
        let tables = [("parent", parent.table()), ("child", child.table()), ("inner", inner)];
        let tables = tables.into_iter().map(|(name, table)| (boundary(name), table)).collect();
        Self { set, set_sha256: Digest::of(b"set"), tables }
    }

    fn draft(&self) -> Value {
        let item = |edge: &Edge, label: &str, ordinals: &[u64]| {
            let ids: Vec<String> = ordinals.iter().map(|ordinal| Sample::id(*ordinal).to_string()).collect();
            json!({"edge_id": edge.id, "summary": "Asked and answered.", "source_label": label, "evidence_ids": ids})
        };
        json!({
            "schema_version": "recap.edges-draft.v1",
            "set_sha256": self.set_sha256,
            "items": [
                item(&self.set.edges[1], "agent_report", &[3, 5]),
                item(&self.set.edges[0], "session_observed", &[1, 3]),
            ],
        })
    }

    fn check(&self, change: impl FnOnce(&mut Value)) -> Result<Handoff, Violations> {
        let mut draft = self.draft();
        change(&mut draft);
        let basis = Basis { set: &self.set, set_sha256: self.set_sha256, tables: &self.tables };
        check(draft.to_string().as_bytes(), &basis)
    }

    fn accepts(&self, change: impl FnOnce(&mut Value)) -> Handoff {
        self.check(change).unwrap_or_else(|found| panic!("{:?}", found.sorted()))
    }

    fn refuses(&self, change: impl FnOnce(&mut Value), expected: &[&str]) {
        let found = self.check(change).unwrap_err();
        let found = found.sorted();
        let found: Vec<String> =
            found.iter().map(|place| format!("{} {}", place.code.as_str(), place.pointer)).collect();
        assert_eq!(found, expected);
    }
}

fn child_of(child: &Sample) -> Table {
    let events = child.events().len() as u64;
    let mut inner = Sample::new();
    for _ in 0..=events {
        inner = inner.call("echo");
    }
    inner.table()
}

#[test]
fn items_come_out_in_the_order_of_the_set() {
    let case = Case::new();
    let handoff = case.accepts(|_| {});
    let told: Vec<&str> = handoff.items().iter().map(|item| item.edge_id.as_str()).collect();
    assert_eq!(told, [&case.set.edges[0].id, &case.set.edges[1].id]);
    assert!(!handoff.blocked_evidence());
}

#[test]
fn a_draft_is_strict_json_of_its_shape_and_bound_to_its_set() {
    let case = Case::new();
    let basis = Basis { set: &case.set, set_sha256: case.set_sha256, tables: &case.tables };
    let found = check(b"{\"items\": [], \"items\": []}", &basis).unwrap_err();
    assert_eq!(found.sorted()[0].code.as_str(), "json-malformed");
    case.refuses(|draft| draft["more"] = json!(1), &["schema-violation /more"]);
    case.refuses(|draft| draft["items"][0]["title"] = json!("x"), &["schema-violation /items/0/title"]);
    case.refuses(
        |draft| draft["items"][0]["source_label"] = json!("verified_now"),
        &["schema-violation /items/0/source_label"],
    );
    case.refuses(|draft| draft["set_sha256"] = json!(Digest::of(b"other")), &["set-mismatch /set_sha256"]);
}

#[test]
fn every_edge_has_one_item_and_no_other_has_any() {
    let case = Case::new();
    case.refuses(
        |draft| {
            draft["items"].as_array_mut().unwrap().pop();
        },
        &["edge-missing /items"],
    );
    case.refuses(
        |draft| draft["items"][0]["edge_id"] = json!("edge-000000000000"),
        &["edge-missing /items", "edge-unknown /items/0/edge_id"],
    );
    case.refuses(
        |draft| {
            let again = draft["items"][1].clone();
            draft["items"].as_array_mut().unwrap().push(again);
        },
        &["edge-repeated /items/2/edge_id"],
    );
}

#[test]
fn texts_keep_the_rules_of_all_texts() {
    let case = Case::new();
    case.accepts(|draft| draft["items"][0]["summary"] = json!("one\ntwo"));
    case.refuses(|draft| draft["items"][0]["summary"] = json!(" "), &["text-empty /items/0/summary"]);
    case.accepts(|draft| draft["items"][0]["summary"] = json!("x".repeat(1_200)));
    case.refuses(
        |draft| draft["items"][0]["summary"] = json!("x".repeat(1_201)),
        &["text-too-long /items/0/summary"],
    );
    case.refuses(|draft| draft["items"][0]["caveat"] = json!("a\u{202e}b"), &["text-unsafe /items/0/caveat"]);
    let secret = ["gh", "p_", "x9Kq2mZ7Lw4Rt8Yv3Bn6", "Cd1Fg5Hj0Pq2Sa7E"].concat();
    case.refuses(
        |draft| draft["items"][0]["summary"] = json!(secret),
        &["credential-shaped /items/0/summary"],
    );
}

#[test]
fn evidence_is_events_of_either_end_each_once() {
    let case = Case::new();
    case.refuses(|draft| draft["items"][1]["evidence_ids"] = json!([]), &["evidence-missing /items/1"]);
    let ids = |ordinals: &[u64]| {
        json!(ordinals.iter().map(|ordinal| Sample::id(*ordinal).to_string()).collect::<Vec<_>>())
    };
    // Only the inner child has an event 6: for its own edge it is evidence, for the outer one it is not.
    case.accepts(|draft| {
        draft["items"][0]["source_label"] = json!("session_observed");
        draft["items"][0]["evidence_ids"] = ids(&[6]);
    });
    case.refuses(
        |draft| draft["items"][1]["evidence_ids"] = ids(&[1, 6]),
        &["event-unknown /items/1/evidence_ids/1"],
    );
    case.refuses(
        |draft| draft["items"][1]["evidence_ids"] = json!([ids(&[1])[0], "e1-000000000000"]),
        &["event-unknown /items/1/evidence_ids/1"],
    );
    case.refuses(
        |draft| draft["items"][1]["evidence_ids"] = ids(&[1, 1]),
        &["evidence-duplicate /items/1/evidence_ids/1"],
    );
}

#[test]
fn labels_are_borne_out() {
    let case = Case::new();
    case.refuses(
        |draft| draft["items"][1]["source_label"] = json!("agent_report"),
        &["agent-report-unsupported /items/1/evidence_ids/0"],
    );
    // A report that arrives as a notice is a report, and no observation.
    case.refuses(
        |draft| draft["items"][0]["source_label"] = json!("session_observed"),
        &["session-observed-unsupported /items/0/source_label"],
    );
    case.refuses(
        |draft| draft["items"][0]["source_label"] = json!("inference"),
        &["inference-without-caveat /items/0"],
    );
    case.accepts(|draft| {
        draft["items"][0]["source_label"] = json!("inference");
        draft["items"][0]["caveat"] = json!("Nobody says so.");
    });
}

#[test]
fn hidden_text_alone_needs_a_caveat() {
    let case = Case::new();
    let hidden = |draft: &mut Value| {
        draft["items"][1]["evidence_ids"] = json!([Sample::id(4).to_string()]);
    };
    case.refuses(hidden, &["redaction-blocks-evidence /items/1"]);
    let handoff = case.accepts(|draft| {
        hidden(draft);
        draft["items"][1]["caveat"] = json!("Its text is hidden.");
    });
    assert!(handoff.blocked_evidence());
}

#[test]
fn hidden_text_under_two_edges_stays_hidden() {
    let handoff = Case::new().accepts(|draft| {
        for item in draft["items"].as_array_mut().unwrap() {
            item["source_label"] = json!("inference");
            item["caveat"] = json!("Its text is hidden.");
            item["evidence_ids"] = json!([Sample::id(4).to_string()]);
        }
    });
    assert!(handoff.blocked_evidence());
}
