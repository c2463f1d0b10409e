//! Progress on terminals.

use coconut_shell::Console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar for so many steps. Only terminals show it.
pub(super) fn bar(steps: u64, console: &Console) -> ProgressBar {
    let target = match console.is_chatty() && steps > 1 {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let style =
        ProgressStyle::with_template("{bar:40} {pos}/{len}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(steps), target).with_style(style)
}
