//! Options of all commands that use a registry.

use clap::Args;
use coconut_hub::{Hub, HubOptions, LayerCache, Progress, limits};
use coconut_shell::Console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Limits of requests.
#[derive(Clone, Debug, Args)]
pub(crate) struct NetworkOptions {
    /// Wait so long for an answer; a transfer gets one more second for each 64 KiB
    #[arg(long, value_name = "SECONDS", default_value_t = limits::ANSWER.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Refuse larger layers
    #[arg(long, value_name = "N", default_value_t = limits::LAYER_BYTES)]
    max_bytes: u64,
    /// Do not use or fill the cache
    #[arg(long, conflicts_with = "offline")]
    no_cache: bool,
    /// Use only the cache and directories
    #[arg(long)]
    offline: bool,
}

impl NetworkOptions {
    /// Registries with these limits. Moved bytes are shown in the bar.
    pub(crate) fn hub(&self, bar: &ProgressBar) -> Hub {
        let bar = bar.clone();
        Hub::new(HubOptions {
            cache: LayerCache::for_user().filter(|_| !self.no_cache),
            max_bytes: self.max_bytes,
            patience: Duration::from_secs(self.timeout),
            is_offline: self.offline,
            progress: Progress::new(move |bytes| bar.inc(bytes)),
        })
    }
}

/// A bar for bytes, whose number is set when it is known. Only terminals show it.
pub(crate) fn byte_bar(console: &Console) -> ProgressBar {
    let target = match console.is_chatty() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let template = "{bar:40} {bytes}/{total_bytes} {bytes_per_sec}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(0), target).with_style(style)
}
