//! Every edit of every sample is in the index and none is invented. The samples are counted here a second time, with
//! nothing but a JSON parser and string searches: tool calls by their names, patches by their headers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use camino::Utf8Path;
use serde_json::Value;

use super::corpus::in_parallel;
use super::evidence::{Evidence, text};
use super::golden_file;
use super::program::Room;
use super::samples::{corpus, transcripts};

/// One edit of one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Edit {
    /// The shape that it was found in.
    shape: &'static str,
    path: String,
    operation: String,
    moved_to: Option<String>,
    /// Its result is a plain success.
    well: bool,
}

#[test]
fn every_edit_is_in_the_index_and_none_is_invented() {
    let Some(root) = corpus("") else { return };
    let files: Vec<_> =
        transcripts("").into_iter().filter(|file| fs::metadata(file).unwrap().len() > 0).collect();
    let heads: BTreeMap<String, BTreeSet<String>> = files.iter().filter_map(|file| calls_of(file)).collect();
    let counted = in_parallel(&files, |file| {
        let edits = counted(&values(file), &heads);
        let room = Room::in_memory();
        let manifest = room.path("out/manifest.json");
        room.collect(file, &manifest).unwrap_or_else(|refusal| panic!("{file}: {refusal}"));
        (file.clone(), edits, observed(&Evidence::open(&manifest)))
    });
    let mut lines: Vec<String> = Vec::new();
    let mut differences = String::new();
    let mut total = 0;
    for (file, mut edits, mut rows) in counted {
        let name = file.strip_prefix(&root).unwrap();
        total += edits.len();
        if !edits.is_empty() || !rows.is_empty() {
            lines.push(line(name, &edits, &rows));
        }
        edits.sort_by(|one, other| key(one).cmp(&key(other)));
        rows.sort_by(|one, other| {
            let key = |row: &Row| (row.0.clone(), row.1.clone(), row.2.clone(), row.3 == "ok");
            key(one).cmp(&key(other))
        });
        let expected: Vec<_> = edits.iter().map(key).collect();
        let found: Vec<_> = rows
            .iter()
            .map(|(path, operation, to, status)| {
                (path.as_str(), operation.as_str(), to.as_deref(), status == "ok")
            })
            .collect();
        if expected != found {
            writeln!(differences, "{name}\n  counted {expected:?}\n  rows    {found:?}").unwrap();
        }
    }
    assert_eq!(differences, "");
    println!("{total} edits of files in {} transcripts", lines.len());
    lines.sort();
    golden_file::check("tables/mutations.txt", &format!("{}\n", lines.join("\n")));
}

fn key(edit: &Edit) -> (&str, &str, Option<&str>, bool) {
    (&edit.path, &edit.operation, edit.moved_to.as_deref(), edit.well)
}

type Row = (String, String, Option<String>, String);

/// The rows `file_mutation` of a collected transcript, with the status of their result.
fn observed(evidence: &Evidence) -> Vec<Row> {
    let rows = evidence.stream("observations").into_iter().filter(|row| row["row"] == "file_mutation");
    rows.map(|row| {
        let own = |name: &str| text(&row[name]).to_owned();
        let moved_to = row["moved_to"].as_str().map(str::to_owned);
        (own("path"), own("operation"), moved_to, text(&row["attempt"]["status"]).to_owned())
    })
    .collect()
}

/// `file | edits by shape | rows by operation | rows by status`.
fn line(name: &Utf8Path, edits: &[Edit], rows: &[Row]) -> String {
    let counts = |words: &mut dyn Iterator<Item = &str>| {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        words.for_each(|word| *counts.entry(word).or_default() += 1);
        counts.iter().map(|(word, count)| format!("{word} {count}")).collect::<Vec<_>>().join(" ")
    };
    let shapes = counts(&mut edits.iter().map(|edit| edit.shape));
    let operations = counts(&mut rows.iter().map(|row| row.1.as_str()));
    let statuses = counts(&mut rows.iter().map(|row| row.3.as_str()));
    format!("{} | {shapes} | {operations} | {statuses}", name.with_extension(""))
}

/// The objects of a file. Of a damaged line those that stand whole at its start.
fn values(file: &Utf8Path) -> Vec<Value> {
    let bytes = fs::read(file).unwrap();
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .flat_map(|line| {
            let line = String::from_utf8_lossy(line).into_owned();
            let whole = serde_json::Deserializer::from_str(line.trim_matches('\0')).into_iter::<Value>();
            whole.map_while(Result::ok).collect::<Vec<_>>()
        })
        .collect()
}

