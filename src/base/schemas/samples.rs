//! Hand-made documents against their schemas: each sample fits, and hardly any change to one does.

use serde_json::{Value, json};

use super::{ALL, check, find};
use crate::base::rules::{Code, Kind};
use crate::base::violations::Violations;

/// By schema: one sample of each kind of document or row.
const SAMPLES: &str = include_str!("../../../tests/data/schemas.json");

/// Members that a document may leave out.
const OPTIONAL: [&str; 4] = ["boundary", "violations", "pointers", "limitations"];

fn samples() -> Vec<(String, Value)> {
    let all: Value = serde_json::from_str(SAMPLES).unwrap();
    let lists = all.as_object().unwrap().clone();
    lists
        .into_iter()
        .flat_map(|(name, list)| {
            let list = list.as_array().unwrap().clone();
            list.into_iter().map(move |sample| (name.clone(), sample))
        })
        .collect()
}

fn fits(name: &str, value: &Value) -> bool {
    check(name, value, &mut Violations::default())
}

/// Pointers to every value of a document.
fn places(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), value)];
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::Object(members) => open.extend(members.iter().map(|(name, member)| {
                (format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), member)
            })),
            Value::Array(items) => {
                open.extend(
                    items.iter().enumerate().map(|(place, item)| (format!("{pointer}/{place}"), item)),
                );
            }
            _ => {}
        }
        found.push(pointer);
    }
    found
}

/// Changes every value in turn; `change` gives what must not fit in its place.
fn refuses(change: impl Fn(&str, &Value) -> Option<Value>) {
    for (name, sample) in samples() {
        for place in places(&sample) {
            let mut changed = sample.clone();
            let value = changed.pointer_mut(&place).unwrap();
            let Some(wrong) = change(&place, value) else { continue };
            *value = wrong;
            assert!(!fits(&name, &changed), "{name} at `{place}`: {}", changed.pointer(&place).unwrap());
        }
    }
}

#[test]
fn every_schema_of_a_file_that_we_write_has_samples_and_they_fit() {
    for (name, sample) in samples() {
        let mut violations = Violations::default();
        check(&name, &sample, &mut violations);
        assert!(violations.is_empty(), "{name}: {:?}", violations.sorted());
    }
    for schema in ALL.iter().filter(|schema| !schema.name.ends_with("-draft")) {
        assert!(samples().iter().any(|(name, _)| name == schema.name), "{}", schema.name);
    }
}

#[test]
fn no_object_takes_a_member_that_is_not_ours() {
    refuses(|place, value| {
        // The only map by names of a transcript.
        let foreign = place.ends_with("/unknown_types");
        let mut members = value.as_object().filter(|_| !foreign)?.clone();
        members.insert("Not ours".to_owned(), json!(1));
        Some(Value::Object(members))
    });
}

#[test]
fn no_document_does_without_one_of_its_members() {
    for (name, sample) in samples() {
        let members = sample.as_object().unwrap();
        for member in members.keys().filter(|member| name != "receipt" || !OPTIONAL.contains(&&***member)) {
            let mut without = members.clone();
            without.remove(member);
            assert!(!fits(&name, &Value::Object(without)), "{name} without `{member}`");
        }
    }
}

#[test]
fn every_number_is_an_integer_from_0_to_2_to_the_53_minus_1() {
    for wrong in [json!(9_007_199_254_740_992_u64), json!(-1), json!(0.5)] {
        refuses(|_, value| value.is_number().then(|| wrong.clone()));
    }
}

#[test]
fn every_digest_and_id_has_one_spelling() {
    refuses(|place, value| {
        let text = value.as_str()?;
        let free =
            place.ends_with("/command_key") || place.ends_with("/commit") || place.contains("/commits/");
        let hex = text.rsplit(['-', '/', '#']).next()?.len() >= 12
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        let ours = text.starts_with("recap://") || text.len() == 64 || text.starts_with('e') && hex;
        (ours && !free).then(|| json!(text.to_uppercase()))
    });
}

#[test]
fn the_enums_of_codes_are_the_rule_table() {
    for (definition, kind) in [("violation_code", Kind::Violation), ("limitation_code", Kind::Limitation)] {
        let table: Vec<_> =
            Code::ALL.iter().filter(|code| code.rule().kind == kind).map(|code| code.as_str()).collect();
        let mut found = 0;
        for schema in ALL {
            let value: Value = serde_json::from_str(schema.text).unwrap();
            let Some(listed) = value.pointer(&format!("/$defs/{definition}/enum")) else { continue };
            assert_eq!(listed, &json!(table), "{definition} of {}", schema.name);
            found += 1;
        }
        assert!(found > 1);
    }
    assert!(find("receipt").unwrap().text.contains("limitation_code"));
}
