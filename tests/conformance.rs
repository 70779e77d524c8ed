//! What any reader of a harness must keep to, and that each of ours does: Claude Code, the four generations of Codex,
//! and a third harness whose reader is one file of this test. A new reader is right when it passes here.

/// What is asked of a reader.
mod asked;
/// Our readers and their samples.
mod ours;
/// A reader for another harness, as one would be begun: one file, one table, the trait.
mod pi;

use asked::Candidate;

#[test]
fn claude_code() {
    ours::claude().conforms();
}

#[test]
fn every_generation_of_codex() {
    for candidate in ours::codex() {
        candidate.conforms();
    }
}

#[test]
fn a_reader_that_was_made_in_an_afternoon() {
    pi::candidate().conforms();
}

/// What is asked can be failed: each of these readers breaks one rule.
#[test]
fn a_reader_that_breaks_a_rule_does_not_conform() {
    for (rule, candidate) in pi::broken() {
        let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| candidate.conforms()));
        let told = told.expect_err(rule);
        let told = told.downcast_ref::<String>().map_or("", String::as_str);
        assert!(told.contains(rule), "{rule}: {told}");
    }
}

/// Nobody's file is taken for another's.
#[test]
fn a_transcript_is_one_harness_s() {
    let candidates: Vec<Candidate<'_>> = ours::codex().into_iter().chain([ours::claude()]).collect();
    for candidate in &candidates {
        let found = recap::evidence::transcript::detect::identify(&candidate.input()).unwrap();
        assert_eq!(found, candidate.identity, "{}", candidate.name);
    }
    let pi = pi::candidate();
    assert!(recap::evidence::transcript::detect::identify(&pi.input()).is_err());
}
