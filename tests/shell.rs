//! What the shell's rules prove of a command, against a real `bash`: whatever the calculus says of a command, the command
//! did.

mod generate;
mod stubs;
mod table;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use generate::{Dice, Script};
use proptest::prelude::{ProptestConfig, any, proptest};
use recap::evidence::command::observation::{Outcome, Reason};
use recap::evidence::command::shell::member::{Member, Members};
use recap::evidence::command::shell::outcome::Whole;
use recap::evidence::command::shell::walk::of_script;
use stubs::{Call, Layout, Ran, Stubs, bash_is_here};

use super::golden_file;

/// Scripts that are made and run.
const SCRIPTS: u64 = 10_000;

/// How commands end.
const STATUSES: &[u32] = &[0, 0, 0, 0, 0, 1, 1, 2, 3, 101];

const WHOLES: &[Whole] = &[
    Whole::Ok,
    Whole::Failed(Some(1)),
    Whole::Failed(Some(2)),
    Whole::Failed(Some(101)),
    Whole::Failed(None),
];

/// What the calculus said, over all commands.
#[derive(Default)]
struct Sums {
    passed: u64,
    failed: u64,
    unknown: BTreeMap<String, u64>,
    refused: u64,
    wrong: Vec<String>,
}

impl Sums {
    /// Compares what is said about every member whose runs `seen` can tell.
    fn script(&mut self, script: &str, ran: &Ran, seen: impl Fn(&Member) -> Option<Vec<u32>>) {
        let Some(status) = ran.status else { return };
        let whole = if status == 0 { Whole::Ok } else { Whole::Failed(Some(status)) };
        let Some(members) = of_script(script, None) else {
            self.refused += 1;
            return;
        };
        for member in &members.list {
            let Some(runs) = seen(member) else { continue };
            let (outcome, reason) = member.deduction.outcome(whole);
            let holds = match outcome {
                Outcome::Passed => !runs.is_empty() && runs.iter().all(|status| *status == 0),
                Outcome::Failed => !runs.is_empty() && runs.iter().all(|status| *status != 0),
                Outcome::Unknown => true,
            };
            match outcome {
                Outcome::Passed => self.passed += 1,
                Outcome::Failed => self.failed += 1,
                Outcome::Unknown => *self.unknown.entry(named(reason)).or_default() += 1,
            }
            if !holds {
                let words: Vec<&str> = member.argv.iter().map(|word| word.text.as_str()).collect();
                self.wrong.push(format!("{words:?} is said to have {outcome:?}; it ended with {runs:?}, the whole with {status}:\n{script}\n"));
            }
        }
    }

    fn holds(&self) {
        println!(
            "passed {}, failed {}, not taken {}, unknown {:?}",
            self.passed, self.failed, self.refused, self.unknown
        );
        let told: Vec<&str> = self.wrong.iter().take(20).map(String::as_str).collect();
        assert!(told.is_empty(), "{} times bash says otherwise:\n{}", self.wrong.len(), told.join("\n"));
    }
}

fn named(reason: Option<Reason>) -> String {
    serde_json::to_value(reason).unwrap().as_str().unwrap_or("none").to_owned()
}

/// Calls `each` with the numbers below `end`, on every processor.
fn on_all(end: u64, each: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end {
                        return;
                    }
                    each(number);
                }
            });
        }
    });
}

