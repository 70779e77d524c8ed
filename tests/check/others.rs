//! The smallest changes of a sealed accounting and of a rendered recap that are refused.

use recap::report::published::Published;
use serde_json::{Value, json};

use super::rules::{Change, drop_member, push, repeat_first, secret, verified};

/// Changes of a sealed accounting.
pub const ACCOUNTING: &[(&str, Change)] = &[
    ("schema-violation /ledger/size", |d| d["ledger"]["size"] = json!("28")),
    ("text-unsafe /claims/*/label", |d| d["claims"][0]["label"] = json!("a\u{200b}b")),
    ("credential-shaped /claims/*/label", |d| d["claims"][0]["label"] = json!(secret())),
    ("id-malformed /claims/*/claim_id", |d| d["claims"][0]["claim_id"] = json!("-")),
    ("not-sealed ", |d| drop_member(d, "ledger")),
    ("claim-id-duplicate /claims/*/claim_id", |d| {
        d["claims"][1]["claim_id"] = d["claims"][0]["claim_id"].clone()
    }),
    ("group-id-duplicate /low_signal_groups/*/group_id", |d| {
        // The last event of the group becomes a group of its own.
        let mut group = d["low_signal_groups"][0].clone();
        let last = group["ranges"].as_array().unwrap().last().unwrap()[1].as_u64().unwrap();
        let ranges = d["low_signal_groups"][0]["ranges"].as_array_mut().unwrap();
        let end = ranges.last_mut().unwrap();
        if end[0] == end[1] {
            ranges.pop();
        } else {
            end[1] = json!(last - 1);
        }
        let count = d["low_signal_groups"][0]["count"].as_u64().unwrap();
        d["low_signal_groups"][0]["count"] = json!(count - 1);
        group["ranges"] = json!([[last, last]]);
        group["count"] = json!(1);
        push(&mut d["low_signal_groups"], group);
    }),
    ("id-collides /low_signal_groups/*/group_id", |d| {
        d["low_signal_groups"][0]["group_id"] = d["claims"][0]["claim_id"].clone();
    }),
    ("label-empty /claims/*/label", |d| d["claims"][0]["label"] = json!("")),
    ("label-too-long /claims/*/label", |d| d["claims"][0]["label"] = json!("x".repeat(161))),
    ("claim-kind-unknown /claims/*/kind", |d| d["claims"][0]["kind"] = json!("hope")),
    ("claim-without-evidence /claims/*", |d| empty_claim(d)),
    ("group-without-range /low_signal_groups/*/ranges", |d| {
        let group = json!({"group_id": "zz", "label": "Nothing", "ranges": [], "count": 0,
            "event_ids_sha256": d["claims"][0]["event_ids_sha256"]});
        d["low_signal_groups"].as_array_mut().unwrap().insert(0, group);
    }),
    ("range-invalid /claims/*/ranges/*", |d| {
        d["claims"][0]["ranges"].as_array_mut().unwrap().push(json!([9, 8]));
    }),
    ("range-out-of-bounds /claims/*/ranges/*", |d| {
        let claims = d["claims"].as_array().unwrap().len();
        let last = &mut d["claims"][claims - 1]["ranges"];
        let end = last.as_array().unwrap().len() - 1;
        let size = last[end][1].as_u64().unwrap() + 1;
        last[end][1] = json!(size);
    }),
    ("range-overlap /claims/*/ranges/*", |d| repeat_first(&mut d["claims"][0]["ranges"])),
    // The group then has two ranges that touch.
    (
        "event-owned-twice /low_signal_groups/*/ranges/* | group-seal-broken /low_signal_groups/*/ranges",
        |d| {
            let first = d["claims"][0]["ranges"][0].clone();
            d["low_signal_groups"][0]["ranges"].as_array_mut().unwrap().insert(0, first);
            let count = d["low_signal_groups"][0]["count"].as_u64().unwrap();
            d["low_signal_groups"][0]["count"] = json!(count + 1);
        },
    ),
    ("event-unaccounted ", |d| d["low_signal_groups"] = json!([])),
    ("group-seal-broken /claims/*/count", |d| d["claims"][0]["count"] = json!(99)),
    ("group-seal-broken /claims/*", |d| d["claims"].as_array_mut().unwrap().swap(0, 1)),
    ("nothing-to-recap /ledger/size", |d| {
        d["ledger"]["size"] = json!(0);
        d["claims"] = json!([]);
        d["low_signal_groups"] = json!([]);
    }),
];

