//! Reading one object of a draft member by member: a member of the wrong shape is pushed and yields nothing,
//! its neighbours go on. It says nothing about meaning.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::base::pointer::Pointer;
use crate::base::rules::Code;
use crate::base::violations::Violations;

/// The members of one object while they are read.
pub(super) struct Members<'v, 's> {
    map: &'v Map<String, Value>,
    pointer: Pointer,
    violations: &'s mut Violations,
    read: Vec<&'static str>,
    sound: bool,
}

impl<'v, 's> Members<'v, 's> {
    /// Opens an object; anything else is pushed.
    pub(super) fn of(value: &'v Value, pointer: &Pointer, violations: &'s mut Violations) -> Option<Self> {
        let Value::Object(map) = value else {
            violations.push(
                Code::SchemaViolation,
                pointer.clone(),
                "expected an object, found something else",
            );
            return None;
        };
        Some(Self { map, pointer: pointer.clone(), violations, read: Vec::new(), sound: true })
    }

    /// A member that must be there.
    pub(super) fn required<T: Deserialize<'v>>(&mut self, name: &'static str) -> Option<T> {
        let value = self.raw(name);
        if value.is_none() {
            self.refuse(name, "found none, expected this member");
        }
        self.shaped(name, value?)
    }

    /// A member that may be left out. `None` also for a wrong shape, which makes the object unsound.
    pub(super) fn optional<T: Deserialize<'v>>(&mut self, name: &'static str) -> Option<T> {
        let value = self.raw(name)?;
        self.shaped(name, value)
    }

    /// A required word of a fixed list: a plain string, never the object form that an enum could also have.
    pub(super) fn word<T: Deserialize<'v>>(&mut self, name: &'static str) -> Option<T> {
        if self.map.get(name).is_some_and(|value| !value.is_string()) {
            self.raw(name);
            self.refuse(name, "expected a word of the list, found something else");
            return None;
        }
        self.required(name)
    }

    /// A member as it stands; missing is no violation here.
    pub(super) fn raw(&mut self, name: &'static str) -> Option<&'v Value> {
        self.read.push(name);
        self.map.get(name)
    }

    /// The sink, for what lies below a member.
    pub(super) fn below(&mut self, name: &'static str) -> (Pointer, &mut Violations) {
        (self.pointer.member(name), self.violations)
    }

    /// Pushes a violation of shape at a member.
    pub(super) fn refuse(&mut self, name: &'static str, detail: &str) {
        self.sound = false;
        self.violations.push(Code::SchemaViolation, self.pointer.member(name), detail);
    }

    /// Closes the object: true when every member had its shape and none is left over.
    pub(super) fn finish(self) -> bool {
        let mut sound = self.sound;
        for name in self.map.keys().filter(|name| !self.read.contains(&name.as_str())) {
            sound = false;
            self.violations.push(
                Code::SchemaViolation,
                self.pointer.foreign(name),
                "found a member that is not ours, expected none",
            );
        }
        sound
    }

    fn shaped<T: Deserialize<'v>>(&mut self, name: &'static str, value: &'v Value) -> Option<T> {
        let shaped = T::deserialize(value).ok();
        if shaped.is_none() {
            self.refuse(name, "found another shape, expected that of the schema");
        }
        shaped
    }
}