#[test]
fn bash_contradicts_no_outcome() {
    if !bash_is_here() {
        println!("skipped: there is no bash to compare with");
        return;
    }
    let (stubs, sums) = (Stubs::new(), Mutex::new(Sums::default()));
    let most = std::env::var("RECAP_SCRIPTS").ok().and_then(|text| text.parse().ok()).unwrap_or(SCRIPTS);
    on_all(most, |seed| {
        let (script, count) = Script::roll(seed);
        let mut dice = Dice::new(seed ^ 0xa5a5);
        let good = dice.roll(3) == 0;
        let mut variables = vec![("U".to_owned(), dice.pick(STATUSES).to_string())];
        for number in 1..=count {
            let status = if good && dice.roll(6) > 0 { 0 } else { dice.pick(STATUSES) };
            variables.push((format!("S{number}"), status.to_string()));
            if dice.roll(6) == 0 {
                variables.push((format!("B{number}"), "1".to_owned()));
            }
        }
        let ran = stubs.run(&script, &variables, Layout::Bare);
        sums.lock().unwrap().script(&script, &ran, |member| {
            let number = &member.argv.get(1).filter(|_| member.program() == Some("t"))?.text;
            Some(ran.statuses(|call| call.program == "t" && call.words.first() == Some(number)))
        });
    });
    let sums = sums.into_inner().unwrap();
    sums.holds();
    assert!(
        sums.passed * 20 > most && sums.failed * 20 > most,
        "too few outcomes are known to show anything"
    );
}

#[test]
fn the_table_of_scripts_is_as_written_down() {
    assert!(table::scripts().len() >= 300);
    golden_file::check("tables/commands.txt", &table::table());
}

/// Programs of which bash runs another that the words of the script do not show as a command.
const LAUNCHERS: &[&str] = &["xargs", "find", "bash"];

