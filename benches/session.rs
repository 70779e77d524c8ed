//! A made-up Claude Code session of any size: the same bytes for the same size on every machine. Kinds of rows and
//! their share of the bytes follow real sessions; it holds no words of anybody and only synthetic credentials.

use std::io::{self, Write};

/// Words of code, logs and prose. Some are what a search for secrets must look at twice.
const WORDS: [&str; 48] = [
    "fn",
    "let",
    "config",
    "request",
    "return",
    "token_count",
    "key",
    "value",
    "auth",
    "match",
    "self",
    "stream",
    "the",
    "then",
    "because",
    "file",
    "error",
    "warning",
    "test",
    "result",
    "index",
    "offset",
    "buffer",
    "pub",
    "struct",
    "impl",
    "use",
    "crate",
    "std",
    "String",
    "Vec<u8>",
    "Option",
    "assert_eq!",
    "&mut",
    "if",
    "else",
    "INFO",
    "DEBUG",
    "connection",
    "retry",
    "timeout=30",
    "status=200",
    "--release",
    "src/lib.rs",
    "passed",
    "ok",
    "https://docs.example.invalid/guide",
    "password_field",
];
/// What stands between words of code.
const SIGNS: [&str; 6] = [" ", "(", "::", " = \"", ");", "."];
const MODEL: &str = "claude-opus-4-1-20250805";
const SESSION: &str = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b";

/// Writes a session of about `bytes` bytes.
pub fn write(out: &mut impl Write, bytes: u64) -> io::Result<()> {
    let mut session = Session { random: Random(0x9e37_79b9_7f4a_7c15), rows: 0, parent: None };
    let mut written = 0;
    while written < bytes {
        for row in session.turn() {
            out.write_all(row.as_bytes())?;
            out.write_all(b"\n")?;
            written += row.len() as u64 + 1;
        }
    }
    out.flush()
}

/// A small generator of numbers that depends on nothing (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        let place = usize::try_from(self.below(of.len() as u64)).unwrap_or(0);
        of.get(place).copied().unwrap_or_default()
    }
}

struct Session {
    random: Random,
    rows: u64,
    parent: Option<String>,
}

impl Session {
    /// A prompt, some rounds of thinking, text, calls and results, and the bookkeeping behind them.
    fn turn(&mut self) -> Vec<String> {
        let mut rows = Vec::new();
        let prompt = self.prose(300);
        rows.push(self.row("user", &format!("{{\"role\":\"user\",\"content\":{}}}", quoted(&prompt)), ""));
        for _ in 0..self.random.below(8) + 4 {
            let hidden = self.prose(900);
            let signature = self.hex(300);
            let thinking = format!(
                "{{\"type\":\"thinking\",\"thinking\":{},\"signature\":\"{signature}\"}}",
                quoted(&hidden)
            );
            rows.push(self.assistant(&thinking));
            if self.random.below(3) == 0 {
                let words = self.prose(500);
                rows.push(self.assistant(&format!("{{\"type\":\"text\",\"text\":{}}}", quoted(&words))));
            }
            self.call(&mut rows);
        }
        let id = self.uuid();
        rows.push(format!(
            "{{\"type\":\"file-history-snapshot\",\"messageId\":\"{id}\",\"snapshot\":{{\"messageId\":\"{id}\",\
             \"trackedFileBackups\":{{}},\"timestamp\":\"{}\"}},\"isSnapshotUpdate\":false}}",
            self.time()
        ));
        rows
    }

    /// A call of one of three tools and its result.
    fn call(&mut self, rows: &mut Vec<String>) {
        let id = format!("toolu_{}", self.hex(24));
        let path = format!("/home/dev/project/src/module_{}.rs", self.random.below(400));
        let (name, input, shown, beside) = match self.random.below(10) {
            0..5 => {
                let log = self.log();
                let command =
                    format!("cargo test --package part_{} 2>&1 | tail -n 40", self.random.below(90));
                let beside = format!(
                    "{{\"stdout\":{},\"stderr\":\"\",\"interrupted\":false,\"isImage\":false}}",
                    quoted(&log)
                );
                let input = format!("{{\"command\":{},\"description\":\"Run the tests\"}}", quoted(&command));
                ("Bash", input, log, beside)
            }
            5..8 => {
                let code = self.code();
                let beside = format!(
                    "{{\"type\":\"text\",\"file\":{{\"filePath\":\"{path}\",\"content\":{},\"numLines\":90}}}}",
                    quoted(&code)
                );
                ("Read", format!("{{\"file_path\":\"{path}\"}}"), code, beside)
            }
            _ => {
                let (old, new, whole) = (self.prose(400), self.prose(500), self.code());
                let input = format!(
                    "{{\"file_path\":\"{path}\",\"old_string\":{},\"new_string\":{}}}",
                    quoted(&old),
                    quoted(&new)
                );
                let beside = format!(
                    "{{\"filePath\":\"{path}\",\"oldString\":{},\"newString\":{},\"originalFile\":{}}}",
                    quoted(&old),
                    quoted(&new),
                    quoted(&whole)
                );
                ("Edit", input, format!("The file {path} has been updated.\n{new}"), beside)
            }
        };
        rows.push(self.assistant(&format!(
            "{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"{name}\",\"input\":{input}}}"
        )));
        let content = format!(
            "{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"{id}\",\"type\":\"tool_result\",\"content\":{},\
             \"is_error\":false}}]}}",
            quoted(&shown)
        );
        rows.push(self.row("user", &content, &format!(",\"toolUseResult\":{beside}")));
    }

