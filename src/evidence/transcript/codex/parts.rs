//! Parts of a message or a tool output, in all three spellings that occur (`input_text`, `inputText`, `Text`).

use super::line::withhold;
use super::media;
use crate::evidence::transcript::json::Json;
use crate::evidence::transcript::raw::Raw;
use crate::evidence::transcript::reading::Reading;
use crate::evidence::transcript::wiped;

/// One part as the model or the person saw it.
#[derive(Debug, PartialEq)]
pub enum Part<'j> {
    /// Words.
    Text(&'j str),
    /// Anything else that was shown: a descriptor line, or the JSON of a kind without media.
    Shown(String),
    /// A part that is counted and never kept.
    Encrypted,
}

/// Reads one part.
pub fn part<'j>(value: &'j Json<'_>) -> Part<'j> {
    if let Some(text) = value.as_str() {
        return Part::Text(text);
    }
    if !value.get("encrypted_content").is_null() {
        return Part::Encrypted;
    }
    let first = |keys: &[&str]| keys.iter().find_map(|key| value.get(key).as_str());
    match value.get("type").as_str().unwrap_or("") {
        "input_text" | "output_text" | "inputText" | "text" | "Text" | "summary_text" => {
            Part::Text(first(&["text"]).unwrap_or(""))
        }
        "refusal" => Part::Text(first(&["refusal"]).unwrap_or("")),
        "input_image" | "inputImage" | "image" => {
            Part::Shown(of_media("image", value, &["image_url", "imageUrl"]))
        }
        "input_audio" | "inputAudio" | "audio" => {
            Part::Shown(of_media("audio", value, &["audio_url", "audioUrl"]))
        }
        "local_image" => Part::Shown(format!("[image at {}]", first(&["path"]).unwrap_or(""))),
        "local_audio" => Part::Shown(format!("[audio at {}]", first(&["path"]).unwrap_or(""))),
        _ => Part::Shown(value.to_text()),
    }
}

fn of_media(kind: &str, value: &Json<'_>, urls: &[&str]) -> String {
    match value.get("data").as_str() {
        Some(data) => media::of_base64(kind, value.get("mimeType").as_str(), data),
        None => media::of_url(kind, urls.iter().find_map(|key| value.get(key).as_str())),
    }
}

/// The parts of a content member; a lone string or a lone part counts as one.
pub fn listed<'j, 't>(value: &'j Json<'t>) -> &'j [Json<'t>] {
    match value {
        Json::Array(parts) => parts,
        Json::Null | Json::Skipped => &[],
        lone => std::slice::from_ref(lone),
    }
}

/// All parts joined by LF; hidden ones are counted in the reading.
pub fn joined(value: &Json<'_>, reading: &mut Reading<Raw>) -> String {
    let mut lines = Vec::new();
    for value in listed(value) {
        match part(value) {
            Part::Text(text) => lines.push(text.to_owned()),
            Part::Shown(line) => lines.push(line),
            Part::Encrypted => withhold(reading, "encrypted", value.get("encrypted_content")),
        }
    }
    wiped::joined(lines, "\n")
}
