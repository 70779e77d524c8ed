//! The table of kinds against the spotter, and what must hold for every text.

#![expect(clippy::string_slice, reason = "a test may panic")]

use proptest::prelude::{ProptestConfig, Strategy, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::kinds::{self, Kind, Place};
use super::{Span, Spotter, has_secret, marker, quote_for};

fn kinds() -> impl Iterator<Item = &'static Kind> {
    kinds::TABLES.into_iter().flatten()
}

/// Made-up characters for the runs of a notation, the same on every run, so that no whole token stands in the source.
fn expand(notation: &str) -> String {
    let mut text = String::new();
    let mut seed = 0x9e37_79b9_u64;
    let mut rest = notation;
    while let Some((before, tail)) = rest.split_once('{') {
        text.push_str(before);
        let (run, tail) = match tail.split_once('}') {
            Some((run, tail))
                if run.len() > 1
                    && run.starts_with(|c: char| c.is_ascii_uppercase())
                    && run[1..].starts_with(|c: char| c.is_ascii_digit()) =>
            {
                (run, tail)
            }
            _ => {
                text.push('{');
                rest = tail;
                continue;
            }
        };
        let alphabet: &[u8] = match &run[..1] {
            "A" | "U" | "V" | "P" | "W" => b"AkB7cD3eFgH9iJ2lMnO5pQrS8tUvW4xYz6",
            "B" => b"Ak+7cD3eFgH9iJ/lMnO5pQrS8tUvW4xYz6",
            "D" => b"7391846205",
            "H" | "X" => b"7a3f9c1e5b8d2046",
            "L" => b"krmzqwv",
            "N" => b"7ak3f9cz1me5qb8d2046",
            "S" => b"AK7CD3EFGHQ5PRSTUVW4XYZ6",
            other => panic!("no alphabet {other}"),
        };
        let count = run[1..].split(['+', '-', '~']).next().unwrap();
        let count: usize = count.parse().unwrap();
        for _ in 0..count {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push(char::from(alphabet[usize::try_from(seed >> 33).unwrap() % alphabet.len()]));
        }
        rest = tail;
    }
    text + rest
}

/// Takes the brackets out of an example; returns the text and what must be found in it.
fn example(notation: &str) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut expected = Vec::new();
    let expanded = expand(notation);
    let mut rest = expanded.as_str();
    while let Some((before, tail)) = rest.split_once('«') {
        let (secret, tail) = tail.split_once('»').unwrap();
        text.push_str(before);
        text.push_str(secret);
        expected.push(secret.to_owned());
        rest = tail;
    }
    (text + rest, expected)
}

fn found(text: &str) -> Vec<(&'static str, String)> {
    Spotter::global()
        .spot(text)
        .iter()
        .map(|span| (span.kind, text[span.start..span.end].to_owned()))
        .collect()
}

fn redact(text: &str) -> String {
    let mut scrubbed = String::new();
    let mut copied = 0;
    for Span { start, end, kind } in Spotter::global().spot(text) {
        scrubbed.push_str(&text[copied..start]);
        scrubbed.push_str(&marker(kind, 1));
        copied = end;
    }
    scrubbed + &text[copied..]
}

/// As a scrubber of JSON replaces: a bare number by a string.
fn replaced(text: &str) -> String {
    let mut scrubbed = String::new();
    let mut copied = 0;
    for Span { start, end, kind } in Spotter::global().spot(text) {
        let quote = quote_for(text, start, end);
        scrubbed.push_str(&text[copied..start]);
        scrubbed.push_str(&format!("{quote}{}{quote}", marker(kind, 1)));
        copied = end;
    }
    scrubbed + &text[copied..]
}

#[test]
fn every_shape_is_found_where_nothing_else_tells() {
    for kind in kinds() {
        for shape in kind.shapes {
            let (kept, secret) = shape.split_once('|').unwrap_or(("", shape));
            let (kept, mut secret) = (expand(kept), expand(secret));
            if kind.name == "discord-token" {
                // Behind the first two characters stands what two digits leave in base64.
                secret.replace_range(2..3, "A");
            }
            let text = format!("see {kept}{secret} there");
            let spans = found(&text);
            assert!(
                spans.iter().any(|(_, value)| *value == secret),
                "{}: {shape}: {spans:?} in {text}",
                kind.name
            );
        }
    }
}

#[test]
fn every_example_is_found_whole_and_alone() {
    for kind in kinds() {
        for notation in kind.examples {
            let (text, expected) = example(notation);
            let expected: Vec<_> = expected.into_iter().map(|secret| (kind.name, secret)).collect();
            assert_eq!(found(&text), expected, "{notation}");
        }
    }
}

fn places() -> impl Iterator<Item = &'static Place> {
    kinds::PLACES.into_iter().flatten()
}