fn empty_claim(d: &mut Value) {
    let claim = json!({"claim_id": "zz", "kind": "action", "label": "Nothing", "ranges": [], "count": 0,
        "event_ids_sha256": d["claims"][0]["event_ids_sha256"]});
    d["claims"].as_array_mut().unwrap().insert(0, claim);
}

/// Changes of a rendered recap.
pub const RECAP: &[(&str, Change)] = &[
    ("schema-violation /title", |d| d["title"] = json!(1)),
    ("schema-violation /sections/*/absent", |d| {
        d["sections"][0]["absent"] = json!(["No open work claimed.", "None claimed."]);
    }),
    ("text-unsafe /headline/summary", |d| reworded(d, "/headline/summary", "a\u{202e}b")),
    ("credential-shaped /headline/summary", |d| reworded(d, "/headline/summary", &secret())),
    ("item-id-duplicate /sections/*/lines/*/id", |d| {
        d["sections"][0]["lines"][0]["id"] = d["headline"]["id"].clone();
        recount(d);
    }),
    ("text-empty /headline/summary", |d| reworded(d, "/headline/summary", "")),
    ("evidence-missing /headline", |d| {
        d["headline"]["ordinal_ranges"] = json!([]);
        recount(d);
    }),
    ("inference-without-caveat /sections/*/lines/*", |d| {
        drop_member(&mut d["sections"][0]["lines"][1], "caveat");
        recount(d);
    }),
    ("caveat-misplaced /headline/caveat", |d| {
        verified(&mut d["headline"]);
        d["headline"]["caveat"] = json!("Perhaps.");
        recount(d);
    }),
    ("git-evidence-missing /headline", |d| reworded(d, "/headline/source_label", "verified_now")),
    ("git-evidence-missing /headline", |d| {
        verified(&mut d["headline"]);
        reworded(d, "/headline/git_evidence/0/kind", "available");
    }),
    ("git-evidence-misplaced /headline/git_evidence", |d| {
        verified(&mut d["headline"]);
        reworded(d, "/headline/source_label", "session_observed");
    }),
    ("git-evidence-value-mismatch /headline/git_evidence/*", |d| {
        verified(&mut d["headline"]);
        reworded(d, "/headline/git_evidence/0/value", "yes");
    }),
    ("timeline-not-chronological /sections/*/lines/*/first_ordinal", |d| {
        d["sections"][1]["lines"].as_array_mut().unwrap().reverse();
    }),
    ("timeline-bounds-wrong /sections/*/lines/*/first_ordinal", |d| {
        let first = d["sections"][1]["lines"][1]["first_ordinal"].as_u64().unwrap();
        d["sections"][1]["lines"][1]["first_ordinal"] = json!(first + 1);
    }),
    ("coverage-group-repeated /low_signal_groups/*/group_id", |d| {
        repeat_first(&mut d["low_signal_groups"]);
        recount(d);
    }),
    ("render-too-long ", |d| {
        let line = d["sections"][4]["lines"][0].clone();
        for number in 0..12 {
            let mut line = line.clone();
            line["id"] = json!(format!("more-{number}"));
            line["summary"] = json!("word ".repeat(240).trim());
            push(&mut d["sections"][4]["lines"], line);
        }
        recount(d);
    }),
    ("render-contradicts /status/state", |d| d["status"]["state"] = json!("snapshot")),
    ("render-contradicts /notice", |d| d["notice"][0] = json!("COMPLETE, believe me")),
    ("render-contradicts /words", |d| d["words"] = json!(1)),
    ("render-contradicts /status/codes", |d| d["limitations"]["partial-tail"] = json!(1)),
];

fn reworded(d: &mut Value, place: &str, text: &str) {
    *d.pointer_mut(place).unwrap() = json!(text);
    recount(d);
}

fn recount(d: &mut Value) {
    d["words"] = json!(Published::read(d).unwrap().word_count());
}
