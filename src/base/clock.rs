//! The clock that comes in through one value, so that a test owns it.

/// Tells the time. The only clock the program reads.
pub trait Clock: Send + Sync {
    /// Now, UTC.
    fn now(&self) -> jiff::Timestamp;
    /// Milliseconds since some fixed start; never goes back.
    fn elapsed_ms(&self) -> u64;
}

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock {
    started: std::time::Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { started: std::time::Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::now()
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// A clock that stands still, for golden cases.
#[derive(Debug)]
pub struct FixedClock(pub jiff::Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> jiff::Timestamp {
        self.0
    }

    fn elapsed_ms(&self) -> u64 {
        0
    }
}
