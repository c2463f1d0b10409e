//! Failures of loading, caching and writing documents.

use coconut_codec::cache::CacheFault;
use coconut_codec::durable::{self, DurableError};
use coconut_codec::loader::{Fallback, FallbackReason, LoadError, LoadErrorKind};
use coconut_report::failure::TOO_LARGE;
use coconut_report::json::text;
use coconut_report::{Exit, Failure};
use coconut_shell::open::source_format;
use std::io::ErrorKind;
use std::path::Path;

/// The failure to write the snapshot `file`.
pub(crate) fn of_snapshot(file: &str, error: &DurableError) -> Failure {
    let failure = match error {
        DurableError::Damaged(error) => Failure::from(error.clone()),
        DurableError::Io { operation, path, error } => {
            let failure = Failure::new(Exit::Usage, DurableError::IO, format!("cannot {operation}: {error}"));
            // The name of the backup may be taken.
            match *path == durable::backup_of(Path::new(file)) {
                true => {
                    let hint = "the backup needs this name: move the existing file away";
                    failure.in_file(&path.to_string_lossy()).with_hint(hint)
                }
                false => failure,
            }
        }
        refused => Failure::new(Exit::Usage, refused.code(), refused.to_string())
            .with_hint("name another file with -o, or use --force"),
    };
    failure.in_file(file)
}

/// The failure to load the package or source `name`.
pub(crate) fn of_loading(name: &str, error: &LoadError, reveal: bool) -> Failure {
    // Files are named as on the command line.
    let shown = |path: &Path| match std::path::absolute(name) {
        Ok(named) if named == path => name.to_owned(),
        _ => path.to_string_lossy().into_owned(),
    };
    let failure = match &*error.kind {
        LoadErrorKind::Source { path, text, error } => {
            let file = shown(path);
            match source_format(&file, text, None) {
                Err(error) => Failure::from(error).in_file(&file),
                Ok(_) => Failure::compiling(&file, text, error, reveal),
            }
        }
        LoadErrorKind::Decode { path, error } => Failure::from(error.clone()).in_file(&shown(path)),
        kind @ LoadErrorKind::Read(fault)
            if fault.errno.is_none() && fault.kind == ErrorKind::FileTooLarge =>
        {
            Failure::new(Exit::Limit, kind.code(), kind.to_string()).with_hint(TOO_LARGE)
        }
        kind @ LoadErrorKind::Read(_) => Failure::new(Exit::Usage, kind.code(), kind.to_string()),
        kind @ LoadErrorKind::WrongPackage { .. } => {
            Failure::new(Exit::Decode, kind.code(), kind.to_string()).in_file(name)
        }
        kind @ LoadErrorKind::SourceAbsent { path } => {
            Failure::negative(kind.code(), "source file not found").in_file(&shown(path))
        }
        kind => {
            let message = kind.to_string();
            let mut lines = message.lines().map(|line| line.trim_start().to_owned());
            let first = lines.next().unwrap_or_default();
            // The argument may have been meant as either.
            let first = match kind {
                LoadErrorKind::NotFound { searched, .. } => {
                    let places = if searched.len() == 1 { "place" } else { "places" };
                    format!("no such file, nor a package of this name in {} {places}", searched.len())
                }
                _ => first,
            };
            let failure = Failure::negative(kind.code(), first);
            let mut searched: Vec<String> = lines.collect();
            // The argument may be a file, for which a workspace does not matter. It is the last
            // line.
            if matches!(kind, LoadErrorKind::NotFound { outside: Some(_), .. }) {
                searched.pop();
            }
            match searched.is_empty() {
                true => failure,
                false => failure.with_list("searched", searched.iter().map(text).collect(), searched),
            }
            .in_file(name)
        }
    };
    if error.fallbacks.is_empty() {
        return failure;
    }
    let attempts = error.fallbacks.iter().map(|fallback| text(fallback.to_string())).collect();
    failure.with_list("attempts", attempts, error.fallbacks.iter().map(passed_over).collect())
}

/// The message about a compiled form that was not used.
fn passed_over(fallback: &Fallback) -> String {
    match fallback.reason {
        FallbackReason::Stale { .. } => {
            format!("{} has an older text of it, and can be read by its own name", fallback.binary.display())
        }
        _ => format!("not used: {fallback}"),
    }
}

/// The failure of the cache, for commands that are only about the cache.
pub(crate) fn of_cache(fault: &CacheFault) -> Failure {
    Failure::new(Exit::Usage, fault.code(), fault.to_string())
}
