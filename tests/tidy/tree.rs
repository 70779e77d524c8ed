//! The modules of the library as its files declare them, in the order of declaration.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::tidy::paths;
use crate::tidy::tokens::{self, Kind, Token, attribute_opens, without_tests};

/// One file of the library.
pub struct Module {
    /// Its file, relative to the project.
    pub file: String,
    /// All its tokens.
    pub tokens: Vec<Token>,
    /// Its tokens without items for tests.
    pub logic: Vec<Token>,
    /// The modules it declares outside tests, in order.
    pub children: Vec<String>,
    /// The names it re-exports, if it is a table of contents, and their absolute paths.
    pub reexports: BTreeMap<String, Vec<String>>,
    /// Whether it is compiled for tests only.
    pub only_tests: bool,
}

impl Module {
    /// Reads a module from the text of its file.
    pub fn of(path: &[String], file: String, source: &str, only_tests: bool) -> Self {
        let tokens = tokens::read(source);
        let logic = without_tests(&tokens);
        let children: Vec<String> = declared(&logic).into_iter().map(|declared| declared.name).collect();
        let mut module = Self { file, tokens, logic, children, reexports: BTreeMap::new(), only_tests };
        if module.is_contents() {
            module.reexports = reexports(path, &module);
        }
        module
    }

    /// Whether the file only lists modules: `mod.rs` and `lib.rs`.
    pub fn is_contents(&self) -> bool {
        self.file.ends_with("/mod.rs") || self.file.ends_with("/lib.rs")
    }
}

/// All modules by their paths; the crate itself has the empty path.
pub struct Tree {
    /// The modules.
    pub modules: BTreeMap<Vec<String>, Module>,
}

impl Tree {
    /// Reads the library from its root file.
    pub fn read() -> Self {
        let mut tree = Self { modules: BTreeMap::new() };
        tree.add(Vec::new(), &project().join("src/lib.rs"), false);
        tree
    }

    /// The module that a path of `user` leads to, and what is left of the path inside it. Re-exports of tables
    /// of contents are followed; those of other files are theirs. None for paths that leave the crate.
    pub fn resolve(&self, user: &[String], segments: &[String]) -> Option<Vec<String>> {
        let mut rest = absolute(user, segments)?;
        // Each turn follows one re-export; more than a few would be a circle.
        for _ in 0..8 {
            let mut module: Vec<String> = Vec::new();
            let mut names = rest.iter();
            let unknown = names.find(|name| {
                let mut child = module.clone();
                child.push((*name).clone());
                let known = self.modules.contains_key(&child);
                if known {
                    module = child;
                }
                !known
            });
            let target = unknown.and_then(|name| self.modules.get(&module)?.reexports.get(name));
            match target {
                Some(target) => rest = target.iter().chain(names).cloned().collect(),
                None => return Some(module),
            }
        }
        panic!("the re-exports of {} go in a circle", segments.join("::"))
    }

    fn add(&mut self, path: Vec<String>, file: &Path, only_tests: bool) {
        let source = fs::read_to_string(file)
            .unwrap_or_else(|error| panic!("{} is declared but cannot be read: {error}", file.display()));
        let module = Module::of(&path, relative(file), &source, only_tests);
        for declaration in declared(&module.tokens) {
            let below: Vec<String> = path.iter().chain([&declaration.name]).cloned().collect();
            let only_tests = only_tests || !module.children.contains(&declaration.name);
            self.add(below, &file_of(file, &declaration), only_tests);
        }
        self.modules.insert(path, module);
    }
}

/// The folder of the project.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below a folder of the project, relative to the project, sorted.
pub fn rust_files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![project().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(relative(&path));
            }
        }
    }
    found.sort();
    found
}

fn relative(file: &Path) -> String {
    file.strip_prefix(project()).unwrap_or(file).to_string_lossy().into_owned()
}

/// One `mod name;`.
struct Declared {
    name: String,
    path_attribute: Option<String>,
}

fn declared(tokens: &[Token]) -> Vec<Declared> {
    let mut found = Vec::new();
    let mut path_attribute = None;
    for (place, token) in tokens.iter().enumerate() {
        if let Some(open) = attribute_opens(tokens, place) {
            path_attribute = tokens
                .get(open + 3)
                .filter(|text| {
                    text.kind == Kind::Text && tokens.get(open + 1).is_some_and(|word| word.is_word("path"))
                })
                .map(|text| text.text.clone());
        }
        let (name, end) = (tokens.get(place + 1), tokens.get(place + 2));
        if let (true, Some(name), true) =
            (token.is_word("mod"), name, end.is_some_and(|end| end.is_mark(";")))
        {
            found.push(Declared { name: name.text.clone(), path_attribute: path_attribute.take() });
        }
    }
    found
}

fn file_of(parent: &Path, declared: &Declared) -> PathBuf {
    let folder = parent.parent().unwrap_or(parent);
    if let Some(path) = &declared.path_attribute {
        return folder.join(path);
    }
    let holds = parent.file_name().is_some_and(|name| name == "mod.rs" || name == "lib.rs");
    let folder = if holds { folder.to_owned() } else { parent.with_extension("") };
    let flat = folder.join(format!("{}.rs", declared.name));
    if flat.is_file() { flat } else { folder.join(&declared.name).join("mod.rs") }
}

fn reexports(path: &[String], module: &Module) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for named in paths::reexported(&module.logic) {
        let mut segments = named.segments;
        if segments.last().is_some_and(|last| last == "self") {
            segments.pop();
        }
        let child = segments.first().is_some_and(|first| module.children.contains(first));
        let target = if child { Some([path, &segments].concat()) } else { absolute(path, &segments) };
        if let (Some(target), Some(name)) = (target, named.alias.or_else(|| segments.last().cloned())) {
            found.insert(name, target);
        }
    }
    found
}

/// The path from the root of the crate; None for paths that do not begin with `crate`, `self` or `super`.
fn absolute(user: &[String], segments: &[String]) -> Option<Vec<String>> {
    let (mut base, rest) = match segments.first()?.as_str() {
        "crate" => (Vec::new(), segments.get(1..)?),
        "self" => (user.to_vec(), segments.get(1..)?),
        "super" => (user.to_vec(), segments),
        _ => return None,
    };
    let ups = rest.iter().take_while(|segment| *segment == "super").count();
    base.truncate(base.len().saturating_sub(ups));
    base.extend(rest.iter().skip(ups).filter(|segment| *segment != "self" && *segment != "*").cloned());
    Some(base)
}
