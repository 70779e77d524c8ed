//! Scrubs the strings of transcripts and lists every redaction with what stands around it.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use recap::base::credential::Spotter;
use serde_json::Value;

use super::{Outcome, say};

/// What stands around a redaction, in bytes on each side.
const AROUND: usize = 60;

/// The files below the paths, each with its strings.
fn transcripts(paths: &[String]) -> Outcome<Vec<(PathBuf, Vec<String>)>> {
    let mut files = Vec::new();
    for path in paths {
        gather(Path::new(path), &mut files)?;
    }
    files.sort();
    files.into_iter().map(|file| read(&file).map(|bytes| (file, strings_of(&bytes)))).collect()
}

fn strings_of(bytes: &[u8]) -> Vec<String> {
    let mut strings = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        match serde_json::from_slice::<Value>(line) {
            Ok(value) => leaves(&value, &mut strings),
            Err(_) => strings.push(String::from_utf8_lossy(line).into_owned()),
        }
    }
    strings
}

/// All strings of the files below the paths.
pub fn strings(paths: &[String]) -> Outcome<Vec<String>> {
    Ok(transcripts(paths)?.into_iter().flat_map(|(_, strings)| strings).collect())
}

/// Lists the redactions of all files below the paths.
pub fn list(paths: &[String]) -> Outcome<()> {
    let files = transcripts(paths)?;
    let (mut bytes, mut hidden) = (0, 0);
    let mut kinds: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (file, strings) in &files {
        for string in strings {
            bytes += string.len();
            for span in Spotter::global().spot(string) {
                hidden += span.end - span.start;
                *kinds.entry(span.kind).or_default() += 1;
                let from = string.floor_char_boundary(span.start.saturating_sub(AROUND));
                let to = string.ceil_char_boundary(string.len().min(span.end + AROUND));
                let part = |from, to| string.get(from..to).unwrap_or_default();
                say(&format!(
                    "{} {}: {:?} «{:?}» {:?}",
                    file.file_name().unwrap_or_default().display(),
                    span.kind,
                    part(from, span.start),
                    part(span.start, span.end),
                    part(span.end, to),
                ));
            }
        }
    }
    say(&format!(
        "{} files, {bytes} bytes of strings, {hidden} hidden: {:.4} per 1,000; {kinds:?}",
        files.len(),
        1000.0 * hidden as f64 / bytes.max(1) as f64
    ));
    Ok(())
}

fn gather(path: &Path, files: &mut Vec<PathBuf>) -> Outcome<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            gather(&entry?.path(), files)?;
        }
    } else if path.to_str().is_some_and(|name| {
        [".jsonl", ".json", ".jsonl.gz", ".jsonl.zst"].iter().any(|end| name.ends_with(end))
    }) {
        files.push(path.to_owned());
    }
    Ok(())
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    match path.extension().and_then(std::ffi::OsStr::to_str) {
        Some("gz") => drop(flate2::read::MultiGzDecoder::new(file).read_to_end(&mut bytes)?),
        Some("zst") => drop(ruzstd::decoding::StreamingDecoder::new(file)?.read_to_end(&mut bytes)?),
        _ => drop(std::io::BufReader::new(file).read_to_end(&mut bytes)?),
    }
    Ok(bytes)
}

/// All strings of a document, each with the name it stands beside.
fn leaves(value: &Value, strings: &mut Vec<String>) {
    match value {
        Value::String(text) => strings.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, strings)),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            strings.push(name.clone());
            leaves(member, strings);
        }),
        _ => {}
    }
}
