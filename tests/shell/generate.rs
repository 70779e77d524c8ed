//! Scripts out of the shell's grammar: lists, pipelines, groups, control, options, wrappers and the traps of each. A
//! command whose status is looked at is `t N`, with a number of its own.

/// A small generator of numbers: the same seed gives the same scripts.
pub struct Dice(u64);

impl Dice {
    /// Begins at a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % u64::try_from(sides).unwrap()).unwrap()
    }

    /// One of some.
    pub fn pick<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.roll(some.len())]
    }
}

/// A script in the making.
pub struct Script {
    dice: Dice,
    /// How many commands `t N` it has.
    pub count: usize,
    functions: usize,
}

impl Script {
    /// A script and the number of its commands.
    pub fn roll(seed: u64) -> (String, usize) {
        let mut script = Self { dice: Dice::new(seed), count: 0, functions: 0 };
        let depth = script.dice.pick(&[0, 0, 0, 1, 1, 1, 2, 3]);
        let text = script.list(depth);
        (text, script.count)
    }

    fn leaf(&mut self) -> String {
        self.count += 1;
        format!("t {}", self.count)
    }

    /// Lists, often behind an option of the shell.
    fn list(&mut self, depth: usize) -> String {
        let mut text = match self.dice.roll(8) {
            0 => self.dice.pick(&[
                "set -e; ",
                "set -o pipefail; ",
                "set -euo pipefail\n",
                "set -eo pipefail && ",
            ]),
            _ => "",
        }
        .to_owned();
        for place in 0..=self.dice.pick(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3]) {
            if place > 0 && !text.ends_with("& ") {
                text.push_str(self.dice.pick(&["; ", "\n", "; ", "; # note\n"]));
            }
            text.push_str(&self.and_or(depth));
            if self.dice.roll(14) == 0 {
                text.push_str(" & ");
            }
        }
        text
    }

    fn and_or(&mut self, depth: usize) -> String {
        let mut text = self.pipeline(depth);
        while self.dice.roll(4) == 0 {
            text.push_str(self.dice.pick(&[" && ", " || ", " && ", " &&\n", " || true && "]));
            text.push_str(&self.pipeline(depth));
        }
        match self.dice.roll(24) {
            0 => text.push_str(" || true"),
            1 => text.push_str(" || exit 1"),
            2 => text.push_str(" || { echo no; exit 1; }"),
            3 => text.push_str(" || exit $?"),
            4 => text.push_str("; exit $?"),
            _ => {}
        }
        text
    }

    fn pipeline(&mut self, depth: usize) -> String {
        let mut text = self.dice.pick(&["", "", "", "", "", "", "", "", "", "! ", "time "]).to_owned();
        text.push_str(&self.command(depth));
        while self.dice.roll(5) == 0 {
            text.push_str(self.dice.pick(&[" | ", " | ", " 2>&1 | ", " |& "]));
            text.push_str(&match self.dice.roll(3) {
                0 => self.command(depth.saturating_sub(1)),
                _ => self.dice.pick(FILTERS).to_owned(),
            });
        }
        text
    }

    fn command(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.roll(4) > 0 {
            return self.simple();
        }
        let below = depth - 1;
        match self.dice.roll(15) {
            0 | 1 => format!("( {} )", self.closed(below)),
            2 | 3 => format!("{{ {}\n}}", self.closed(below)),
            4 => {
                let (condition, then) = (self.closed(below), self.closed(below));
                match self.dice.roll(3) {
                    0 => format!("if {condition}\nthen {then}\nfi"),
                    1 => format!("if {condition}\nthen {then}\nelse {}\nfi", self.closed(below)),
                    _ => format!("if {}\nthen {then}\nelif {condition}\nthen :\nfi", self.closed(0)),
                }
            }
            5 => format!("for i in 1 2; do {}\ndone", self.closed(below)),
            6 => format!("for i in; do {}\ndone", self.closed(below)),
            7 => format!("while {}\ndo {}\nbreak; done", self.closed(0), self.closed(below)),
            8 => format!("until {}\ndo {}\nbreak; done", self.closed(0), self.closed(below)),
            9 => format!("case a in {}) {}\n;; esac", self.dice.pick(&["a", "b", "*"]), self.closed(below)),
            10 | 11 => self.function(below),
            12 => {
                let options = self.dice.pick(&["-c", "-c", "-e -c", "-eo pipefail -c", "-l-c", "-uc"]);
                format!("bash {options} '{}'", self.quotable(below))
            }
            13 => format!("eval '{}'", self.quotable(below)),
            _ => format!("( {} ) {}", self.closed(below), self.dice.pick(&["> log", "2>&1", "< /dev/null"])),
        }
    }

    /// A list that a keyword may follow.
    fn closed(&mut self, depth: usize) -> String {
        let text = self.list(depth);
        if text.ends_with("& ") { format!("{text}wait") } else { text }
    }

    /// A list without apostrophes.
    fn quotable(&mut self, depth: usize) -> String {
        let text = self.closed(depth);
        if text.contains('\'') { self.leaf() } else { text }
    }

    fn function(&mut self, depth: usize) -> String {
        self.functions += 1;
        let own = format!("f{}", self.functions);
        // A function that takes the name of another command must not come to call itself.
        let (name, body) = match self.dice.roll(6) {
            0 => (self.dice.pick(&["cd", "echo", "tail", "set", "exit"]).to_owned(), self.leaf()),
            _ => (own, self.closed(depth)),
        };
        let call = match self.dice.roll(5) {
            0 => String::new(),
            1 => format!("; {name} x && {}", self.leaf()),
            _ => format!("; {name} x"),
        };
        match self.dice.roll(3) {
            0 => format!("function {name} {{ {body}\n}}{call}"),
            1 => format!("{name}() ( {body}\n){call}"),
            _ => format!("{name}() {{ {body}\n}}{call}"),
        }
    }

    fn simple(&mut self) -> String {
        match self.dice.roll(14) {
            0..=6 => self.leaf(),
            7 | 8 => self.dressed(),
            9..=11 => self.dice.pick(BUILTINS).to_owned(),
            12 => self.substituted(),
            _ => self.trap(),
        }
    }

    /// With redirections, assignments, wrappers.
    fn dressed(&mut self) -> String {
        let leaf = self.leaf();
        let shape = self.dice.pick(&[
            "@ > log 2>&1",
            "@ 2>&1",
            "> log @",
            "A=1 B='x y' @",
            "env A=1 @",
            "env -u A @",
            "timeout 5 @",
            "nice -n 1 @",
            "command @",
            "nohup @",
            "stdbuf -oL @",
            "time @",
            "exec @",
            "( exec @ )",
            "@ < /dev/null",
            "@ <<< word",
            "{ @ <<'E'\nbody || true\nE\n}",
            "{ @ <<E\n$(u)\nE\n}",
            "bash -c '@'",
            "sh -c '@'",
            "bash -c '@; exit 0'",
            "bash -c '@ || true'",
            "bash -c 'cd d && @'",
            "bash -c 'set -e; @; true'",
            "{ bash <<'E'\n@\nE\n}",
            "sudo @",
            "uv run @",
            "npx @",
            "docker exec web @",
            "xvfb-run -a @",
            "cd d && @",
            "cd gone && @",
            "(cd d && @)",
            "(cd d; @)",
            "env -C d @",
            "[[ -f x ]] && @",
            "[ -f x ] || @",
            "! @",
            "if ! @; then exit 1; fi",
            "@ && echo yes || echo no",
            "@; echo $?",
            "@; s=$?; exit $s",
            "@; [ $? -eq 0 ]",
            "@ | tee log; exit ${PIPESTATUS[0]}",
            "@ & wait $!",
            "@ & wait",
            "find . -maxdepth 0 -exec @ \\;",
            "echo x | xargs @",
            "echo x | while read l; do @; done",
            "cat <(@)",
            "@ > >(cat)",
            "coproc @; wait",
            "{ @; } > log",
            "\\@",
            "'t' @",
            "$(echo t) @",
            "builtin eval '@'",
            "eval @",
            "eval '@ || true'",
        ]);
        // A word before the command itself: its name is then part of the argument.
        shape
            .replace("' @", &format!("' {}", leaf.trim_start_matches("t ")))
            .replace(") @", &format!(") {}", leaf.trim_start_matches("t ")))
            .replace('@', &leaf)
    }

    fn substituted(&mut self) -> String {
        let leaf = self.leaf();
        let shape = self.dice.pick(&[
            "A=$(@)",
            "A=$(@) && B=1",
            "export A=$(@)",
            "echo $(@)",
            "echo \"`@`\"",
            "A=`@`",
            "u $(@)",
            "A=$(@) u",
            "[ -n \"$(@)\" ]",
            "local A=$(@)",
            "{ cat <<E\n$(@)\nE\n}",
            "> $(@)x u",
            "for i in $(@); do u; done",
            "case $(@) in *) u;; esac",
            "(( $(@) + 1 ))",
            "test -z $(@; u)",
        ]);
        shape.replace('@', &leaf)
    }

    /// What ends or changes a shell in ways of its own.
    fn trap(&mut self) -> String {
        let leaf = self.leaf();
        let shape = self.dice.pick(&[
            "trap '@' EXIT",
            "trap 'exit 0' EXIT",
            "trap 'exit 0' ERR",
            "trap 'true' ERR; @",
            "source ./leave.sh; @",
            "source ./strict.sh; @",
            ". ./fine.sh && @",
            ". ./leave.sh && @",
            "exit 0; @",
            "exit; @",
            "exit 256; @",
            "return 1; @",
            "@; exit 0",
            "@; exit 3",
            "@; exit",
            "return 0; @",
            "exec true; @",
            "exec > log; @",
            "kill $$; @",
            "shopt -s lastpipe; true | @",
            "shopt -s inherit_errexit; A=$(@; u)",
            "set +e; @",
            "set +o pipefail; @ | tail",
            "set -o errexit; @; u",
            "set -e -o pipefail; @ | tail; u",
            "set -n; @",
            "set -x; @",
            "set -- a b; @",
            "set -ef; @; u",
            "set -oe pipefail; @ | cat; u",
            "set -o nounset -e; @; u",
            "unset -f t; @",
            "hash -r; @",
            "PATH=$PATH; @",
            "u && set -e; @; u",
            "(set -e; @; u); u",
            "(set -e; @; u) || u",
            "if true; then set -e; fi; @; u",
            "set -e; if @; then u; fi; u",
            "set -e; @ && u; true",
            "set -e; ! @; u",
            "set -e; f() { @; u; }; f || true",
            "set -e; f() { @; u; }; f; u",
            "set -e; (@; u) && true; u",
            "set -e; A=$(@); u",
            "set -e; echo $(@); u",
            "set -e; export A=$(@); u",
            "set -e; @ | cat; u",
            "set -e; @ & wait; u",
            "set -e; while @; do break; done; u",
            "set -e; for i in 1; do @; done; u",
            "set -e; case a in a) @;; esac; u",
            "set -e; { @; u; }; u",
            "set -e; { @ || u; }; u",
            "set -e; [[ -f x ]]; @",
            "set -e; cd d; @",
            "set -e; ((0)); @",
            "set -e; let 0; @",
            "set -e; eval '@; u'; u",
            "set -e; bash -c '@; u'; u",
            "set -e; trap 'u' EXIT; @",
            "set -e; time @; u",
            "bash -euc '@; u'",
            "bash -o errexit -c '@; u'",
            "bash +e -c '@; u'",
            "bash -c 'set -e; @; u'; u",
            "bash -n -c '@'",
            "@ || return 1",
            "(@) || exit 4; u",
            "@ || (exit 1); u",
            "{ @ || exit 1; } && u",
            "@ || { u; exit 0; }; u",
            "@ || exit 0",
            "@ || exit; u",
            "true || @",
            "false && @",
            "true && @ || u",
            "false || @ && u",
            "@ && exit 0; exit 1",
            "@ && exit 0 || exit 1",
            "@ || kill -TERM $$",
            "while :; do @ && break; break; done",
            "until @; do break; done",
            "for i in 1 2 3; do @ || break; done",
            "for i in 1 2; do @ || exit 1; done",
            "while read l; do @; done < /dev/null",
            "time { @; u; }",
            "! { @; u; }",
            "(! @)",
            "if @; then exit 0; else exit 1; fi",
            "@; wait",
            "u & @",
            "@ && u &\nwait",
            "f() { return 0; @; }; f",
            "f() { @; return; }; f",
            "f() { @; return 0; }; f",
            "exit() { :; }; exit 0; @",
            "set() { :; }; set -e; @; u",
            "cd() { u; }; cd d && @",
            "t() { true; }; @",
            "alias t=true; @",
            "shopt -s expand_aliases\nalias t=true\n@",
            "command_not_found_handle() { :; }; @",
            "@ 2>&1 | head -1",
            "set -o pipefail; @ | head -1",
            "set -o pipefail; yes | @",
            "yes | @",
            "yes | head -1 | @",
            "set -o pipefail; @ | grep -q x",
            "set -o pipefail; @ | (u)",
            "set -o pipefail; @ | u | tail",
            "set -o pipefail; @ | true && u",
            "set -o pipefail; ! @ | tail",
            "set -o pipefail; (@ | tail) && u",
            "set -o pipefail; @ | tail || true",
            "set -o pipefail; bash -c '@ | tail'",
            "export SHELLOPTS; set -o pipefail; bash -c '@ | tail'",
            "exec 3>&1; @ >&3",
            "@ > log; cat log",
            "@ > log || cat log",
            "@ > log && cat log",
            "{ @; echo $? > s; } | tail; exit $(cat s)",
            "@; if [ $? -ne 0 ]; then exit 1; fi",
            "@; test $? = 0 && u",
            "r=0; @ || r=$?; exit $r",
            "@ || r=1; exit ${r:-0}",
            "@ && r=0 || r=1; exit $r",
            "[ -d d ] && @",
            "[ -d gone ] && @; u",
            "[[ a == b ]] || @",
            "test -f gone || @",
            "ls gone || @",
            "mkdir -p d && @",
            "pushd d > /dev/null && @ && popd > /dev/null",
            "pushd d; @; popd",
            "cd d; @; cd ..",
            "cd d && @; cd ..",
            "(cd d && @) && u",
            "sleep 0; @",
            "echo a; echo b; @",
            "echo start && @ && echo end",
            "date > /dev/null; @",
            "printf x | @",
            "cat fine.sh | @ | cat",
        ]);
        shape.replace('@', &leaf)
    }
}

const FILTERS: &[&str] = &[
    "tail -3",
    "tee log",
    "cat",
    "grep -v x",
    "head -1",
    "sort",
    "wc -l",
    "true",
    "false",
    "cat > log",
    "u",
    "sed s/a/b/",
];

const BUILTINS: &[&str] = &[
    "true",
    "false",
    ":",
    "echo hi",
    "printf x",
    "cd d",
    "cd gone",
    "cd -",
    "pwd",
    "export A=1",
    "A=1",
    "unset A",
    "set +e",
    "set -e",
    "set -o pipefail",
    "set +o pipefail",
    "wait",
    "[ -f x ]",
    "[[ -d d ]]",
    "((1))",
    "((0))",
    "test -d d",
    "cat fine.sh",
    "grep -q x fine.sh",
    "sleep 0",
    "break",
    "continue",
    "u",
    "umask 022",
    "shopt -s nullglob",
    "type t > /dev/null",
    "read l < fine.sh",
    "let 1",
    "exec > log",
    "times > /dev/null",
];
