//! The files of rules about differences that do not matter.

use coconut_codec::loader::{WorkspaceFile, own_file};
use coconut_report::diff::IgnoreRule;
use coconut_report::failure::Failure;
use coconut_shell::console::{Console, visible};
use coconut_shell::open::read_text;
use std::path::Path;

/// The default file of rules.
const RULES: &str = ".cocodiff";

/// The rules of the command line, and those of a file.
pub(super) fn of(
    given: &[String],
    file: Option<&Path>,
    console: &mut Console,
) -> Result<Vec<IgnoreRule>, Failure> {
    let mut rules = given.iter().map(|text| IgnoreRule::parse(text)).collect::<Result<Vec<_>, _>>()?;
    rules.extend(match file {
        Some(path) => IgnoreRule::parse_file(&path.to_string_lossy(), &read_text(path)?)?,
        None => usual(console)?,
    });
    Ok(rules)
}

/// The rules of the default file.
///
/// A link there is not followed, because it comes with the folder and may lead to files that the
/// user did not name. A file that other users may have written is ignored, because it could hide
/// differences.
fn usual(console: &mut Console) -> Result<Vec<IgnoreRule>, Failure> {
    let path = Path::new(RULES);
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {
            let Some(WorkspaceFile { bytes, .. }) = own_file(path) else { return Ok(Vec::new()) };
            match bytes.map(String::from_utf8) {
                Ok(Ok(text)) => IgnoreRule::parse_file(RULES, &text),
                Ok(Err(_)) => Err(Failure::usage("it is not UTF-8").in_file(RULES)),
                Err(reason) => {
                    let text = visible(&reason.to_string());
                    let hint = "its rules are not used; name it to use them: `--ignore-from FILE`";
                    console.warn(Some(reason.code()), &format!("{text}\n --> {RULES}\n  = {hint}"));
                    Ok(Vec::new())
                }
            }
        }
        Ok(metadata) if metadata.is_symlink() => Err(Failure::usage("a link is not followed here")
            .in_file(RULES)
            .with_hint("name the file of rules: `--ignore-from FILE`")),
        _ => Ok(Vec::new()),
    }
}
