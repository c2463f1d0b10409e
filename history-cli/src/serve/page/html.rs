//! Pieces of HTML. Every text from elsewhere is escaped.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use coconut_history::Version;
use coconut_report::safe::visible;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// The only style, which the policy permits by its digest.
const STYLE: &str = include_str!("style.css");

/// The digest of the style, as a policy has it.
pub(super) fn style_digest() -> String {
    STANDARD.encode(Sha256::digest(STYLE))
}

/// A page that is being written.
pub(super) struct Page(String);

impl Page {
    pub(super) fn new(title: &str) -> Page {
        let title = escaped(title);
        Page(format!(
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
             <title>{title}</title><style>{STYLE}</style><header><a href=\"/\">States</a></header><main><h1>{title}</h1>"
        ))
    }

    pub(super) fn push(&mut self, html: &str) {
        self.0.push_str(html);
    }

    pub(super) fn finish(mut self) -> String {
        self.0.push_str("</main></html>\n");
        self.0
    }
}

/// A text between tags or in an attribute with double quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A link to an address of this server.
pub(super) fn link(address: &str, text: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escaped(address), escaped(text))
}

/// The lines of a difference, with the colours of the terminal.
pub(super) fn diff(text: &str) -> String {
    let mut out = String::from("<pre>");
    for line in text.lines() {
        let class = match line.trim_start().chars().next() {
            Some('+') => "add",
            Some('-') => "remove",
            Some('~' | '±') => "change",
            _ => "same",
        };
        let _ = writeln!(out, "<span class={class}>{}</span>", escaped(line));
    }
    out.push_str("</pre>");
    out
}

/// The number of resources of the last versions, as a line. Without resources, the sizes.
pub(super) fn sparkline(versions: &[Version]) -> String {
    const POINTS: usize = 60;
    const HEIGHT: u64 = 16;
    let last = versions.get(versions.len().saturating_sub(POINTS)..).unwrap_or_default();
    let values: Vec<u64> = last.iter().map(|version| version.resources.unwrap_or(version.length)).collect();
    let (Some(&lowest), Some(&highest)) = (values.iter().min(), values.iter().max()) else {
        return String::new();
    };
    let height = |value: u64| match highest - lowest {
        0 => HEIGHT / 2,
        range => HEIGHT - (value - lowest) * HEIGHT / range,
    };
    let points =
        values.iter().enumerate().map(|(at, &value)| format!("{},{}", at * 2 + 1, height(value) + 2));
    let points: Vec<String> = points.collect();
    format!(
        "<svg width=122 height=20 viewBox=\"0 0 122 20\" role=img aria-label=\"from {lowest} to {highest}\"><polyline points=\"{}\"/></svg>",
        points.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(escaped("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
        assert_eq!(link("/x\"><script>", "<b>"), "<a href=\"/x&quot;&gt;&lt;script&gt;\">&lt;b&gt;</a>");
        let shown = diff("+ a</pre><script>\n  ~ b");
        assert_eq!(
            shown,
            "<pre><span class=add>+ a&lt;/pre&gt;&lt;script&gt;</span>\n<span class=change>  ~ b</span>\n</pre>"
        );
    }
}
