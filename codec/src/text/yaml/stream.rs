//! §17.2 Detects texts of several documents by their markers.

/// Whether a YAML text has several nonempty documents. Inspects only its markers: the text has
/// already been read.
///
/// A line that begins with `---` or `...` is a marker in every valid text, at any nesting.
pub fn is_stream(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let (mut is_written, mut has_ended) = (false, false);
    for line in text.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let content = match (after_marker(line, b"---"), after_marker(line, b"...")) {
            (Some(rest), _) | (None, Some(rest)) => {
                has_ended = is_written;
                rest
            }
            (None, None) if line.starts_with(b"%") && (!is_written || has_ended) => b"",
            (None, None) => line,
        };
        let content = content.trim_ascii_start();
        if content.is_empty() || content.starts_with(b"#") {
            continue;
        }
        if has_ended {
            return true;
        }
        is_written = true;
    }
    false
}

/// The text after a marker at the beginning of a line.
fn after_marker<'l>(line: &'l [u8], marker: &[u8]) -> Option<&'l [u8]> {
    line.strip_prefix(marker).filter(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_has_content_before_and_after_a_marker() {
        for text in [
            "a: 1\n---\nb: 2\n",
            "--- a\n--- b\n",
            "---\na: 1\n---\nb: 2",
            "a: 1\r\n---\r\nb: 2\r\n",
            "a: 1\n...\nb: 2\n",
            "%YAML 1.2\n---\na\n...\n# x\n%YAML 1.2\n---\nb\n",
            "\u{feff}---\n- 1\n--- # x\n- 2\n",
            "a: |\n  x\n\n  --- y\n---\nb: 2\n",
        ] {
            assert!(is_stream(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "- 1\n- 2\n",
            "---\n- 1\n- 2\n",
            "# x\n---\n- 1\n- 2\n---\n# y\n...\n",
            "%YAML 1.2\n---\n- 1\n",
            "---\n---\n---\n- 1\n---\n",
            "- |\n  ---\n  x\n- ----\n- a\n----: 1\n",
            "- \"x\n  ---\n  y\"\n",
        ] {
            assert!(!is_stream(text.as_bytes()), "{text}");
        }
    }
}