    fn assistant(&mut self, block: &str) -> String {
        let message = format!(
            "{{\"id\":\"msg_{}\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"{MODEL}\",\"content\":[{block}],\
             \"stop_reason\":null,\"usage\":{{\"input_tokens\":12,\"cache_read_input_tokens\":40123,\"output_tokens\":311,\
             \"service_tier\":\"standard\"}}}}",
            self.hex(24)
        );
        let request = format!(",\"requestId\":\"req_{}\"", self.hex(24));
        self.row("assistant", &message, &request)
    }

    fn row(&mut self, kind: &str, message: &str, more: &str) -> String {
        let uuid = self.uuid();
        let parent = self.parent.replace(uuid.clone());
        let parent = parent.map_or_else(|| "null".to_owned(), |parent| format!("\"{parent}\""));
        self.rows += 1;
        format!(
            "{{\"parentUuid\":{parent},\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/home/dev/project\",\
             \"sessionId\":\"{SESSION}\",\"version\":\"2.1.42\",\"gitBranch\":\"main\",\"type\":\"{kind}\",\
             \"message\":{message}{more},\"uuid\":\"{uuid}\",\"timestamp\":\"{}\"}}",
            self.time()
        )
    }

    fn time(&self) -> String {
        let seconds = self.rows * 7;
        let (day, hour, minute) = (seconds / 86_400 % 28 + 1, seconds / 3_600 % 24, seconds / 60 % 60);
        format!("2025-09-{day:02}T{hour:02}:{minute:02}:{:02}.{:03}Z", seconds % 60, self.rows % 1_000)
    }

    fn uuid(&mut self) -> String {
        let digits = self.hex(32);
        let part = |from, to| digits.get(from..to).unwrap_or_default();
        format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
    }

    fn hex(&mut self, digits: usize) -> String {
        let mut text = String::with_capacity(digits + 16);
        while text.len() < digits {
            text.push_str(&format!("{:016x}", self.random.next()));
        }
        text.truncate(digits);
        text
    }

    /// 0.2 to 20 KB, short ones far more often; one in three hundred is 200 to 600 KB.
    fn size(&mut self) -> usize {
        let bytes = match self.random.below(300) {
            0 => 200_000 + self.random.below(400_000),
            1..60 => 6_000 + self.random.below(14_000),
            _ => 200 + self.random.below(6_000),
        };
        usize::try_from(bytes).unwrap_or(20_000)
    }

    fn prose(&mut self, about: usize) -> String {
        let mut text = String::with_capacity(about * 2);
        let length = about / 2 + usize::try_from(self.random.below(about as u64)).unwrap_or(0);
        while text.len() < length {
            text.push_str(self.random.pick(&WORDS));
            text.push_str(if self.random.below(14) == 0 { ".\n" } else { " " });
        }
        text
    }

    fn code(&mut self) -> String {
        let mut text = String::new();
        let (mut line, size) = (1, self.size());
        while text.len() < size {
            text.push_str(&format!("{line:>6}→"));
            for _ in 0..self.random.below(4) {
                text.push_str("    ");
            }
            for _ in 0..self.random.below(9) {
                text.push_str(self.random.pick(&WORDS));
                text.push_str(self.random.pick(&SIGNS));
            }
            text.push('\n');
            line += 1;
        }
        text
    }

    fn log(&mut self) -> String {
        let (mut text, size, coloured) = (String::new(), self.size(), self.random.below(8) == 0);
        while text.len() < size {
            let (open, close) = if coloured { ("\u{1b}[32m", "\u{1b}[0m") } else { ("", "") };
            text.push_str(&format!("{} {open}INFO{close} [{}] ", self.time(), self.random.below(9_000)));
            for _ in 0..4 + self.random.below(10) {
                text.push_str(self.random.pick(&WORDS));
                text.push(' ');
            }
            match self.random.below(4_000) {
                // Assembled here, so that no scanner takes this file for a leak.
                0 => text.push_str(&format!("export API_TOKEN={}{}", "ghp_", self.token())),
                1..900 => text.push_str(&format!("commit {}", self.hex(40))),
                _ => {}
            }
            text.push('\n');
        }
        text
    }

    fn token(&mut self) -> String {
        const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let letter =
            |value: u64| LETTERS.get(usize::try_from(value).unwrap_or(0)).copied().map_or('a', char::from);
        (0..36).map(|_| letter(self.random.below(62))).collect()
    }
}

/// A JSON string.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
