//! The styles of text for people.

use anstyle::{AnsiColor, Style};
use coconut_format::visible::visible;

/// Style of keys and headings.
pub const STRONG: Style = Style::new().bold();
/// Style of less important text.
pub const DIM: Style = Style::new().dimmed();
/// Style of success.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Style of failure.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// `text` safe for a terminal, in this style if styles may be written.
pub fn paint(is_coloured: bool, style: Style, text: &str) -> String {
    match is_coloured {
        true => format!("{style}{}{style:#}", visible(text)),
        false => visible(text),
    }
}
