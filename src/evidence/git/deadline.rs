//! Until when may be waited: for one question, for one repository, for all of them. What we look at ourselves is
//! looked at in a thread of its own, because a file system that does not answer blocks whoever asks it.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::base::limits;
use crate::base::rules::Code;

/// A time that is not waited beyond, and how long one question may take until then.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    end: Instant,
    question: Duration,
}

impl Deadline {
    /// The bound of one question.
    pub fn of_question() -> Self {
        Self::within(limits::PROBE_MS, limits::PROBE_MS)
    }

    /// The bound of all questions about one repository.
    pub fn of_repository() -> Self {
        Self::within(limits::REPOSITORY_MS, limits::PROBE_MS)
    }

    /// The bound of all repositories of one collection.
    pub fn of_survey() -> Self {
        Self::within(limits::SURVEY_MS, limits::PROBE_MS)
    }

    /// A bound of its own, in milliseconds, for all questions and for each.
    pub(super) fn within(all: u64, question: u64) -> Self {
        Self { end: Instant::now() + Duration::from_millis(all), question: Duration::from_millis(question) }
    }

    /// The bound of one repository that does not outlast this one.
    #[must_use]
    pub fn next_repository(self) -> Self {
        Self { end: self.end.min(Self::of_repository().end), question: self.question }
    }

    /// Until when a question that begins now is waited for.
    pub fn of_next_question(self) -> Instant {
        self.end.min(Instant::now() + self.question)
    }

    /// What `look` sees, or `probe-timeout`. A look that never ends is left behind with its thread.
    pub fn look<T: Send + 'static>(
        self,
        look: impl FnOnce() -> Result<T, Code> + Send + 'static,
    ) -> Result<T, Code> {
        let end = self.of_next_question();
        if end <= Instant::now() {
            return Err(Code::ProbeTimeout);
        }
        Apart::begin(look)?.wait(end)
    }
}

/// Work in a thread of its own, which is not joined: one that never ends is left behind.
pub struct Apart<T>(Receiver<Result<T, Code>>);

impl<T: Send + 'static> Apart<T> {
    /// Begins it.
    pub fn begin(work: impl FnOnce() -> Result<T, Code> + Send + 'static) -> Result<Self, Code> {
        let (sender, receiver) = channel();
        std::thread::Builder::new()
            // Nobody wants what comes too late.
            .spawn(move || drop(sender.send(work())))
            .map_err(|_| Code::ProbeFailed)?;
        Ok(Self(receiver))
    }

    /// What came of it, or `probe-timeout` where nothing did until `end`.
    pub fn wait(self, end: Instant) -> Result<T, Code> {
        let left = end.saturating_duration_since(Instant::now());
        self.0.recv_timeout(left).map_err(|_| Code::ProbeTimeout)?
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Instant;

    use super::Deadline;
    use crate::base::rules::Code;

    #[test]
    fn a_look_that_never_ends_is_left_behind() {
        let (hold, held) = channel::<()>();
        let stuck = move || held.recv().map_err(|_| Code::ProbeFailed);
        assert_eq!(Deadline::within(50, 20_000).look(stuck), Err(Code::ProbeTimeout));
        assert_eq!(Deadline::within(20_000, 20_000).look(|| Ok(7)), Ok(7));
        assert_eq!(Deadline::within(0, 20_000).look(|| Ok(7)), Err(Code::ProbeTimeout));
        drop(hold);
    }

    #[test]
    fn no_question_outlasts_its_repository_and_no_repository_all_of_them() {
        let deadline = Deadline::within(100, 20_000);
        let before = Instant::now();
        assert!(deadline.of_next_question() <= deadline.next_repository().of_next_question());
        assert!(deadline.next_repository().end <= deadline.end);
        assert!(Deadline::of_repository().end < Deadline::of_survey().end);
        assert!(Deadline::of_question().end > before);
    }
}