/// What is found in the texts of a place and what should be, where the two differ.
fn differences(place: &Place) -> Vec<String> {
    let mut differences = Vec::new();
    for notation in place.examples {
        let (text, expected) = example(notation);
        let spans = found(&text);
        let values: Vec<&String> = spans.iter().map(|(_, value)| value).collect();
        let is_named = spans.iter().all(|(kind, _)| place.kinds.contains(kind));
        if expected.is_empty() || values != expected.iter().collect::<Vec<_>>() || !is_named {
            differences.push(format!("{}: {notation:?}\n  gives {spans:?}", place.name));
        }
    }
    for notation in place.near {
        let spans = found(&expand(notation));
        if !spans.is_empty() {
            differences.push(format!("{}: near {notation:?}\n  gives {spans:?}", place.name));
        }
    }
    differences
}

#[test]
fn every_place_shows_what_is_secret_in_it_and_leaves_the_rest() {
    let differences: Vec<String> = places().flat_map(differences).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn every_row_has_a_name_of_its_own_a_source_examples_and_near_misses() {
    let rows = kinds()
        .map(|kind| (kind.name, kind.source, kind.examples, kind.near))
        .chain(places().map(|place| (place.name, place.source, place.examples, place.near)));
    let mut names = std::collections::BTreeSet::new();
    for (name, source, examples, near) in rows {
        assert!(names.insert(name), "{name} stands twice");
        assert!(source.len() > 6, "{name} has no source");
        assert!(!examples.is_empty(), "{name} has no example");
        assert!(
            examples.iter().all(|example| example.contains('«')),
            "{name} has an example without a secret"
        );
        assert!(!near.is_empty(), "{name} has no near miss");
    }
    for place in places() {
        let is_kind = |name: &&str| kinds().any(|kind| kind.name == *name);
        assert!(!place.kinds.is_empty() && place.kinds.iter().all(is_kind), "{}", place.name);
    }
}

#[test]
fn every_near_miss_is_left_alone() {
    for kind in kinds() {
        for notation in kind.near {
            let text = expand(notation);
            assert_eq!(found(&text), [], "{}: {notation}", kind.name);
        }
    }
}

#[test]
fn kinds_have_names_that_fit_a_mark_and_stand_once() {
    let mut names: Vec<&str> = kinds().map(|kind| kind.name).collect();
    assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), kinds().count());
}

#[test]
fn a_mark_is_never_found_wherever_it_stands() {
    for kind in kinds() {
        let mark = marker(kind.name, 12);
        for text in [
            format!("password={mark}"),
            format!("\"api_key\": \"{mark}\""),
            format!("Authorization: Bearer {mark}"),
            format!("https://a:{mark}@host.invalid/x"),
            format!("Cookie: sid={mark}"),
            format!("curl -u a:{mark} x"),
            format!("the password is {mark}"),
            format!("?code={mark}&sig={mark}"),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
    }
}

#[test]
fn a_second_look_by_other_means_finds_nothing_in_what_was_scrubbed() {
    for kind in kinds() {
        for shape in kind.shapes.iter().filter(|shape| !shape.contains('|') && !shape.starts_with('{')) {
            let text = format!("see {} there", expand(shape));
            assert!(!super::assay::Assay::built_in().finds(redact(&text).as_bytes(), &|_| false), "{shape}");
        }
    }
}

#[test]
fn disguised_tokens_are_found_with_all_their_pieces() {
    let token = expand("ghp_{A36}");
    let (head, tail) = token.split_at(9);
    for disguised in [
        format!("{head}\u{200b}{tail}"),
        format!("{head}\u{1b}[0m\u{1b}[K{tail}"),
        format!("{head}\\u001b[0m{tail}"),
        token.replace('_', "%5F"),
        token.replacen('g', "\\u0067", 1),
    ] {
        let spans = found(&format!("x {disguised} y"));
        assert_eq!(spans, [("github-token", disguised.clone())]);
    }
}

#[test]
fn what_is_found_in_a_short_text_is_found_deep_in_a_long_one() {
    let line = "an ordinary line of a log, number 17 of many\n";
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(300);
    let token = expand("ghp_{A36}");
    let (head, tail) = token.split_at(9);
    let pieces = [
        format!("x {head}\u{200b}{tail} y"),
        format!("password=%5{}", expand("F{A30}")),
        format!("{token}{}", expand("xoxb-{D12}-{D13}-{A24}")),
        format!("-----BEGIN PRIVATE KEY-----\n{}\u{1b}[0m{key}-----END PRIVATE KEY-----", &key[..2 * 65]),
        format!("{key}\u{1b}[0m{key}-----END \u{200b}PRIVATE KEY-----"),
        format!("{token} {} [redacted:secret#1]", token.replacen('g', "\\u0067", 1)),
    ];
    for piece in pieces {
        let alone = Spotter::global().spot(&format!("{line}{piece}\n{line}"));
        assert!(!alone.is_empty(), "{piece}");
        for lines in [800, 2_000] {
            let around = line.repeat(lines);
            let moved = around.len() - line.len();
            let deep = Spotter::global().spot(&format!("{around}{piece}\n{around}"));
            let back: Vec<Span> = deep
                .into_iter()
                .map(|span| Span { start: span.start - moved, end: span.end - moved, ..span })
                .collect();
            assert_eq!(back, alone);
        }
    }
}

#[test]
fn a_token_is_found_at_every_depth_of_escaping_and_what_stands_around_it_stays() {
    let token = expand("ghp_{A36}");
    let arguments = format!(
        r#"{{"cmd":"call -H \"X-Auth: Bearer {token}\" -o \"out.txt\"; echo \"--- fetch token --- ok\"","headers":{{"Authorization":["Bearer {token}","x"],"Accept":"a/b"}},"meta":{{"X-Api-Key":40917,"input_tokens":12}}}}"#
    );
    let once = redact(&arguments);
    assert!(!once.contains(&token) && !once.contains("40917"));
    for kept in [
        r#"\" -o \"out.txt\"; echo \"--- fetch token --- ok\"""#,
        r#"","x"],"Accept":"a/b"}"#,
        r#","input_tokens":12}}"#,
    ] {
        assert!(once.contains(kept), "{kept} in {once}");
    }
    let nested = serde_json::to_string(&arguments).unwrap();
    assert_eq!(redact(&nested), serde_json::to_string(&once).unwrap());
}

#[test]
fn twelve_look_alikes_are_left_alone() {
    for text in [
        "commit 3f9c2b7a1d4e5f60718293a4b5c6d7e8f9012345",
        "id 7d9e4c1a-52b3-4f68-9a07-1c2d3e4f5a6b",
        "integrity sha512-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4==",
        "if apiKey == \"\" { return }",
        "export TOKEN=$(read_it)",
        "url https://$USER:$PASS@host.invalid/x",
        "set <MY_TOKEN> here",
        "next_page_token: p2",
        "recalculateVisibleRowsWhenContainerResizesAgain",
        "abcdefghijklmnopqrstuvwxyz",
        "/etc/keys.d/pump_password",
        "input_tokens 1200",
    ] {
        assert!(!has_secret(text), "{text}");
    }
}

#[test]
fn a_cut_key_is_hidden_up_to_the_text_behind_it() {
    let (body, short) = (expand("{B64}\n{B64}"), expand("{B20}=="));
    let head = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{body}\ntraceparent: 00-{}-01\nplain words here\n",
        expand("{H32}")
    );
    assert_eq!(found(&head), [("private-key", body.clone())]);
    let tail = format!("plain words here\n{body}\n{short}\n-----END RSA PRIVATE KEY-----\n");
    assert_eq!(found(&tail), [("private-key", format!("{body}\n{short}"))]);
}

