//! A sealed accounting held against what it says itself: shape, texts, names, and whether its ranges give each event
//! of the ledger state that it names exactly one owner. Whether those events carry it, only the ledger can say.

use serde_json::Value;

use super::check::check_shape;
use super::draft::{Draft, Entry};
use super::ranges::length;
use super::resolve::{Holding, by_ranges};
use super::{kinds, naming, ownership};
use crate::base::pointer::Pointer;
use crate::base::policy::Search;
use crate::base::rules::Code;
use crate::base::violations::Violations;
use crate::evidence::slice::Run;

/// Holds a sealed document against every rule, or part of one, that needs no ledger. A draft is `not-sealed`.
pub fn check(value: &Value, violations: &mut Violations) {
    if value.get("ledger").is_none() {
        let detail = "found no member `ledger`, expected the sealed form";
        violations.push(Code::NotSealed, Pointer::root(), detail);
        return;
    }
    check_shape("accounting", value, &Search::default(), violations);
    let draft = Draft::read(value);
    naming::check(&draft.entries, violations);
    let Some(size) = value.pointer("/ledger/size").and_then(Value::as_u64) else { return };
    let place = Pointer::root().member("ledger").member("size");
    if size == 0 {
        violations.push(Code::NothingToRecap, place, "found a ledger of 0 events, expected at least 1");
    }
    let holdings: Vec<Holding> =
        draft.entries.iter().map(|entry| by_ranges(entry, size, violations)).collect();
    ownership::check(draft.whole, &draft.entries, &holdings, size, violations);
    for (entry, holding) in draft.entries.iter().zip(&holdings).filter(|(_, holding)| holding.sound) {
        kinds::holds_nothing(entry, holding, violations);
        seal(value, entry, holding, violations);
    }
    order(&draft, &holdings, violations);
}

/// The count of an entry is that of its ranges, and these are sorted and joined.
fn seal(value: &Value, entry: &Entry<'_>, holding: &Holding, violations: &mut Violations) {
    let runs = holding.runs();
    let expected: u64 = runs.iter().copied().map(length).sum();
    let stated =
        entry.place.and_then(|place| value.get(entry.side.list())?.get(place)?.get("count")?.as_u64());
    if let Some(found) = stated.filter(|found| *found != expected) {
        let detail = format!("found {found}, expected {expected}");
        violations.push(Code::GroupSealBroken, entry.member("count"), detail);
    }
    let written: Vec<Run> = entry.ranges.iter().map(|(_, run)| *run).collect();
    if written != runs {
        let detail = "sealed ranges are sorted and joined";
        violations.push(Code::GroupSealBroken, entry.member("ranges"), detail);
    }
}

/// Entries stand in the order of their first events, as sealing writes them.
fn order(draft: &Draft<'_>, holdings: &[Holding], violations: &mut Violations) {
    let entries = draft.entries.iter().zip(holdings);
    let keys: Vec<_> =
        entries.map(|(entry, holding)| (entry, (entry.side, holding.first(), entry.id))).collect();
    for pair in keys.windows(2) {
        if let [(_, before), (entry, after)] = pair
            && before > after
        {
            violations.push(
                Code::GroupSealBroken,
                entry.pointer(),
                "sealed entries go by their first events",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Violations, check};

    /// What is found in a sealed document of two events with these claims.
    fn found(claims: &[Value]) -> Vec<String> {
        let digest = "0".repeat(64);
        let ledger = json!({"size": 2, "root": digest, "records": 2, "records_root": digest});
        let document = json!({"schema_version": "recap.accounting.v1", "ledger": ledger, "claims": claims,
            "low_signal_groups": []});
        let mut violations = Violations::default();
        check(&document, &mut violations);
        violations.sorted().iter().map(|one| format!("{} {}", one.code.as_str(), one.pointer)).collect()
    }

    fn claim(id: &str, first: u64, last: u64) -> Value {
        json!({"claim_id": id, "kind": "action", "label": "Words", "ranges": [[first, last]],
            "count": last - first + 1, "event_ids_sha256": "0".repeat(64)})
    }

    #[test]
    fn entries_that_begin_alike_are_in_order() {
        assert!(found(&[claim("a", 0, 0), claim("b", 1, 1)]).is_empty());
        assert_eq!(found(&[claim("b", 1, 1), claim("a", 0, 0)]), ["group-seal-broken /claims/1"]);
        let twice = found(&[claim("a", 0, 1), claim("a", 0, 1)]);
        assert_eq!(twice, ["claim-id-duplicate /claims/1/claim_id", "event-owned-twice /claims/1/ranges/0"]);
    }
}
