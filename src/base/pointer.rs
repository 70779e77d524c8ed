//! JSON Pointers (RFC 6901) into a document, and their public shapes.

use std::fmt::Write as _;

/// Stands for what must not be repeated.
pub const LEFT_OUT: &str = "…";

/// A place in a document. The full pointer may hold an author's member name; its shape may not.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer {
    steps: Vec<Step>,
}

/// One step of a pointer. Indexes sort as numbers, so that places sort in document order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Step {
    Index(u64),
    Own(&'static str),
    Foreign(String),
}

impl Pointer {
    /// The whole document.
    pub const fn root() -> Self {
        Self { steps: Vec::new() }
    }

    /// A member that our own contract names.
    #[must_use]
    pub fn member(&self, name: &'static str) -> Self {
        self.with(Step::Own(name))
    }

    /// An element of an array.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index as u64))
    }

    /// A member whose name the author chose: printed in the private report, `*` in the shape.
    #[must_use]
    pub fn foreign(&self, name: &str) -> Self {
        self.with(Step::Foreign(name.to_owned()))
    }

    /// The same with author's names that must not be repeated left out.
    #[must_use]
    pub fn without(&self, is_secret: &dyn Fn(&str) -> bool) -> Self {
        let step = |step: &Step| match step {
            Step::Foreign(name) if is_secret(name) => Step::Foreign(LEFT_OUT.to_owned()),
            step => step.clone(),
        };
        Self { steps: self.steps.iter().map(step).collect() }
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        Self { steps }
    }

    /// The public shape: our member names, `*` for everything else.
    pub fn shape(&self) -> String {
        let mut text = String::new();
        for step in &self.steps {
            text.push('/');
            text.push_str(if let Step::Own(name) = step { name } else { "*" });
        }
        text
    }
}

impl std::fmt::Display for Pointer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for step in &self.steps {
            match step {
                Step::Index(index) => write!(f, "/{index}")?,
                Step::Own(name) => write!(f, "/{name}")?,
                Step::Foreign(name) => {
                    f.write_char('/')?;
                    f.write_str(&name.replace('~', "~0").replace('/', "~1"))?;
                }
            }
        }
        Ok(())
    }
}