#[test]
fn harmless_text_has_no_secret() {
    assert!(!has_secret("/etc/keys.d/pump_password"));
    assert!(!has_secret("Compare token handling in auth.rs"));
    assert!(has_secret(&expand("label ghp_{A36}")));
}

fn piece() -> impl Strategy<Value = String> {
    let secrets: Vec<String> = kinds()
        .flat_map(|kind| {
            kind.shapes
                .iter()
                .map(|shape| expand(&shape.replace('|', "")))
                .chain(kind.examples.iter().map(|e| example(e).0))
        })
        .collect();
    let joints = [
        "password",
        "token",
        "api_key",
        "=",
        ": ",
        "\"",
        "'",
        "\\\"",
        "\\n",
        "\n",
        " ",
        "@",
        "://",
        "/",
        "&",
        ",",
        "[",
        "]",
        "Bearer ",
        "%2F",
        "\\u0067",
        "\u{200b}",
        "\u{1b}[0m",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "[redacted:secret#1]",
        "***",
        "é",
        "key",
        "curl -u a:",
        ".",
        "Cookie: sid=",
        ";",
        "eyJ",
        "https://a:",
        "is ",
        "1",
        "a7B",
        "-p",
    ];
    prop_oneof![
        2 => prop::sample::select(secrets),
        6 => prop::sample::select(joints.map(str::to_owned).to_vec()),
        2 => "[a-zA-Z0-9+/=_. -]{1,30}",
        1 => ".{0,8}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_scrubbed_is_left_alone(pieces in prop::collection::vec(piece(), 1..14)) {
        let once = redact(&pieces.concat());
        prop_assert_eq!(found(&once), vec![], "{}", once);
    }

    #[test]
    fn json_stays_json(pieces in prop::collection::vec(piece(), 1..8), number in 0u64..10_000_000_000) {
        let text = pieces.concat();
        let value = serde_json::json!({
            "text": text, "password": number, "nested": [{"api_key": text, text.clone(): [number, null]}],
        });
        let once = serde_json::to_string(&value).unwrap();
        let twice = serde_json::to_string(&once).unwrap();
        for written in [once, twice, serde_json::to_string_pretty(&value).unwrap()] {
            let scrubbed = replaced(&written);
            prop_assert!(serde_json::from_str::<serde_json::Value>(&scrubbed).is_ok(), "{written}\n{scrubbed}");
            prop_assert_eq!(replaced(&scrubbed), scrubbed);
        }
    }

    #[test]
    fn spans_lie_in_order_at_character_borders(pieces in prop::collection::vec(piece(), 1..14)) {
        let text = pieces.concat();
        let mut free = 0;
        for span in Spotter::global().spot(&text) {
            prop_assert!(span.start >= free && span.start < span.end);
            prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
            free = span.end;
        }
    }
}
