//! stub
use super::observation::Observation;
use crate::base::ids::EventId;
use crate::evidence::event::Event;
use crate::evidence::transcript::item::Status;
/// stub
#[derive(Default)]
pub struct Observer;
/// stub
#[derive(Default)]
pub struct Observations {
    /// rows
    pub rows: Vec<Observation>,
    /// omitted
    pub omitted: std::collections::BTreeMap<&'static str, u64>,
}
impl Observer {
    /// stub
    pub fn observe(&mut self, _event: &Event) {}
    /// stub
    pub fn learn(&mut self, _call: EventId, _status: Status, _exit: Option<u32>) {}
    /// stub
    pub fn finish(self) -> Observations { Observations::default() }
}
