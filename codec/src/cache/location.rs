//! The location of the user's cache.

use std::ffi::OsString;
use std::path::PathBuf;

/// The environment variable that names the cache directory. It takes precedence over all others.
pub const LOCATION_VARIABLE: &str = "COCONUT_CACHE_DIR";

/// The first variable with an absolute path. Empty and relative ones are ignored.
pub(super) fn for_user(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(LOCATION_VARIABLE)
        .or_else(|| absolute("XDG_CACHE_HOME").map(|base| base.join("coconut")))
        .or_else(|| absolute("HOME").map(|home| home.join(".cache").join("coconut")))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn location(variables: &[(&str, &str)]) -> Option<PathBuf> {
        for_user(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn our_own_variable_goes_before_xdg_and_home() {
        let all = [("COCONUT_CACHE_DIR", "/c"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(location(&all), Some("/c".into()));
        assert_eq!(location(&all[1..]), Some("/x/coconut".into()));
        assert_eq!(location(&all[2..]), Some("/h/.cache/coconut".into()));
        assert_eq!(location(&[]), None);
    }

    #[test]
    fn relative_and_empty_paths_are_passed_over() {
        let relative = [("COCONUT_CACHE_DIR", ""), ("XDG_CACHE_HOME", "x"), ("HOME", "/h")];
        assert_eq!(location(&relative), Some("/h/.cache/coconut".into()));
        assert_eq!(location(&[("HOME", "h")]), None);
    }
}