/// The id of a Codex thread and the ids of the calls in its file.
fn calls_of(file: &Utf8Path) -> Option<(String, BTreeSet<String>)> {
    let values = values(file);
    let head = values.first().filter(|head| head["type"] == "session_meta")?;
    let ids = values.iter().filter_map(|value| value["payload"]["call_id"].as_str().map(str::to_owned));
    Some((head["payload"]["id"].as_str()?.to_owned(), ids.collect()))
}

fn counted(values: &[Value], heads: &BTreeMap<String, BTreeSet<String>>) -> Vec<Edit> {
    let claude = values.iter().any(|value| value["type"] == "assistant" || value["type"] == "user");
    if claude { of_claude(values) } else { of_codex(values, heads) }
}

/// A call that is written twice has one id; copied rows of a fork say where they are from.
fn of_claude(values: &[Value]) -> Vec<Edit> {
    let mut seen = BTreeSet::new();
    let mut edits = Vec::new();
    let rows = values.iter().filter(|row| row["type"] == "assistant" && row["forkedFrom"].is_null());
    for block in rows.flat_map(|row| row["message"]["content"].as_array().into_iter().flatten()) {
        let name = block["name"].as_str().unwrap_or_default();
        let (shape, path) = match name {
            "Edit" | "MultiEdit" | "Write" => (name, &block["input"]["file_path"]),
            "NotebookEdit" => (name, &block["input"]["notebook_path"]),
            _ => continue,
        };
        let shape = ["Edit", "MultiEdit", "Write", "NotebookEdit"].into_iter().find(|own| *own == shape);
        let (Some(path), Some(shape)) = (path.as_str(), shape) else { continue };
        let id = text(&block["id"]);
        if block["type"] == "tool_use" && seen.insert(id.to_owned()) {
            let created = shape == "Write" && !was_there(values, id);
            let operation = if created { "add" } else { "update" }.to_owned();
            let well = answer(values, id).is_some_and(|(block, _)| block["is_error"] != true);
            edits.push(Edit { shape, path: path.to_owned(), operation, moved_to: None, well });
        }
    }
    edits
}

/// The result block of a call, and its row.
fn answer<'v>(values: &'v [Value], id: &str) -> Option<(&'v Value, &'v Value)> {
    values.iter().find_map(|row| {
        let blocks = row["message"]["content"].as_array()?;
        blocks.iter().find(|block| block["tool_use_id"] == id).map(|block| (block, row))
    })
}

/// The harness says of a whole file written that it replaced another.
fn was_there(values: &[Value], id: &str) -> bool {
    answer(values, id).is_some_and(|(_, row)| row["toolUseResult"]["type"] == "update")
}

/// The output of a Codex call says that all went well: a status 0 in its head or envelope, or the words of the tool.
fn ended_well(outputs: &[&Value], id: &str) -> bool {
    let output = outputs.iter().rev().find(|body| body["call_id"] == id).map(|body| &body["output"]);
    let text = output.map(|output| output.as_str().map_or_else(|| output.to_string(), str::to_owned));
    text.is_some_and(|text| {
        let head = text.split("Output:").next().unwrap_or_default();
        text.starts_with("Success. Updated")
            || text.contains("\"metadata\":{\"exit_code\":0,")
            || head.contains("Exit code: 0\n")
            || head.contains("Process exited with code 0\n")
            || head.contains("Script completed")
    })
}

/// Calls of the thread itself, and changes that only an item tells.
fn of_codex(values: &[Value], heads: &BTreeMap<String, BTreeSet<String>>) -> Vec<Edit> {
    let body =
        |value: &Value| if value["payload"].is_object() { value["payload"].clone() } else { value.clone() };
    let head = values.first().map(&body).unwrap_or_default();
    let parents =
        ["forked_from_id", "parent_thread_id"].map(|name| head[name].as_str().and_then(|id| heads.get(id)));
    let copied = |id: &str| parents.iter().flatten().any(|calls| calls.contains(id));
    let bodies: Vec<Value> = values.iter().map(&body).collect();
    let outputs: Vec<&Value> = bodies.iter().filter(|body| !body["output"].is_null()).collect();
    let mut edits = Vec::new();
    let mut called = BTreeSet::new();
    for body in &bodies {
        let kind = body["type"].as_str().unwrap_or_default();
        if !["function_call", "custom_tool_call", "local_shell_call"].contains(&kind) {
            continue;
        }
        let id = body["call_id"].as_str().unwrap_or_default();
        if copied(id) {
            continue;
        }
        called.insert(id.to_owned());
        let well = ended_well(&outputs, id);
        edits.extend(of_call(body).into_iter().map(|edit| Edit { well, ..edit }));
    }
    for value in values {
        let body = body(value);
        let item = if body["item"].is_object() { &body["item"] } else { &body };
        let id = item["call_id"].as_str().or(item["id"].as_str()).unwrap_or_default();
        let kind = item["type"].as_str().unwrap_or_default();
        if ["FileChange", "patch_apply_end"].contains(&kind) && !called.contains(id) {
            edits.extend(item["changes"].as_object().into_iter().flatten().map(|(path, change)| Edit {
                shape: "item",
                path: path.clone(),
                operation: text(&change["type"]).to_owned(),
                moved_to: change["move_path"].as_str().map(str::to_owned),
                well: item["success"] == true || item["status"] == "completed",
            }));
        }
    }
    edits
}

