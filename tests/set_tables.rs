//! Which sets the real programs' sessions make: one line a session with relatives, compared whole, so that a change of
//! what proves a relation is read as a difference of this table.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use recap::evidence::kinship::set::Follows;
use recap::stage::World;
use recap::stage::collect_set::{CollectSet, collect_set};
use recap::stage::find::Wanted;
use recap::stage::validate_set::validate_set;
use serde_json::Value;

use super::corpus::in_parallel;
use super::golden_file;
use super::program::Room;
use super::samples::{corpus, transcripts};

#[test]
fn sets_of_real_sessions() {
    let (Some(claude), Some(codex)) = (corpus("claude"), corpus("codex")) else { return };
    let mut all = Vec::new();
    for case in claude.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path()) {
        let files = transcripts(&format!("claude/{}", case.file_name().unwrap()));
        let sessions = files.iter().filter(|file| !file.as_str().contains("agent-"));
        if files.len() > 1 {
            all.extend(sessions.map(|file| (case.clone(), file.clone())));
        }
    }
    all.extend(transcripts("codex").into_iter().map(|file| (codex.clone(), file)));
    all.retain(|(_, file)| fs::metadata(file).unwrap().len() > 0);
    let mut lines: Vec<String> =
        in_parallel(&all, |(home, file)| line(home, file)).into_iter().flatten().collect();
    lines.sort();
    golden_file::check("tables/sets.txt", &format!("{}\n", lines.join("\n")));
}

#[test]
fn a_public_session_with_a_child_and_a_side_run() {
    let Some(public) = corpus("public/claude/with-children") else { return };
    let room = Room::in_memory();
    for file in transcripts("public/claude/with-children") {
        let name = format!(".claude/projects/p/{}", file.strip_prefix(&public).unwrap());
        room.file(&name, fs::read(&file).unwrap());
    }
    let session = room.path(".claude/projects/p/258c7280-ae70-4798-800f-63464d01a85d.jsonl");
    let found = line(&room.path(".claude"), &session).unwrap();
    let (_, set) = found.split_once(" | ").unwrap();
    assert_eq!(
        set,
        "session 258c7280, agent a881341, compaction acompact-fffbd0 | \
         258c7280>a881341 result_agent_id progress_agent_id row_session_id, 258c7280>acompact-fffbd0 row_session_id"
    );
}

/// Members and edges of the set around a session; none for a session alone.
fn line(home: &Utf8Path, file: &Utf8Path) -> Option<String> {
    let room = Room::in_memory();
    let world = room.world();
    let environment = ["CLAUDE_CONFIG_DIR", "CODEX_HOME"].map(|name| (name.to_owned(), home.to_string()));
    let world = World { environment: environment.into(), ..world };
    let order = CollectSet {
        session: Wanted::Named(file.to_string()),
        follows: Follows { children: true, chain: true },
        without: Vec::new(),
        output: room.path("out/set.json"),
        repositories: Vec::new(),
        policy: None,
    };
    let name = format!("{} {}", home.file_name().unwrap(), short(file.file_stem().unwrap()));
    let receipt = match collect_set(&world, &order) {
        Ok(receipt) => receipt,
        Err(refusal) => return Some(format!("{name} | {}", refusal.code().as_str())),
    };
    validate_set(&world, &order.output).unwrap();
    let set: Value = serde_json::from_slice(&fs::read(&order.output).unwrap()).unwrap();
    let limits = set["limitations"].as_object().unwrap();
    if receipt.get_count("members") == Some(1) && limits.is_empty() {
        return None;
    }
    let native = |boundary: &Value| native(&order.output, boundary);
    let member = |member: &Value| format!("{} {}", text(&member["kind"]), native(&member["boundary"]));
    let members: Vec<String> = set["members"].as_array().unwrap().iter().map(member).collect();
    let edge = |edge: &Value| {
        let sign = if edge["type"] == "child" { '>' } else { '~' };
        let by: Vec<&str> =
            edge["proof"].as_array().unwrap().iter().map(|proof| text(&proof["by"])).collect();
        let mut told = format!("{}{sign}{} {}", native(&edge["from"]), native(&edge["to"]), by.join(" "));
        if let Some(records) = edge["inherited"]["records"].as_u64() {
            told.push_str(&format!(" ({records} copied, {})", text(&edge["inherited"]["shown_by"])));
        }
        told
    };
    let edges: Vec<String> = set["edges"].as_array().unwrap().iter().map(edge).collect();
    let mut line = format!("{name} | {} | {}", members.join(", "), edges.join(", "));
    for (code, count) in limits {
        line.push_str(&format!(" | {code} {count}"));
    }
    Some(line)
}

/// The native id by which a person would know a member.
fn native(set: &Utf8Path, boundary: &Value) -> String {
    let hex = text(boundary).rsplit('/').next().unwrap();
    let manifest = Utf8PathBuf::from(format!("{set}.boundaries/{hex}/manifest.json"));
    let manifest: Value = serde_json::from_slice(&fs::read(manifest).unwrap()).unwrap();
    let boundary = &manifest["boundary"];
    let id = boundary["agent"].as_str().or(boundary["rollout"].as_str());
    id.map_or_else(
        || short(text(&boundary["session"])),
        |id| if id.len() > 30 { short(id) } else { id.to_owned() },
    )
}

/// Ids of Codex differ in their second half only, made-up ones of Claude Code in their last digits.
fn short(id: &str) -> String {
    let id = if id.starts_with("rollout-") { id.split_at(28).1 } else { id };
    let parts: Vec<&str> = id.split('-').collect();
    if parts[0] == "11111111" || parts[0].starts_with("01a229") {
        format!("{}…{}", parts[0], parts[parts.len() - 1])
    } else {
        parts[0].to_owned()
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}
