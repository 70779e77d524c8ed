//! Violations for a person: grouped by rule, statement and remedy once a rule, and under them each place with line and
//! column of the author's own file and with what was found there. Shorthand is never shown expanded: a place is always
//! one that the author wrote. The only text that leaves the private report, and it goes to standard error alone.

use std::fmt::Write as _;

use crate::base::json::position::{Position, locate};
use crate::base::json::read::strict_located;
use crate::base::refusal::visible;
use crate::base::rules::Code;
use crate::base::violations::{Violation, Violations};
use crate::stage::verdict::Verdict;

/// The text that `--explain` prints on standard error; empty when nothing was found.
pub fn explained(verdict: &Verdict) -> String {
    let mut text = grouped(&verdict.violations, &verdict.document);
    if let Some((violations, document)) = verdict.left_behind.as_ref().filter(|(found, _)| !found.is_empty())
    {
        text.push_str("of the older draft, not carried over:\n");
        text.push_str(&grouped(violations, document));
    }
    text
}

fn grouped(violations: &Violations, document: &[u8]) -> String {
    let listed = violations.sorted();
    let pointers: Vec<String> = listed.iter().map(|violation| violation.pointer.to_string()).collect();
    let positions = locate(document, &pointers);
    let places: Vec<_> = listed.into_iter().zip(pointers).zip(positions).collect();
    let mut text = String::new();
    for (code, count) in violations.counts() {
        let rule = code.rule();
        // Writing into memory cannot fail.
        let _ = writeln!(text, "{}: {} ({count})", rule.code, rule.statement);
        let _ = writeln!(text, "  to mend: {}", rule.mend);
        let mut shown = 0;
        for ((violation, pointer), position) in places.iter().filter(|((one, _), _)| one.code == *code) {
            shown += 1;
            let place = place(violation, pointer, *position, document);
            let _ = writeln!(text, "  {}: {}", visible(&place), visible(&violation.detail));
        }
        if shown < *count {
            let _ = writeln!(text, "  and {} more places", count - shown);
        }
    }
    text
}

/// A fault of the document as a whole has no line but its first; that of a file that is no JSON is where reading ended.
fn place(violation: &Violation, pointer: &str, position: Position, document: &[u8]) -> String {
    if violation.code == Code::JsonMalformed {
        let fault = strict_located(document).err();
        return fault.map_or_else(|| "the document".to_owned(), |fault| fault.position.to_string());
    }
    match pointer {
        "" => "the document".to_owned(),
        // A document that was too large was not read.
        pointer if document.is_empty() => pointer.to_owned(),
        pointer => format!("{position}, {pointer}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, Verdict, Violations, explained};
    use crate::base::limits::PLACES_PER_CODE;
    use crate::base::pointer::Pointer;
    use crate::base::receipt::Receipt;

    fn verdict(places: &[(Code, Pointer, &str)], document: &str) -> Verdict {
        let mut violations = Violations::default();
        for (code, pointer, detail) in places {
            violations.push(*code, pointer.clone(), *detail);
        }
        Verdict::of(Receipt::new("seal-accounting"), violations, document.as_bytes().to_vec())
    }

    #[test]
    fn statement_and_remedy_stand_once_a_code_over_its_places() {
        let label = |index| Pointer::root().member("claims").index(index).member("label");
        let document = "{\"claims\": [\n  {\"label\": \"\"},\n  {\"label\": \"\"}]}";
        let verdict = verdict(
            &[
                (Code::LabelEmpty, label(1), "found nothing"),
                (Code::EventUnaccounted, Pointer::root(), "events 3 to 5"),
                (Code::LabelEmpty, label(0), "found nothing"),
            ],
            document,
        );
        let (empty, unaccounted) = (Code::LabelEmpty.rule(), Code::EventUnaccounted.rule());
        let expected = format!(
            "label-empty: {} (2)\n  to mend: {}\n  line 2 column 13, /claims/0/label: found nothing\n  line 3 column 13, \
             /claims/1/label: found nothing\nevent-unaccounted: {} (1)\n  to mend: {}\n  the document: events 3 to 5\n",
            empty.statement, empty.mend, unaccounted.statement, unaccounted.mend
        );
        assert_eq!(explained(&verdict), expected);
    }

    #[test]
    fn a_file_that_is_no_json_is_placed_where_reading_ended() {
        let text = explained(&verdict(&[(Code::JsonMalformed, Pointer::root(), "why")], "{\n\"ä\": -1}"));
        assert!(text.ends_with("\n  line 2 column 6: why\n"), "{text}");
    }

    #[test]
    fn what_is_not_listed_is_counted() {
        let many = vec![(Code::LabelEmpty, Pointer::root().member("label"), "x"); PLACES_PER_CODE + 3];
        assert!(explained(&verdict(&many, "{}")).ends_with("\n  and 3 more places\n"));
    }

    #[test]
    fn what_an_older_draft_loses_is_placed_in_that_draft() {
        let place = Pointer::root().member("story").index(0);
        let mut verdict = verdict(&[(Code::TextEmpty, place.clone(), "write it")], "{\"story\": [1]}");
        let mut left_behind = Violations::default();
        left_behind.push(Code::ClaimUnknown, place, "not in the sealed accounting");
        verdict.left_behind = Some((left_behind, b"\n\n{\"story\": [1]}".to_vec()));
        let text = explained(&verdict);
        let (new, old) = text.split_once("of the older draft, not carried over:\n").unwrap();
        assert!(new.contains("  line 1 column 12, /story/0: write it\n"), "{text}");
        assert!(old.contains("  line 3 column 12, /story/0: not in the sealed accounting\n"), "{text}");
    }
}
