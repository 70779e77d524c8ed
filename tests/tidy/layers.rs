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
    let root: Vec<&str> = tree.modules.get(&Vec::new()).map_or(Vec::new(), |root| {
        root.children.iter().map(String::as_str).collect()
    });
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
    rust_files("src").into_iter().filter(|file| !is_program(file) && !declared.contains(&file.as_str())).collect()
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
