//! Lines of a ledger and of the attempts beside it.

use recap::base::digest::Digest;
use recap::evidence::command::observation::Observation;
use recap::evidence::event::Event;
use recap::evidence::event::record_line::RecordLine;
use recap::meaning::synthesis::attempts::{Attempts, LedgerKey};

/// A line that is read says, written again, what it said.
pub fn ledger_lines(data: &[u8]) {
    if let Ok(event) = Event::parse(data) {
        let mut written = Vec::new();
        event.write_line(&mut written).unwrap();
        let again = Event::parse(&written).unwrap();
        let mut twice = Vec::new();
        again.write_line(&mut twice).unwrap();
        assert_eq!(twice, written);
        let _ = (event.time_ms(), event.text.only_redactions());
    }
    if let Ok(record) = RecordLine::parse(data) {
        let mut written = Vec::new();
        record.write_line(&mut written).unwrap();
        let mut twice = Vec::new();
        RecordLine::parse(&written).unwrap().write_line(&mut twice).unwrap();
        assert_eq!(twice, written);
    }
    if let Ok(row) = serde_json::from_slice::<Observation>(data) {
        let written = serde_json::to_vec(&row).unwrap();
        let again: Observation = serde_json::from_slice(&written).unwrap();
        assert_eq!(serde_json::to_vec(&again).unwrap(), written);
    }
}

/// An attempts file is read whole or refused; a torn end changes nothing.
pub fn attempts(data: &[u8]) {
    let key = LedgerKey { size: 3, root: Digest::from_bytes([1; 32]) };
    let Ok(attempts) = Attempts::read(data, key) else { return };
    let whole = usize::try_from(attempts.whole_bytes()).unwrap();
    assert!(whole <= data.len());
    assert_eq!(Attempts::read(&data[..whole], key).unwrap(), attempts);
    assert_eq!(attempts.exhausted(), attempts.left() == 0);
}
