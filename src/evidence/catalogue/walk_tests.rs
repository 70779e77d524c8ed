//! Hostile folders: what is passed over is counted, and nothing waits or runs in circles.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::sync::atomic::AtomicBool;

use super::fixture::{Home, ONE, TWO, user};
use super::roots::Skip;
use super::{Catalogue, Root};
use crate::base::rules::Code;

fn projects(catalogue: &Catalogue) -> &Root {
    catalogue.roots().first().unwrap()
}

#[test]
fn roots_are_told_whether_they_are_there_or_not() {
    let home = Home::new();
    home.claude(&format!("{ONE}.jsonl"), &[user(ONE, "")]);
    home.put(".claude/projects/-w/notes.md", "x");
    let catalogue = home.catalogue();
    let seen: Vec<_> = catalogue.roots().iter().map(|root| (root.exists, root.folders, root.files)).collect();
    assert_eq!(seen, [(true, 1, 2), (false, 0, 0), (false, 0, 0)]);
    assert!(catalogue.roots().iter().all(|root| root.skipped.is_empty()));
}

#[test]
fn links_pipes_and_odd_names_are_counted_and_passed_over() {
    let home = Home::new();
    let real = home.claude(&format!("{ONE}.jsonl"), &[user(ONE, "")]);
    let folder = real.parent().unwrap();
    symlink("..", folder.join("loop")).unwrap();
    symlink(&real, folder.join(format!("{TWO}.jsonl"))).unwrap();
    let pipe = folder.join("33333333-0000-4000-8000-000000000003.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("s.jsonl")).unwrap();
    fs::write(folder.as_std_path().join(OsStr::from_bytes(b"\xff.jsonl")), user(ONE, "")).unwrap();
    fs::create_dir(folder.as_std_path().join(OsStr::from_bytes(b"\xfe"))).unwrap();
    let newline = home.claude("a\nb.jsonl", &[user(TWO, "")]);
    let catalogue = home.catalogue();
    let skipped = &projects(&catalogue).skipped;
    let expected = [(Skip::Link, 2), (Skip::NotRegular, 2), (Skip::NameNotUtf8, 2)];
    assert_eq!(skipped.iter().map(|(why, count)| (*why, *count)).collect::<Vec<_>>(), expected);
    let paths: Vec<_> = catalogue.entries().iter().map(|entry| entry.path.clone()).collect();
    assert_eq!(paths, [real, newline]);
}

#[test]
fn what_may_not_be_read_is_counted() {
    let home = Home::new();
    let file = home.claude(&format!("{ONE}.jsonl"), &[user(ONE, "")]);
    let inside = home.put(&format!(".claude/projects/-v/{TWO}.jsonl"), user(TWO, ""));
    fs::set_permissions(&file, Permissions::from_mode(0o0)).unwrap();
    fs::set_permissions(inside.parent().unwrap(), Permissions::from_mode(0o0)).unwrap();
    let can_read_all = fs::File::open(&file).is_ok();
    let catalogue = home.catalogue();
    fs::set_permissions(inside.parent().unwrap(), Permissions::from_mode(0o700)).unwrap();
    if can_read_all {
        println!("skipped: whoever runs this may read everything");
        return;
    }
    assert_eq!(projects(&catalogue).skipped.get(&Skip::Unreadable), Some(&2));
    assert!(catalogue.entries().is_empty());
}

#[test]
fn a_root_that_is_a_link_is_resolved_once() {
    let home = Home::new();
    home.put(&format!("elsewhere/-w/{ONE}.jsonl"), user(ONE, ""));
    fs::create_dir(home.path.join(".claude")).unwrap();
    symlink("../elsewhere", home.path.join(".claude/projects")).unwrap();
    assert_eq!(home.catalogue().entries().len(), 1);
}

#[test]
fn depth_is_bounded_and_an_interrupt_is_heard() {
    let home = Home::new();
    home.put(&format!(".claude/projects/{}{ONE}.jsonl", "d/".repeat(8)), user(ONE, ""));
    home.put(&format!(".claude/projects/{}{TWO}.jsonl", "e/".repeat(9)), user(TWO, ""));
    let catalogue = home.catalogue();
    assert_eq!(projects(&catalogue).skipped.get(&Skip::TooDeep), Some(&1));
    assert_eq!(catalogue.entries().len(), 1);
    let refusal = Catalogue::read(&home.roots(), &AtomicBool::new(true)).unwrap_err();
    assert_eq!(refusal.code(), Code::Interrupted);
}

#[test]
fn outputs_and_notes_are_not_searched() {
    let home = Home::new();
    home.claude(&format!("{ONE}/tool-results/{TWO}.jsonl"), &[user(TWO, "")]);
    home.claude(&format!("memory/{TWO}.jsonl"), &[user(TWO, "")]);
    assert!(home.catalogue().entries().is_empty());
}
