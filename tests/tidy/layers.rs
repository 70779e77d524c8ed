//! Who may use whom: a module uses only modules declared above it, at every level, outside tests.

use crate::tidy::paths::rooted;
use crate::tidy::tokens::{Token, after_group, without_attributes};
use crate::tidy::tree::{Module, Tree, project, rust_files};

/// The folders of the library in the order of dependency, which is the order of the alphabet.
const FOLDERS: [&str; 6] = ["base", "evidence", "meaning", "report", "stage", "terminal"];

/// What the library names against the order of its declarations.
pub fn uses_against_the_order(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (user, module) in tree.modules.iter().filter(|(_, module)| !module.only_tests) {
        for named in rooted(&module.logic, &["crate", "self", "super"]) {
            let Some(used) = tree.resolve(user, &named.segments) else { continue };
            if let Some(why) = against_the_order(tree, user, &used) {
                found.push(format!("{}:{}: `{}` {why}", module.file, named.line, named.segments.join("::")));
            }
        }
    }
    found
}

/// Whether the six folders are there, all of them, in their order.
pub fn folders(tree: &Tree) -> Vec<String> {
    let root: Vec<&str> = tree
        .modules
        .get(&Vec::new())
        .map_or(Vec::new(), |root| root.children.iter().map(String::as_str).collect());
    if root == FOLDERS { Vec::new() } else { vec![format!("src/lib.rs declares {root:?}, not {FOLDERS:?}")] }
}

/// What the programs name besides the person's side of the library.
pub fn programs_beside_the_terminal() -> Vec<String> {
    let mut found = Vec::new();
    for file in ["src/main.rs".to_owned()].into_iter().chain(rust_files("src/bin")) {
        let source = std::fs::read_to_string(project().join(&file)).unwrap();
        for named in rooted(&crate::tidy::tokens::read(&source), &["recap"]) {
            if named.segments.get(1).is_none_or(|folder| folder != "terminal") {
                found.push(format!("{file}:{}: `{}`", named.line, named.segments.join("::")));
            }
        }
    }
    found
}

/// Files below `src` that nothing declares.
pub fn undeclared(tree: &Tree) -> Vec<String> {
    let declared: Vec<&str> = tree.modules.values().map(|module| module.file.as_str()).collect();
    let is_program = |file: &str| file == "src/main.rs" || file.starts_with("src/bin/");
    rust_files("src")
        .into_iter()
        .filter(|file| !is_program(file) && !declared.contains(&file.as_str()))
        .collect()
}

/// Tables of contents that hold anything else than modules and re-exports.
pub fn contents_with_logic(tree: &Tree) -> Vec<String> {
    tree.modules.values().filter(|module| module.is_contents()).filter_map(logic_of).collect()
}

/// Names that say nothing about what a file holds.
pub fn empty_names(files: &[String]) -> Vec<String> {
    const EMPTY: [&str; 7] = ["util", "utils", "helper", "helpers", "common", "misc", "manager"];
    let is_empty = |file: &&String| {
        let mut parts = file.trim_end_matches(".rs").split('/');
        parts.any(|part| EMPTY.contains(&part))
    };
    files.iter().filter(is_empty).cloned().collect()
}

fn against_the_order(tree: &Tree, user: &[String], used: &[String]) -> Option<String> {
    let same = user.iter().zip(used).take_while(|(user, used)| user == used).count();
    if same == user.len() {
        return None; // Its own content, or a module that it declares.
    }
    let (above, user_side) = user.split_at_checked(same)?;
    let Some(used_name) = used.get(same) else {
        return Some(format!("stands in `{}`, which declares the user", used.join("::")));
    };
    let children = &tree.modules.get(above)?.children;
    let place = |name: &String| children.iter().position(|child| child == name);
    let (user_place, used_place) = (place(user_side.first()?), place(used_name));
    (used_place >= user_place || used_place.is_none()).then(|| {
        let table = if above.is_empty() { "the library" } else { &above.join("::") };
        format!("is declared below its user in `{table}`")
    })
}

fn logic_of(module: &Module) -> Option<String> {
    let tokens = without_attributes(&module.tokens);
    let mut place = 0;
    while place < tokens.len() {
        match after_listing(&tokens, place) {
            Some(after) => place = after,
            None => {
                let line = tokens.get(place).map_or(0, |token| token.line);
                return Some(format!("{}:{line}: neither `mod name;` nor `pub use`", module.file));
            }
        }
    }
    None
}

/// The place after a `mod name;` or a `pub use …;` that begins here.
fn after_listing(tokens: &[Token], mut place: usize) -> Option<usize> {
    let public = tokens.get(place)?.is_word("pub");
    if public {
        place += 1;
        if tokens.get(place)?.is_mark("(") {
            place = after_group(tokens, place);
        }
    }
    let word = tokens.get(place)?;
    if word.is_word("mod") {
        return tokens.get(place + 2)?.is_mark(";").then_some(place + 3);
    }
    let length = tokens.get(place..)?.iter().position(|token| token.is_mark(";"))?;
    (public && word.is_word("use")).then_some(place + length + 1)
}

#[cfg(test)]
mod tests {
    use super::{contents_with_logic, uses_against_the_order};
    use crate::tidy::tree::{Module, Tree};

    /// Modules by path and text; those with children are tables of contents.
    fn tree(modules: &[(&str, &str)]) -> Tree {
        let mut tree = Tree { modules: Default::default() };
        for (path, source) in modules {
            let path: Vec<String> =
                path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
            let file = if source.contains("mod ") { "x/mod.rs" } else { "x.rs" };
            let module = Module::of(&path, file.to_owned(), source, false);
            tree.modules.insert(path, module);
        }
        tree
    }

    #[test]
    fn what_is_declared_below_is_not_used() {
        let with = |user: &str| {
            let (above, below) = ("pub mod one; pub mod two; pub use two::Two;", "pub struct Two;");
            let modules =
                [("", "mod a; mod b;"), ("a", above), ("a::one", user), ("a::two", below), ("b", "")];
            uses_against_the_order(&tree(&modules)).len()
        };
        assert_eq!(with("use super::two::Two;"), 1, "a sibling below");
        assert_eq!(with("use crate::a::Two;"), 1, "a sibling below, re-exported by the parent");
        assert_eq!(with("fn f() -> crate::b::B {}"), 1, "a folder below");
        assert_eq!(with("use crate::{a::{two::Two as T}, b};"), 2, "nested");
        assert_eq!(with("#[cfg(test)] mod tests { use crate::b::B; }"), 0, "tests may");
        assert_eq!(with("use super::one::One; use self::Own;"), 0, "itself");
    }

    #[test]
    fn a_table_of_contents_only_lists() {
        let lists = "#[cfg(test)] mod tests; pub(crate) mod a; pub use a::{A, B as C};";
        assert!(contents_with_logic(&tree(&[("", lists)])).is_empty());
        assert_eq!(contents_with_logic(&tree(&[("", "mod a; const B: u8 = 1;")])).len(), 1);
        assert_eq!(contents_with_logic(&tree(&[("", "mod a; use a::B;")])).len(), 1);
    }
}
