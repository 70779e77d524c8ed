//! What a text costs beyond its length. Looking around a mark that leads to no secret may walk far; ordinary texts hold few such
//! marks. One that is made of them is looked at less closely once it has cost its own length again: pieces are joined no
//! more, and in one long run of characters no further beginning is tried. What has its form and stands alone is found
//! all the same.

/// Bytes that may be walked in vain before a text has to be long enough for them.
const FREE: usize = 256 * 1024;
/// What an attempt to join pieces costs, in bytes walked.
pub const JOIN: usize = 4_096;

/// Bytes that were walked in vain in one pass.
#[derive(Debug, Default)]
pub struct Effort {
    vain: usize,
}

impl Effort {
    /// Whether more may be walked, as far as the text was read up to `at`.
    pub const fn is_left(&self, at: usize) -> bool {
        self.vain <= FREE + at
    }

    /// Notes bytes that were walked and led to nothing.
    pub const fn spend(&mut self, bytes: usize) {
        self.vain += bytes;
    }
}

/// Where the last walk through a run of characters ended that led to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeadEnd {
    /// What walked there.
    form: usize,
    end: usize,
    /// Whether the run goes on behind.
    is_cut: bool,
}

impl DeadEnd {
    /// A walk of `form` that ended at `end`; `is_cut` where the run goes on behind.
    pub const fn new(form: usize, end: usize, is_cut: bool) -> Self {
        Self { form, end, is_cut }
    }

    /// Whether a walk of `form` from `at` would end where the last one did: the same run leads to the same end. Of a run that
    /// was cut this is only nearly so, and matters where no effort is left.
    pub const fn holds(&self, form: usize, at: usize, effort: &Effort) -> bool {
        self.form == form && at < self.end && (!self.is_cut || !effort.is_left(at))
    }
}

#[cfg(test)]
mod tests {
    use super::{DeadEnd, Effort, FREE};

    #[test]
    fn effort_grows_with_the_text_and_a_cut_run_is_walked_again_while_it_lasts() {
        let mut effort = Effort::default();
        let (whole, cut) = (DeadEnd::new(7, 90, false), DeadEnd::new(7, 90, true));
        assert!(whole.holds(7, 89, &effort) && !whole.holds(7, 90, &effort) && !whole.holds(8, 50, &effort));
        assert!(!cut.holds(7, 89, &effort));
        effort.spend(FREE + 90);
        assert!(cut.holds(7, 89, &effort) && effort.is_left(90));
    }
}