fn of_call(body: &Value) -> Vec<Edit> {
    let arguments =
        body["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or(Value::Null);
    let name = body["name"].as_str().unwrap_or_default();
    match name {
        "apply_patch" => patched("apply_patch", body["input"].as_str().or(arguments["input"].as_str()), ""),
        "exec" => patched("code", body["input"].as_str(), ""),
        "shell" | "shell_command" | "exec_command" | "container.exec" | "local_shell" | "" => {
            let action = if body["action"].is_object() { &body["action"] } else { &arguments };
            let command = if action["command"].is_null() { &action["cmd"] } else { &action["command"] };
            let words: Vec<&str> = match command {
                Value::String(script) => vec![script],
                words => words.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
            };
            let workdir = action["workdir"].as_str().or(action["working_directory"].as_str()).unwrap_or("");
            match words.as_slice() {
                // The harness takes the patch itself; its paths stay as they are.
                ["apply_patch" | "applypatch", patch] => patched("argument", Some(patch), ""),
                [.., script] if script.contains("apply_patch") || script.contains("applypatch") => {
                    patched("shell", Some(script), workdir)
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// The headers of a patch.
fn patched(shape: &'static str, patch: Option<&str>, workdir: &str) -> Vec<Edit> {
    let Some(start) = patch.and_then(|patch| patch.find("*** Begin Patch").map(|place| &patch[place..]))
    else {
        return Vec::new();
    };
    let mut edits: Vec<Edit> = Vec::new();
    for line in start.lines().take_while(|line| !line.starts_with("*** End Patch")) {
        for (header, operation) in
            [("*** Add File: ", "add"), ("*** Update File: ", "update"), ("*** Delete File: ", "delete")]
        {
            if let Some(path) = line.strip_prefix(header) {
                let path = path.trim();
                let path = if workdir.is_empty() || path.starts_with('/') {
                    path.to_owned()
                } else {
                    format!("{workdir}/{path}")
                };
                edits.push(Edit {
                    shape,
                    path,
                    operation: operation.to_owned(),
                    moved_to: None,
                    well: false,
                });
            }
        }
        if let (Some(to), Some(last)) = (line.strip_prefix("*** Move to: "), edits.last_mut()) {
            last.operation = "move".to_owned();
            last.moved_to = Some(to.trim().to_owned());
        }
    }
    edits
}

/// Tools of the samples that neither run a command nor edit a file of their own.
const QUIET: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "NoSuchTool",
    "Read",
    "Skill",
    "StructuredOutput",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "close_agent",
    "nosuchtool",
    "spawn_agent",
    "update_plan",
    "wait",
    "wait_agent",
];
/// Tools that run a command or edit a file.
const ACTING: &[&str] =
    &["Bash", "Edit", "MultiEdit", "Write", "apply_patch", "exec", "exec_command", "shell", "shell_command"];

#[test]
fn every_tool_of_the_samples_is_known() {
    let mut unknown = BTreeSet::new();
    for value in transcripts("").iter().flat_map(|file| values(file)) {
        let blocks = value["message"]["content"].as_array().into_iter().flatten();
        let called = blocks.filter(|block| block["type"] == "tool_use");
        let body = if value["payload"].is_object() { &value["payload"] } else { &value };
        let calls = ["function_call", "custom_tool_call"];
        let own = calls.iter().any(|kind| body["type"] == *kind).then_some(body);
        for name in called.chain(own).filter_map(|call| call["name"].as_str()) {
            // Tools of other servers, and marks of those who made the sample.
            let foreign = name.contains("__") || name.starts_with('[') || ["Run", "bash"].contains(&name);
            if !foreign && !QUIET.contains(&name) && !ACTING.contains(&name) {
                unknown.insert(name.to_owned());
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:?}");
}