#[test]
fn bash_runs_what_the_table_says() {
    if !bash_is_here() {
        println!("skipped: there is no bash to compare with");
        return;
    }
    let (stubs, sums, missed) = (Stubs::new(), Mutex::new(Sums::default()), Mutex::new(Vec::new()));
    let scripts = table::scripts();
    let ends = [("0", "0"), ("1", "0"), ("101", "0"), ("0", "1"), ("1", "1")];
    on_all(u64::try_from(scripts.len()).unwrap(), |number| {
        let (_, script) = &scripts[usize::try_from(number).unwrap()];
        for (runner, other) in ends {
            let variables = [("T".to_owned(), runner.to_owned()), ("U".to_owned(), other.to_owned())];
            let ran = stubs.run(script, &variables, Layout::Project);
            let members = of_script(script, None).filter(|members| !members.incomplete);
            let launches = |members: &Members| {
                members
                    .list
                    .iter()
                    .any(|member| member.program().is_some_and(|name| LAUNCHERS.contains(&name)))
            };
            if let Some(members) = members.filter(|members| !launches(members)) {
                let unseen =
                    ran.calls.iter().filter(|call| !members.list.iter().any(|member| is(member, call)));
                missed
                    .lock()
                    .unwrap()
                    .extend(unseen.map(|call| format!("{call:?} is not seen in\n{script}\n")));
            }
            sums.lock().unwrap().script(script, &ran, |member| {
                let known = stubs::is_stub(member.program()?) && member.function.is_none();
                known.then(|| ran.statuses(|call| is(member, call)))
            });
        }
    });
    sums.into_inner().unwrap().holds();
    let missed = missed.into_inner().unwrap();
    assert!(missed.is_empty(), "{} commands were not seen:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn what_bash_refuses_is_not_taken() {
    if !bash_is_here() {
        println!("skipped: there is no bash to compare with");
        return;
    }
    let stubs = Stubs::new();
    let mut texts: Vec<String> = Vec::new();
    for (place, (_, script)) in table::scripts().into_iter().enumerate() {
        let mut dice = Dice::new(u64::try_from(place).unwrap() + 7);
        let letters: Vec<char> = script.chars().collect();
        for _ in 0..4 {
            let at = dice.roll(letters.len() + 1);
            let (before, behind): (String, String) =
                (letters[..at].iter().collect(), letters[at..].iter().collect());
            let broken = dice.pick(BREAKING);
            texts.extend([before.clone(), behind.clone(), format!("{before}{broken}{behind}")]);
        }
    }
    let (half_read, refused) = (Mutex::new(Vec::new()), AtomicU64::new(0));
    on_all(u64::try_from(texts.len()).unwrap(), |number| {
        let text = &texts[usize::try_from(number).unwrap()];
        if !stubs.is_refused(text) {
            return;
        }
        refused.fetch_add(1, Ordering::Relaxed);
        // Nothing of it ran, and the shell ended with 1 or 2.
        let known = |member: &Member| {
            [1, 2]
                .iter()
                .any(|code| member.deduction.outcome(Whole::Failed(Some(*code))).0 != Outcome::Unknown)
        };
        if of_script(text, None).is_some_and(|members| members.list.iter().any(known)) {
            half_read.lock().unwrap().push(text.clone());
        }
    });
    let (half_read, refused) = (half_read.into_inner().unwrap(), refused.into_inner());
    println!("{} texts, {refused} of them refused by bash", texts.len());
    assert!(refused > 500, "too few broken texts to show anything: {refused}");
    assert!(half_read.is_empty(), "{} are taken: {half_read:#?}", half_read.len());
}

/// What breaks a script where it is put.
const BREAKING: &[&str] = &[
    "(",
    ")",
    "'",
    "\"",
    "`",
    "$(",
    "${",
    "|",
    "||",
    "&&",
    ";;",
    "&",
    "{",
    "}",
    "<",
    "<<",
    "<<E",
    ">",
    "\n",
    "; then",
    "; do ",
    "if ",
    "fi",
    "done",
    "case ",
    "esac",
    "!",
    "[[",
    "]]",
    "((",
    "))",
    "\\",
    "#",
    "do",
    "function ",
];

/// It is that run: the same program, and the same words as far as they are values.
fn is(member: &Member, call: &Call) -> bool {
    let words = &member.argv[1.min(member.argv.len())..];
    let all_plain = words.iter().all(|word| word.plain().is_some());
    let same = || {
        words
            .iter()
            .map(|word| word.text.as_str())
            .filter(|word| !word.is_empty())
            .eq(call.words.iter().map(String::as_str))
    };
    let stands_for = member.argv.first().is_some_and(|word| word.plain().is_none());
    stands_for || (member.program() == Some(call.program.as_str()) && (!all_plain || same()))
}

/// What hides a script that stands for itself, when no option of the shell is set around it.
const HIDING: &[&str] = &[
    "( @\n) | tail -3",
    "( @\n) 2>&1 | tee log | tail",
    "( @\n) || true",
    "( @\n) || u",
    "( @\n); u",
    "( @\n)\nu",
    "( @\n) &",
    "( @\n) & wait",
    "if ( @\n); then u; fi",
    "if u; then ( @\n); fi",
    "! ( @\n)",
    "while ( @\n); do break; done",
    "for i in 1 2; do ( @\n); done",
    "case a in *) ( @\n);; esac",
    "A=$( @\n)",
    "echo \"$( @\n)\"",
    "cat <( @\n)",
    "f() { ( @\n); }; f",
    "( @\n) ; exit 0",
    "( @\n) && u || u",
    "coproc { ( @\n); }",
];

#[test]
fn passing_does_not_survive_what_hides_a_status() {
    let mut hidden = 0;
    for seed in 0..SCRIPTS / 4 {
        let (script, _) = Script::roll(seed);
        let passes = |script: &str| {
            let members = of_script(script, None)?;
            let all = members.list.iter().filter(|member| member.program() == Some("t"));
            Some(all.filter(|member| member.deduction.outcome(Whole::Ok).0 == Outcome::Passed).count())
        };
        let alone = passes(&script).unwrap_or_default();
        for shape in HIDING {
            let around = shape.replace('@', &script);
            let Some(count) = passes(&around) else { continue };
            assert_eq!(count, 0, "{around}");
            hidden += alone;
        }
    }
    assert!(hidden > 10_000, "too few commands pass alone to show anything: {hidden}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}", shell in "[a-c $(){}\\[\\]<>|&;'\"`\\\\!#\n=~*?-]{0,120}", bytes in any::<Vec<u8>>()) {
        for text in [text, shell, String::from_utf8_lossy(&bytes).into_owned()] {
            if let Some(members) = of_script(&text, Some("/w")) {
                for whole in WHOLES {
                    for member in &members.list {
                        let (outcome, reason) = member.deduction.outcome(*whole);
                        assert_eq!(outcome == Outcome::Unknown, reason.is_some());
                    }
                }
            }
        }
    }
}
