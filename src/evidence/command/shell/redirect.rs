//! The redirections of a command: which write a file, where standard output goes, and the here-document.

use brush_parser::ast;

use super::word::Word;
use crate::evidence::command::observation::Operation;

/// A redirection that writes.
#[derive(Debug, Clone)]
pub struct Written {
    /// The target.
    pub target: Word,
    /// Written whole, or appended to.
    pub operation: Operation,
}

/// What the redirections of one command come to.
#[derive(Debug, Default, Clone)]
pub struct Redirections {
    /// Files written.
    pub written: Vec<Written>,
    /// Standard output leaves the call's output.
    pub hides_output: bool,
    /// Text of a here-document on standard input, and whether nothing in it is expanded.
    pub document: Option<(String, bool)>,
}

impl Redirections {
    /// Adds one redirection.
    pub fn add(&mut self, redirect: &ast::IoRedirect) {
        match redirect {
            ast::IoRedirect::File(descriptor, kind, target) => self.file(*descriptor, kind, target),
            ast::IoRedirect::OutputAndError(target, append) => self.write(target, *append, true),
            ast::IoRedirect::HereDocument(None | Some(0), document) => {
                self.document = Some((document.doc.value.clone(), !document.requires_expansion));
            }
            ast::IoRedirect::HereDocument(..) | ast::IoRedirect::HereString(..) => {}
        }
    }

    fn file(
        &mut self,
        descriptor: Option<i32>,
        kind: &ast::IoFileRedirectKind,
        target: &ast::IoFileRedirectTarget,
    ) {
        use ast::IoFileRedirectKind as Kind;
        let output = matches!(descriptor, None | Some(1));
        match (kind, target) {
            (Kind::Read | Kind::DuplicateInput, _) => {}
            (kind, ast::IoFileRedirectTarget::Filename(word)) => {
                self.write(word, matches!(kind, Kind::Append | Kind::ReadAndWrite), output);
            }
            // `>&2` and `>&-` name descriptors; anything else is a file, as in `&>`.
            (_, ast::IoFileRedirectTarget::Duplicate(word)) => {
                let value = word.value.trim_end_matches('-');
                if value.bytes().all(|byte| byte.is_ascii_digit()) {
                    self.hides_output |=
                        output && (value.is_empty() || value.parse::<u8>().is_ok_and(|fd| fd > 2));
                } else if value.starts_with('$') {
                    // A descriptor in a variable.
                    self.hides_output |= output;
                } else {
                    self.write(word, false, output);
                }
            }
            (_, ast::IoFileRedirectTarget::Fd(_) | ast::IoFileRedirectTarget::ProcessSubstitution(..)) => {
                self.hides_output |= output && !matches!(kind, Kind::DuplicateOutput);
            }
        }
    }

    fn write(&mut self, target: &ast::Word, append: bool, output: bool) {
        self.hides_output |= output;
        let operation = if append { Operation::Update } else { Operation::Add };
        self.written.push(Written { target: Word::resolve(&target.value), operation });
    }
}
