//! A table of scripts: their simple commands, and what each whole status proves about one of them.

use super::outcome::Whole;
use super::walk::of_script;
use crate::evidence::command::observation::{Outcome, Reason};

fn commands(script: &str) -> Vec<String> {
    let members = of_script(script, None).unwrap();
    let texts = members
        .list
        .iter()
        .map(|member| member.argv.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "));
    texts.collect()
}

/// What is known about the command that begins with `marker` when the whole ends with 0, 1 and 101.
fn known(script: &str, marker: &str) -> String {
    let members = of_script(script, None).unwrap_or_else(|| panic!("{script}"));
    let member =
        members.list.iter().find(|member| member.argv.first().is_some_and(|word| word.text == marker));
    let member = member.unwrap_or_else(|| panic!("{script}"));
    let letter = |whole| match member.deduction.outcome(whole) {
        (Outcome::Passed, None) => 'P',
        (Outcome::Failed, None) => 'F',
        (Outcome::Unknown, Some(Reason::MaskedByPipeline)) => 'p',
        (Outcome::Unknown, Some(Reason::MaskedByList)) => 'l',
        (Outcome::Unknown, Some(Reason::MaskedByControl)) => 'c',
        (Outcome::Unknown, Some(Reason::Backgrounded)) => 'b',
        (Outcome::Unknown, Some(Reason::Nested)) => 'n',
        other => panic!("{script} {other:?}"),
    };
    [Whole::Ok, Whole::Failed(Some(1)), Whole::Failed(Some(101))].map(letter).iter().collect()
}

#[test]
fn the_status_of_a_member_follows_the_shells_rules() {
    for (script, expected) in [
        // Alone and in groups.
        ("t", "PFF"),
        ("t 2>&1", "PFF"),
        ("t > log 2>&1", "PFF"),
        ("A=1 B=2 t", "PFF"),
        ("time t", "PFF"),
        ("( t )", "PFF"),
        ("{ t; }", "PFF"),
        ("(t) > log", "PFF"),
        ("t # || true", "PFF"),
        ("t \\\n  --all", "PFF"),
        ("t\n", "PFF"),
        ("\n\n# note\nt", "PFF"),
        // Wrappers.
        ("env A=1 t", "PFF"),
        ("timeout 60 t", "PFF"),
        ("nice -n 5 nohup t", "PFF"),
        ("command t", "PFF"),
        ("exec t", "PFF"),
        ("uv run t", "PFF"),
        ("npx t", "PFF"),
        ("sudo t", "PnF"),
        ("docker exec web t", "PnF"),
        ("docker exec -d web t", "bbb"),
        ("nix develop -c t", "PnF"),
        ("xvfb-run t", "PnF"),
        ("bash -c 't'", "PFF"),
        ("bash -lc 'cd x && t'", "PlF"),
        ("bash -c 't | tail'", "ppp"),
        ("bash -o pipefail -c 't | tail'", "PpF"),
        ("bash -eo pipefail -c 't | tail; u'", "Pll"),
        ("bash <<'EOF'\nu\nEOF\nt", "PFF"),
        // Lists.
        ("cd x && t", "PlF"),
        ("cd x; t", "PFF"),
        ("cd x\nt", "PFF"),
        ("t && echo ok", "PlF"),
        ("echo a && t && echo b", "PlF"),
        ("u && t", "Pll"),
        ("t && u", "Pll"),
        ("t; u", "lll"),
        ("t; echo $?", "lll"),
        ("u; t", "PFF"),
        ("t || true", "lFF"),
        ("t || echo failed", "lFF"),
        ("u || t", "lFF"),
        ("u && t || v", "lll"),
        ("t || u && v", "lll"),
        ("cd x && t || true", "lll"),
        ("cd x || exit 1; t", "PlF"),
        ("cd x || exit 1\nt", "PlF"),
        ("cd x || { echo no; exit 1; }; t", "PlF"),
        ("t; exit 0", "lll"),
        ("t && exit 0; u", "lll"),
        ("u && exit; t", "lll"),
        ("t || exit 1", "PFF"),
        ("t || exit $?", "PFF"),
        ("t || exit $?; u", "Pll"),
        ("t || { echo $?; exit $?; }", "lll"),
        ("t || exit 1; u", "Pll"),
        ("t || exit 3; u || exit 3", "Pll"),
        ("t && u || exit 1", "Pll"),
        ("u || t || exit 1", "lFF"),
        ("timeout 9 t || exit 1", "Pnn"),
        ("t; exit $?", "PFF"),
        ("t\nexit", "PFF"),
        ("t; exit 1", "lll"),
        ("t; exit $? > x", "lll"),
        ("u & exit $?; t", "lll"),
        ("[ -f x ] && exit 3; t", "Pll"),
        ("eval t", "PFF"),
        ("eval 't; u'", "lll"),
        ("eval 't' || true", "lFF"),
        ("eval $X; t", "lll"),
        ("source setup.sh && t", "lll"),
        ("source env/bin/activate && t", "Pll"),
        (". ./env; t", "Pll"),
        ("alias t=true; t", "lll"),
        ("kill $$; t", "lll"),
        ("set -n; t", "lll"),
        ("set -- -n; t", "PFF"),
        ("trap 'rm x' EXIT; t", "Pll"),
        ("trap 'rm x; exit' EXIT; t", "lll"),
        ("trap 'exit 0' ERR; t", "lll"),
        ("trap x DEBUG; t", "lll"),
        ("trap - EXIT; t", "PFF"),
        ("trap \"$X\" EXIT; t", "lll"),
        ("mkdir -p x && t", "PlF"),
        ("[ -d x ] && t", "PlF"),
        ("ssh host t", "PnF"),
        ("kubectl exec pod -- t", "PnF"),
        ("bash -s <<'EOF'\nt\nEOF", "PFF"),
        ("exec t; u", "lll"),
        ("exec t && bash -c 'u'", "lll"),
        ("exec t; { u; }", "lll"),
        ("export A=1; t", "PFF"),
        ("A=$(u); t", "PFF"),
        ("A=$(u) && t", "Pll"),
        ("A=1 && t", "PlF"),
        ("[[ -f x ]] && t", "PlF"),
        // Options.
        ("set -e; t", "PFF"),
        ("set -e; t; u", "Pll"),
        ("set -e\nu\nt", "Pll"),
        ("set -euo pipefail; cd x; t", "PlF"),
        ("set -e; t || true; u", "lll"),
        ("set -e; t && v; u", "lll"),
        ("set -e; (t && v); u", "Pll"),
        ("set -e; { t && v; }; u", "lll"),
        ("set -e; ! t; u", "lll"),
        ("set -e; set +e; t; u", "lll"),
        ("u && set -e; t; v", "lll"),
        ("set -o pipefail; t | tail", "PpF"),
        ("set -o pipefail && t 2>&1 | tail -5", "PlF"),
        ("set -o pipefail; u | t", "Ppp"),
        ("(set -o pipefail); t | tail", "ppp"),
        ("u && set -o pipefail; t | tail", "ppp"),
        // Pipelines.
        ("t | tail -5", "ppp"),
        ("t 2>&1 | tee log | tail", "ppp"),
        ("t |& tail", "ppp"),
        ("cat x | t", "PFF"),
        ("yes | t", "PFF"),
        ("(cd x && t) | tail", "ppp"),
        ("t | tail; u", "lll"),
        ("t | tail && u", "pll"),
        // Control.
        ("! t", "ccc"),
        ("if t; then u; fi", "ccc"),
        ("if u; then t; else v; fi", "ccc"),
        ("while t; do u; done", "ccc"),
        ("for i in 1 2; do t; done", "ccc"),
        ("case $x in a) t;; esac", "ccc"),
        ("until t; do sleep 1; done", "ccc"),
        // Background, substitutions, functions.
        ("t &", "bbb"),
        ("t & wait", "bbb"),
        ("u & t", "PFF"),
        ("(t; u) &", "bbb"),
        ("t && u &", "bbb"),
        ("coproc t", "bbb"),
        ("A=$(t)", "nnn"),
        ("echo \"$(t)\"", "nnn"),
        ("echo `t`", "nnn"),
        ("diff <(t) <(u)", "nnn"),
        ("f() { t; }; f", "lll"),
        ("cat <<EOF > x\n`u`\nEOF\nt", "PFF"),
    ] {
        assert_eq!(known(script, "t"), expected, "{script}");
    }
}

#[test]
fn commands_are_found_and_words_resolved() {
    for (script, expected) in [
        ("cd a && cargo test -- 'x y' \"z\"", &["cd a", "cargo test -- x y z"][..]),
        ("echo 'cargo test' | cat", &["echo cargo test", "cat"]),
        ("# cargo test", &[]),
        ("cat <<'EOF'\ncargo test\nEOF", &["cat"]),
        ("bash <<'EOF'\ncargo test\nEOF", &["cargo test"]),
        ("bash -c \"cargo test\" ; sh -c 'a; b'", &["cargo test", "a", "b"]),
        ("bash -c \"$X\"", &[]),
        ("sh script.sh", &["sh script.sh"]),
        ("f() { a; }; b", &["b"]),
        (
            "git commit -m \"$(cat <<'EOF'\nDon't\n\nCo-Authored-By: x\nEOF\n)\"",
            &["cat", "git commit -m $(…)"],
        ),
        (
            "TOKEN=[redacted:token#1] curl -H 'A: [redacted:bearer#2]' x",
            &["curl -H A: [redacted:bearer#2] x"],
        ),
        ("for f in $(ls); do rm $f; done", &["ls", "rm $f"]),
    ] {
        assert_eq!(commands(script), expected, "{script}");
    }
}

#[test]
fn folders_follow_cd_where_it_is_certain() {
    for (script, expected) in [
        ("t", None),
        ("cd /a && t", Some("/a")),
        ("cd /a && cd b && t", Some("/a/b")),
        ("cd a && (cd b; t)", None),
        ("(cd a) && t", None),
        ("cd a; t", None),
        ("set -e; cd a; t", Some("a")),
        ("cd a || exit 1; t", Some("a")),
        ("cd a || true; t", None),
        ("cd $X && t", None),
        ("cd a | t", None),
    ] {
        let members = of_script(script, None).unwrap();
        let member = members.list.iter().find(|member| member.argv[0].text == "t").unwrap();
        assert_eq!(member.directory.known(), expected, "{script}");
    }
}

#[test]
fn hostile_scripts_stay_small() {
    let cds = "cd a; ".repeat(5_000);
    let members = of_script(&cds, None).unwrap();
    assert!(members.incomplete && members.list.iter().all(|member| member.directory.trail().len() < 9_000));
    assert!(of_script(&"a $(".repeat(10_000), None).is_none());
    let nested = (0..8).fold("t".to_owned(), |inner, _| format!("bash -c {}", quoted(&inner)));
    assert!(of_script(&nested, None).unwrap().incomplete);
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
