//! Tool results as items: the parts shown to the model, the outcome, and the names in listed fields of the
//! harness's own `toolUseResult` (ids of children and tasks, paths, side files). Its texts are never used.

use super::envelope::text;
use super::outcome::{self, Outcome};
use super::parts::shown;
use super::voice::Voice;
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
        call_id: text(block, "tool_use_id").map(Raw::from),
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
    named.chain(side_file.map(|name| Entity { kind: "side_file", value: Raw::from(name) })).collect()
}

/// The name of the file with the whole output. The path is absolute on the machine that wrote it, so only the
/// name is kept; copies without `toolUseResult` still have the harness's frame around the preview.
fn side_file(data: &Json<'_>, content: &str) -> Option<String> {
    let framed = || {
        let (_, rest) = content.strip_prefix("<persisted-output>")?.split_once("Full output saved to: ")?;
        rest.lines().next()
    };
    let path = text(data, "persistedOutputPath").or_else(framed)?;
    path.rsplit(['/', '\\']).next().map(|name| name.trim().to_owned())
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
        let named = r#"{"toolUseResult":{"persistedOutputPath":"C:\\p\\tool-results\\b1.txt"}}"#;
        assert_eq!(read(named, r#"{"content":"x"}"#), expected);
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
