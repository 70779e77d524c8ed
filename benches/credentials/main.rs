//! How well and how fast secrets are found: on labelled rows of a file, on made-up rows, on transcripts, on hostile text.
//!
//! `cargo bench --bench credentials -- [FILE…] [--details] [--made ROUNDS] [--seed N] [--transcripts PATH…] [--speed]
//! [--only TEXT]`.
//! A FILE holds labelled rows as JSON Lines, compressed or not. Without an argument it makes rows up and measures speed.
//! Processor time is measured, not the clock. `--speed` with `--transcripts` measures their strings, too; alone,
//! `--transcripts` lists every redaction with what stands around it, so that a person can judge it: run it on one's own
//! files only. All tokens of made-up rows are random; none was ever a credential.

mod dice;
mod sums;
mod families;
mod places;
mod look_alikes;
mod labelled;
mod disguises;
mod rows;
mod score;
mod transcripts;
mod speed;
#[path = "../session.rs"]
mod session;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What to do.
#[derive(Default)]
struct Orders {
    files: Vec<String>,
    transcripts: Vec<String>,
    rounds: usize,
    seed: u64,
    details: bool,
    speed: bool,
    /// The one text whose speed is measured; all of them when empty.
    only: String,
}

fn main() -> Outcome<()> {
    sums::check()?;
    let orders = orders()?;
    for file in &orders.files {
        score::score(file, &rows::read(file)?, orders.details);
    }
    if orders.rounds > 0 {
        score::score("made up", &rows::make(orders.seed, orders.rounds), orders.details);
    }
    if orders.speed {
        speed::measure(&transcripts::strings(&orders.transcripts)?, &orders.only);
    } else if !orders.transcripts.is_empty() {
        transcripts::list(&orders.transcripts)?;
    }
    Ok(())
}

fn orders() -> Outcome<Orders> {
    let mut orders = Orders { seed: 1, ..Orders::default() };
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench").peekable();
    let by_itself = arguments.peek().is_none();
    let mut in_transcripts = false;
    while let Some(argument) = arguments.next() {
        let mut number = || -> Outcome<u64> { Ok(arguments.next().ok_or("a number is missing")?.parse()?) };
        match argument.as_str() {
            "--details" => orders.details = true,
            "--speed" => orders.speed = true,
            "--only" => orders.only = arguments.next().ok_or("a text's name is missing")?,
            "--made" => orders.rounds = usize::try_from(number()?)?,
            "--seed" => orders.seed = number()?,
            "--transcripts" => in_transcripts = true,
            option if option.starts_with("--") => return Err(format!("no option {option}").into()),
            path if in_transcripts => orders.transcripts.push(path.to_owned()),
            path => orders.files.push(path.to_owned()),
        }
    }
    if by_itself {
        (orders.rounds, orders.speed) = (4, true);
    }
    Ok(orders)
}

#[expect(clippy::print_stdout, reason = "figures are what a benchmark is for")]
fn say(line: &str) {
    println!("{line}");
}
