//! Tool results as items: the parts shown to the model, the outcome, and the names in listed fields of the
//! harness's own `toolUseResult` (ids of children and tasks, paths, side files). Its texts are never used.

use super::envelope::{id, text};
use super::outcome::{self, Outcome};
use super::parts::shown;
use super::voice::Voice;
use crate::base::limits::SIDE_FILE_NAME_BYTES;
use crate::evidence::transcript::item::{Actor, ActorGrade, Entity, Item, Surface, Tool, facet};
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;

/// A `tool_result` block of a user row, or a result block inside an assistant row.
pub fn item(row: &Json<'_>, block: &Json<'_>) -> Item<Raw> {
    let content = shown(block.get("content"));
    let Outcome { status, exit_code, mut facets } = outcome::of(row, block, &content);
    let data = row.get("toolUseResult");
    let side_file = side_file(data, &content);
    if side_file.is_some() || is_cut(&content) {
        facets.push(facet::CUT_OUTPUT);
    }
    if is_report(data) {
        facets.push(facet::AGENT_REPORT);
    }
    let voice = Voice { surface: Surface::ToolResult, actor: Actor::Tool, grade: ActorGrade::Proven, facets };
    let mut item = voice.says(content);
    item.entities = entities(data, side_file);
    item.tool = Some(Tool {
        name: None,
        call_id: id(block, "tool_use_id").map(Raw::from),
        status: Some(status),
        exit_code,
    });
    item
}

fn entities(data: &Json<'_>, side_file: Option<String>) -> Vec<Entity<Raw>> {
    let listed: [(&'static str, &[&str]); 7] = [
        ("agent", &["agentId"]),
        ("task", &["backgroundTaskId"]),
        ("task", &["task", "task_id"]),
        ("path", &["filePath"]),
        ("path", &["file", "filePath"]),
        ("branch", &["worktreeBranch"]),
        ("model", &["resolvedModel"]),
    ];
    let named = listed.into_iter().filter_map(|(kind, keys)| {
        let value = data.path(keys).as_str().filter(|value| !value.is_empty())?;
        Some(Entity { kind, value: Raw::from(value) })
    });
    // The `taskId` of a workflow is that of its notification; that of a task list is another thing.
    let workflow = text(data, "runId").and_then(|_| text(data, "taskId"));
    let named = named.chain(workflow.map(|task| Entity { kind: "task", value: Raw::from(task) }));
    named.chain(side_file.map(|name| Entity { kind: "side_file", value: Raw::from(name) })).collect()
}

/// The name of the file with the whole output. The path is absolute on the machine that wrote it, so only the
/// name is kept; results without the field have the harness's sentence, around the preview or, for tools of
/// servers, in its place.
fn side_file(data: &Json<'_>, content: &str) -> Option<String> {
    let framed = || {
        let (_, rest) = content.strip_prefix("<persisted-output>")?.split_once("Full output saved to: ")?;
        rest.lines().next()
    };
    let replaced = || {
        let line = content.lines().next()?.strip_prefix("Error: result (")?;
        let (_, path) = line.split_once(" exceeds maximum allowed tokens. Output has been saved to ")?;
        Some(path.strip_suffix('.').unwrap_or(path))
    };
    let path = text(data, "persistedOutputPath").or_else(framed).or_else(replaced)?.trim();
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default();
    // A file of another folder keeps that folder's name, which says that it is not the session's.
    let name = match parts.next() {
        None | Some("tool-results") if !matches!(name, "" | "." | "..") => name.to_owned(),
        folder => format!("{}/{name}", folder.unwrap_or_default()),
    };
    Some(name.chars().take(SIDE_FILE_NAME_BYTES).collect())
}

/// The harness's mark in the middle or at the end of an output that it shortened.
fn is_cut(content: &str) -> bool {
    content.lines().any(|line| {
        line.strip_prefix("... [").is_some_and(|rest| {
            let count = rest.split(' ').next().unwrap_or_default();
            let marked = rest.ends_with(" truncated] ...");
            marked && !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit())
        })
    })
}

/// The answer of a child: by its id, or in versions without ids by the counts that only children have.
fn is_report(data: &Json<'_>) -> bool {
    let completed = data.get("status").as_str().is_none_or(|status| status == "completed");
    completed && (text(data, "agentId").is_some() || !data.get("totalToolUseCount").is_null())
}

#[cfg(test)]
mod tests {
    use super::{Json, facet, item};

    fn read(row: &str, block: &str) -> (Vec<&'static str>, Vec<(&'static str, String)>) {
        let item = item(&Json::parse(row, &[]).unwrap().value, &Json::parse(block, &[]).unwrap().value);
        let named = item.entities.iter().map(|entity| (entity.kind, entity.value.expose().to_owned()));
        (item.facets, named.collect())
    }

    #[test]
    fn a_large_output_names_its_side_file() {
        let framed = r#"{"content":"<persisted-output>\nOutput too large (1MB). Full output saved to: /h/p/tool-results/b1.txt\n\nPreview"}"#;
        let expected = (vec![facet::CUT_OUTPUT], vec![("side_file", "b1.txt".to_owned())]);
        assert_eq!(read("{}", framed), expected);
        let server = r#"{"content":"Error: result (76,333 characters across 1 line) exceeds maximum allowed tokens. Output has been saved to /h/p/tool-results/b1.txt.\nFormat: Plain text"}"#;
        assert_eq!(read("{}", server), expected);
        let named = r#"{"toolUseResult":{"persistedOutputPath":"C:\\p\\tool-results\\b1.txt"}}"#;
        assert_eq!(read(named, r#"{"content":"x"}"#), expected);
    }

    #[test]
    fn a_file_of_another_folder_keeps_the_folders_name() {
        let named = |path: &str| {
            let path = Json::String(path.into()).to_text();
            let row = format!(r#"{{"toolUseResult":{{"persistedOutputPath":{path}}}}}"#);
            read(&row, r#"{"content":"x"}"#).1[0].1.clone()
        };
        assert_eq!(named("b1.txt"), "b1.txt");
        assert_eq!(named("/h/tool-results/b1.txt"), "b1.txt");
        assert_eq!(named("/etc/passwd"), "etc/passwd");
        assert_eq!(named("/h/tool-results/../secret"), "../secret");
        assert_eq!(named("/h/tool-results/.."), "tool-results/..");
        assert_eq!(named("C:\\x\\y.txt"), "x/y.txt");
    }

    #[test]
    fn a_shortened_output_says_so() {
        assert_eq!(
            read("{}", r#"{"content":"1\n\n... [13779 lines truncated] ..."}"#).0,
            [facet::CUT_OUTPUT]
        );
        assert!(read("{}", r#"{"content":"echo ... [x lines truncated] ..."}"#).0.is_empty());
    }

    #[test]
    fn a_childs_answer_is_a_report_and_names_the_child() {
        let row = r#"{"toolUseResult":{"status":"completed","agentId":"a1","resolvedModel":"m"}}"#;
        let (facets, named) = read(row, r#"{"content":[{"type":"text","text":"done"}]}"#);
        assert_eq!(facets, [facet::AGENT_REPORT]);
        assert_eq!(named, [("agent", "a1".to_owned()), ("model", "m".to_owned())]);
        let launch = r#"{"toolUseResult":{"status":"async_launched","agentId":"a1"}}"#;
        assert_eq!(read(launch, "{}").0, [facet::BACKGROUND]);
    }
}
