//! The smallest change of a document: the operations of JSON Patch (RFC 6902) but `test`, values that are made of a
//! few words so that a case stays small, and changes of the text for what no JSON value can be.

use serde_json::Value;

/// Changes a document by one operation.
pub fn apply(document: &mut Value, operation: &Value) {
    let path = word(operation, "path");
    match word(operation, "op") {
        "add" => add(document, path, made(&operation["value"])),
        "replace" => *at(document, path) = made(&operation["value"]),
        "remove" => drop(remove(document, path)),
        "move" => {
            let value = remove(document, word(operation, "from"));
            add(document, path, value);
        }
        "copy" => {
            let value = at(document, word(operation, "from")).clone();
            add(document, path, value);
        }
        other => panic!("no such operation: {other}"),
    }
}

/// Changes the bytes: `find` stands there once and is replaced by `put`, or by the bytes of `hex`. The new bytes go
/// behind the last one without `find`, before the first where it is empty, and are the document where it is `@whole@`. `pad` is a size that spaces fill.
pub fn apply_to_text(bytes: &mut Vec<u8>, change: &Value) {
    if let Some(size) = change.get("pad") {
        bytes.resize(usize::try_from(size.as_u64().unwrap()).unwrap(), b' ');
        return;
    }
    let new = match change.get("hex") {
        Some(digits) => hex(digits.as_str().unwrap()),
        None => made(&change["put"]).as_str().unwrap().as_bytes().to_vec(),
    };
    let Some(find) = change.get("find").map(|find| find.as_str().unwrap().as_bytes()) else {
        bytes.extend(new);
        return;
    };
    let places: Vec<usize> = match find {
        b"" => vec![0],
        b"@whole@" => {
            *bytes = new;
            return;
        }
        _ => (0..bytes.len()).filter(|place| bytes[*place..].starts_with(find)).collect(),
    };
    let [place] = places[..] else { panic!("{} places of {}", places.len(), change["find"]) };
    bytes.splice(place..place + find.len(), new);
}

fn word<'v>(operation: &'v Value, name: &str) -> &'v str {
    operation[name].as_str().unwrap_or_else(|| panic!("{operation} has no {name}"))
}

fn at<'v>(document: &'v mut Value, path: &str) -> &'v mut Value {
    document.pointer_mut(path).unwrap_or_else(|| panic!("the base has nothing at {path}"))
}

fn split(path: &str) -> (&str, String) {
    let (parent, last) = path.rsplit_once('/').unwrap();
    (parent, last.replace("~1", "/").replace("~0", "~"))
}

fn add(document: &mut Value, path: &str, value: Value) {
    let (parent, last) = split(path);
    match at(document, parent) {
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => items.insert(last.parse().unwrap(), value),
        Value::Object(members) => drop(members.insert(last, value)),
        _ => panic!("nothing can be added at {path}"),
    }
}

fn remove(document: &mut Value, path: &str) -> Value {
    let (parent, last) = split(path);
    match at(document, parent) {
        Value::Array(items) => items.remove(last.parse().unwrap()),
        Value::Object(members) => members.remove(&last).unwrap_or_else(|| panic!("nothing at {path}")),
        _ => panic!("nothing at {path}"),
    }
}

/// `{"$text": "ab", "$times": 3}` is the text three times; an element `{"$item": …, "$times": 3}` is three elements in
/// which `#` is their number, from 0.
fn made(value: &Value) -> Value {
    let times = || usize::try_from(value["$times"].as_u64().unwrap()).unwrap();
    match value {
        Value::Object(members) if members.contains_key("$text") => {
            value["$text"].as_str().unwrap().repeat(times()).into()
        }
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), made(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().flat_map(elements).collect(),
        other => other.clone(),
    }
}

fn elements(value: &Value) -> Vec<Value> {
    let Some(item) = value.get("$item") else { return vec![made(value)] };
    let text = item.to_string();
    let number = |number: u64| made(&serde_json::from_str(&text.replace('#', &number.to_string())).unwrap());
    (0..value["$times"].as_u64().unwrap()).map(number).collect()
}

fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len())
        .step_by(2)
        .map(|place| u8::from_str_radix(&digits[place..place + 2], 16).unwrap())
        .collect()
}
