//! A collection of a set that is killed leaves no set, the old one or the new one, each whole, and the next one makes the
//! same document as if nothing had happened. What grows while it is collected is in it.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use recap::base::clock::Clock;
use recap::evidence::kinship::set::Follows;
use recap::stage::World;
use recap::stage::collect_set::{CollectSet, collect_set};
use recap::stage::find::Wanted;
use serde_json::Value;

use super::homes::{Home, MAIN, answer, call, child, prompt, result};

/// Moments of one collection.
const MOMENTS: u32 = 12;

fn rows(children: usize) -> Vec<Value> {
    let begun = (0..children).flat_map(|number| {
        let (tool, agent) = (format!("toolu_{number}"), format!("c{number}"));
        [call(MAIN, &format!("m{number}a"), &tool), result(MAIN, &format!("m{number}b"), &tool, &agent)]
    });
    std::iter::once(prompt(MAIN, "m")).chain(begun).chain([answer(MAIN, "end")]).collect()
}

/// A session with so many children.
fn write(home: &Home, children: usize) {
    home.claude(&format!("{MAIN}.jsonl"), &rows(children)[..children * 2 + 1]);
    for number in 0..children {
        let agent = format!("c{number}");
        home.claude(&format!("{MAIN}/subagents/agent-{agent}.jsonl"), &child(MAIN, &agent));
    }
}

fn collect(home: &Home) -> Value {
    home.collect(MAIN, &["--include-children"]).receipt()
}

/// Starts a collection and kills it after a while.
fn killed(home: &Home, after: Duration) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_recap"))
        .args(["collect-set", "--session", MAIN, "--include-children", "--output", home.set().as_str()])
        .env_clear()
        .env("HOME", home.room.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let _ = child.kill();
    child.wait().unwrap();
}

#[test]
fn a_set_appears_whole_or_not_at_all() {
    let measured = Home::new();
    write(&measured, 3);
    let started = Instant::now();
    collect(&measured);
    let whole_run = started.elapsed();
    for moment in 0..MOMENTS {
        let home = Home::new();
        write(&home, 3);
        killed(&home, whole_run * moment / MOMENTS);
        let there = home.set().exists();
        if there {
            home.room.run(&["validate-set", home.set().as_str()]).receipt();
        }
        let receipt = collect(&home);
        assert_eq!(receipt["flags"]["unchanged"], there, "moment {moment}");
        home.room.run(&["validate-set", home.set().as_str()]).receipt();

        write(&home, 5);
        let old = fs::read(home.set()).unwrap();
        killed(&home, whole_run * moment / MOMENTS);
        let is_old = fs::read(home.set()).unwrap() == old;
        let validated = home.room.run(&["validate-set", home.set().as_str()]);
        // Members that are in their new state already no longer fit the old document, and it says so.
        assert!(
            validated.status == 0 || (is_old && validated.code() == "set-member-mismatch"),
            "{}",
            validated.stderr
        );
        let receipt = collect(&home);
        assert_eq!(receipt["counts"]["members"], 6);
        home.room.run(&["validate-set", home.set().as_str()]).receipt();
    }
}

/// A clock that does something when it is asked for the second time: when the first member is about to be read.
struct Meddling<'m> {
    asked: AtomicU32,
    then: Box<dyn Fn() + Send + Sync + 'm>,
}

impl Clock for Meddling<'_> {
    fn now(&self) -> jiff::Timestamp {
        "2031-03-04T05:06:07Z".parse().unwrap()
    }

    fn elapsed_ms(&self) -> u64 {
        if self.asked.fetch_add(1, Ordering::Relaxed) == 1 {
            (self.then)();
        }
        0
    }
}

#[test]
fn a_child_that_is_begun_while_its_parent_is_collected_belongs_to_the_set() {
    let home = Home::new();
    write(&home, 1);
    let clock = Meddling { asked: AtomicU32::new(0), then: Box::new(|| write(&home, 2)) };
    let world = World { clock: &clock, ..home.room.world() };
    let order = CollectSet {
        session: Wanted::Named(MAIN.to_owned()),
        follows: Follows { children: true, chain: false },
        without: Vec::new(),
        output: home.set(),
        repositories: Vec::new(),
        policy: None,
    };
    let receipt = collect_set(&world, &order).unwrap();
    assert_eq!(receipt.get_count("members"), Some(3));
    assert_eq!(receipt.get_count("events"), Some(5 + 2 * 2));
    home.room.run(&["validate-set", home.set().as_str()]).receipt();
    assert_eq!(collect(&home)["flags"]["unchanged"], true);
}
