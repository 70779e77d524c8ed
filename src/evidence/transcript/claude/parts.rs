//! Content parts as the text that stands for them: text as it is, everything else as one descriptor line.
//! Pictures and documents are never kept; their media type, size and SHA-256 are.

use data_encoding::BASE64;

use crate::base::digest::Digest;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::wiped;

/// The parts of a tool result or of nested content, joined by LF.
pub fn shown(content: &Json<'_>) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    if content.is_object() {
        return part(content).unwrap_or_default();
    }
    let parts: Vec<String> = content.items().iter().filter_map(part).collect();
    wiped::joined(parts, "\n")
}

/// One part as text; `None` for nulls and empty parts.
pub fn part(part: &Json<'_>) -> Option<String> {
    if let Some(text) = part.as_str() {
        return Some(text.to_owned());
    }
    match part.get("type").as_str()? {
        "text" => part.get("text").as_str().map(ToOwned::to_owned),
        "tool_reference" => {
            Some(format!("[tool_reference {}]", part.get("tool_name").as_str().unwrap_or("?")))
        }
        "web_search_result" => {
            let title = part.get("title").as_str().unwrap_or_default();
            Some(format!("{title} {}", part.get("url").as_str().unwrap_or_default()))
        }
        kind => Some(descriptor(kind, part)),
    }
}

/// `[image image/png, 1234 bytes, sha256 …]` and its kin.
pub fn descriptor(kind: &str, part: &Json<'_>) -> String {
    let source = part.get("source");
    let media = source.get("media_type").as_str();
    let place = |name: &str| source.get(name).as_str().map(|value| format!("{name} {value}"));
    let mut words = vec![media.map_or_else(|| kind.to_owned(), |media| format!("{kind} {media}"))];
    match (source.get("type").as_str(), source.get("data").as_str()) {
        (Some("text"), Some(text)) => return text.to_owned(),
        (Some("content"), _) => return shown(source.get("content")),
        (_, Some(data)) => match BASE64.decode(data.as_bytes()) {
            Ok(bytes) => {
                words.push(format!("{} bytes", bytes.len()));
                words.push(format!("sha256 {}", Digest::of(&bytes)));
            }
            Err(_) => words.push(format!("{} characters that are not base64", data.len())),
        },
        _ => words.extend(place("url").or_else(|| place("file_id"))),
    }
    words.extend(part.get("title").as_str().map(|title| format!("title {title}")));
    format!("[{}]", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{Json, shown};

    fn text(json: &str) -> String {
        shown(&Json::parse(json, &[]).unwrap().value)
    }

    #[test]
    fn parts_join_by_line_feed_and_pictures_become_descriptors() {
        let json = r#"[{"type":"text","text":"a"},null,{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAEC"}},{"type":"tool_reference","tool_name":"Monitor"}]"#;
        assert_eq!(
            text(json),
            "a\n[image image/png, 3 bytes, sha256 ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc]\n[tool_reference Monitor]"
        );
    }

    #[test]
    fn odd_parts_never_fail() {
        assert_eq!(text(r#""plain""#), "plain");
        assert_eq!(text("7"), "");
        assert_eq!(
            text(
                r#"[{"type":"image","source":{"media_type":"image/png","data":"?"}},{"type":7},{"type":"image"}]"#
            ),
            "[image image/png, 1 characters that are not base64]\n[image]"
        );
        assert_eq!(
            text(
                r#"[{"type":"document","source":{"type":"url","url":"https://x.invalid/a.pdf"},"title":"A"}]"#
            ),
            "[document, url https://x.invalid/a.pdf, title A]"
        );
    }
}
