//! Plans of plan mode. The raw answer wraps one in `<proposed_plan>`, among other words; a `Plan` item tells the
//! plan alone, and the answer's own copy leaves it out.

use crate::evidence::transcript::reading::{Key, MirrorClaim};

const OPENING: &str = "<proposed_plan>";
const ENDING: &str = "</proposed_plan>";

/// The text without the stretches between these marks, marks included.
pub fn without(text: &str, opening: &str, ending: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(opening) {
        kept.push_str(before);
        rest = after.split_once(ending).map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// The text without plans.
pub fn without_plans(text: &str) -> String {
    without(text, OPENING, ENDING)
}

/// The plan of an answer that is nothing else.
pub fn lone(text: &str) -> Option<&str> {
    let plan = text.trim().strip_prefix(OPENING)?.strip_suffix(ENDING)?;
    (!plan.contains(OPENING)).then_some(plan)
}

/// Joins such an answer and the item that tells its plan, which have no id in common.
pub fn claim(second_lane: bool, plan: &str) -> MirrorClaim {
    MirrorClaim::Order { class: "plan", second_lane, content: Key::of(&["plan", plan.trim()]) }
}

#[cfg(test)]
mod tests {
    use super::{claim, lone, without_plans};

    #[test]
    fn only_an_answer_that_is_nothing_else_is_its_plan() {
        assert_eq!(lone("<proposed_plan>\n1. a\n</proposed_plan>\n"), Some("\n1. a\n"));
        assert_eq!(lone("Look: <proposed_plan>\n1. a\n</proposed_plan>"), None);
        assert_eq!(lone("1. a"), None);
        assert_eq!(claim(true, "1. a"), claim(true, "\n1. a\n"));
    }

    #[test]
    fn the_words_around_a_plan_are_what_the_copy_of_the_answer_has() {
        assert_eq!(without_plans("a <proposed_plan>x</proposed_plan>b"), "a b");
        assert_eq!(without_plans("a"), "a");
    }
}
