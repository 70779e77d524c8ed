//! Media of a message or a tool output, as one descriptor line: kind, media type, size and SHA-256 of the
//! bytes, or where they lie. The bytes themselves never enter an event.

use data_encoding::BASE64;

use crate::base::digest::Digest;

/// The descriptor of a `data:` or other URL.
pub fn of_url(kind: &str, url: Option<&str>) -> String {
    let Some(url) = url.filter(|url| !url.is_empty()) else {
        return format!("[{kind}, no data]");
    };
    let Some(rest) = url.strip_prefix("data:") else {
        return format!("[{kind} at {url}]");
    };
    match rest.split_once(";base64,") {
        Some((media_type, data)) => of_base64(kind, Some(media_type), data),
        None => format!("[{kind}, data URL without base64, {} bytes]", rest.len()),
    }
}

/// The descriptor of base64 text; a missing media type is read off the first bytes.
pub fn of_base64(kind: &str, media_type: Option<&str>, data: &str) -> String {
    let Ok(bytes) = BASE64.decode(data.trim_end().as_bytes()) else {
        return format!("[{kind}, not base64, {} bytes of text]", data.len());
    };
    let media_type = media_type.filter(|name| !name.is_empty()).unwrap_or_else(|| sniffed(&bytes));
    format!("[{kind} {media_type}, {} bytes, sha256 {}]", bytes.len(), Digest::of(&bytes))
}

fn sniffed(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::{of_base64, of_url};

    #[test]
    fn a_data_url_is_told_by_type_size_and_digest() {
        let line = of_url("image", Some("data:image/png;base64,aGk="));
        let digest = crate::base::digest::Digest::of(b"hi");
        assert_eq!(line, format!("[image image/png, 2 bytes, sha256 {digest}]"));
    }

    #[test]
    fn what_cannot_be_decoded_is_counted_and_not_shown() {
        assert_eq!(of_base64("image", None, "???"), "[image, not base64, 3 bytes of text]");
        assert_eq!(of_url("image", None), "[image, no data]");
    }
}
