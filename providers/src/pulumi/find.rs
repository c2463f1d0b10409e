//! The program of a provider, in the places where Pulumi looks.

use crate::error::LaunchError;
use std::cmp::Ordering;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// A way to reach a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// A program with its arguments. The address of the engine follows them.
    Program {
        /// The program.
        program: PathBuf,
        /// Its first arguments.
        arguments: Vec<OsString>,
    },
    /// A provider that runs already, at this port of this machine. It is neither started again nor
    /// stopped.
    Port(u16),
}

impl Source {
    /// A program without arguments of its own.
    pub fn program(program: impl Into<PathBuf>) -> Source {
        Source::Program { program: program.into(), arguments: Vec::new() }
    }

    fn with(program: PathBuf, arguments: &[&OsStr]) -> Source {
        Source::Program { program, arguments: arguments.iter().map(|&one| one.to_owned()).collect() }
    }
}

/// Searches the program of a provider.
///
/// The places, in their order:
///
/// 1. For the dynamic providers `pulumi-nodejs` and `pulumi-python`: the package `@pulumi/pulumi`
///    in the nearest `node_modules`, and the `python` of `VIRTUAL_ENV` or of the `PATH`.
/// 2. `pulumi-resource-NAME` on the `PATH`, unless `PULUMI_IGNORE_AMBIENT_PLUGINS` is set or a
///    version is requested.
/// 3. The installed plug-ins below `PULUMI_HOME`, or `~/.pulumi`: the version, or else the newest
///    one, stable before pre-release.
///
/// # Errors
/// Fails if no place has it, or if the name cannot be that of a plug-in.
pub fn find(name: &str, version: Option<&str>) -> Result<Source, LaunchError> {
    let is_legal = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if name.is_empty() || name.starts_with(['.', '-', '/']) || !name.chars().all(is_legal) {
        return Err(LaunchError::Name(coconut_format::visible::visible(name)));
    }
    // Plug-ins from git repositories are named after them.
    let name = name.replace('/', "_");
    let is_ambient =
        env::var("PULUMI_IGNORE_AMBIENT_PLUGINS").map_or(true, |text| matches!(&*text, "" | "0" | "false"));
    let path = env::var_os("PATH").unwrap_or_default();
    let mut searched = Vec::new();
    if name == "pulumi-nodejs" {
        let here = env::current_dir().unwrap_or_default();
        let server = Path::new("node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js");
        let server = here.ancestors().map(|folder| folder.join(server)).find(|file| file.is_file());
        match (server, on_path("node", &path)) {
            (Some(server), Some(node)) => return Ok(Source::with(node, &[server.as_os_str()])),
            (None, _) => searched.push(here.join("node_modules/@pulumi/pulumi")),
            (_, None) => searched.push("node".into()),
        }
    }
    if name == "pulumi-python" {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        let own = env::var_os("VIRTUAL_ENV").map(|own| Path::new(&own).join(folder));
        let own = own.and_then(|own| on_path("python", own.as_os_str()));
        let python = own.or_else(|| on_path("python3", &path)).or_else(|| on_path("python", &path));
        match python {
            Some(python) => return Ok(Source::with(python, &["-u", "-m", "pulumi.dynamic"].map(OsStr::new))),
            None => searched.push("python3".into()),
        }
    }
    let program = format!("pulumi-resource-{name}");
    if is_ambient && version.is_none() {
        if let Some(program) = on_path(&program, &path) {
            return Ok(Source::program(program));
        }
        searched.push(PathBuf::from(&program));
    }
    let home = env::var_os("PULUMI_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".pulumi")));
    if let Some(plugins) = home.map(|home| home.join("plugins")) {
        if let Some(found) = installed(&plugins, &name, version) {
            return Ok(Source::program(found.join(with_suffix(&program))));
        }
        searched.push(plugins);
    }
    Err(LaunchError::NotFound { name, searched })
}

fn with_suffix(program: &str) -> String {
    format!("{program}{}", env::consts::EXE_SUFFIX)
}

fn on_path(program: &str, path: &OsStr) -> Option<PathBuf> {
    let program = with_suffix(program);
    env::split_paths(path).map(|folder| folder.join(&program)).find(|file| file.is_file())
}

/// The folder of an installed plug-in.
fn installed(plugins: &Path, name: &str, version: Option<&str>) -> Option<PathBuf> {
    let prefix = format!("resource-{name}-v");
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for entry in fs::read_dir(plugins).ok()?.flatten() {
        let folder = entry.path();
        let file = entry.file_name();
        let Some(installed) = file.to_str().and_then(|file| file.strip_prefix(&prefix)) else { continue };
        let is_whole = !plugins.join(format!("{prefix}{installed}.partial")).exists();
        let is_wanted = version.is_none_or(|version| version.trim_start_matches('v') == installed);
        let program = folder.join(with_suffix(&format!("pulumi-resource-{name}")));
        if is_whole && is_wanted && program.is_file() {
            found.push((installed.to_owned(), folder));
        }
    }
    found.into_iter().max_by(|(a, _), (b, _)| newer(a, b)).map(|(_, folder)| folder)
}

/// Orders versions: stable ones are after all pre-releases.
fn newer(a: &str, b: &str) -> Ordering {
    let parts = |version: &str| {
        let version = version.split('+').next().unwrap_or_default().to_owned();
        let (release, pre) = match version.split_once('-') {
            Some((release, pre)) => (release.to_owned(), Some(pre.to_owned())),
            None => (version, None),
        };
        let numbers: Vec<u64> = release.split('.').map(|part| part.parse().unwrap_or_default()).collect();
        (numbers, pre)
    };
    let ((a, a_pre), (b, b_pre)) = (parts(a), parts(b));
    let stable = a_pre.is_none().cmp(&b_pre.is_none());
    stable.then_with(|| a.cmp(&b)).then_with(|| a_pre.cmp(&b_pre))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_stable_version_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let program = with_suffix("pulumi-resource-a");
        for version in ["1.9.0", "1.10.0", "2.0.0-alpha", "3.0.0"] {
            let plugin = folder.path().join(format!("resource-a-v{version}"));
            fs::create_dir(&plugin).unwrap();
            fs::write(plugin.join(&program), "").unwrap();
        }
        fs::write(folder.path().join("resource-a-v3.0.0.partial"), "").unwrap();
        let at = |version: &str| Some(folder.path().join(format!("resource-a-v{version}")));
        assert_eq!(installed(folder.path(), "a", None), at("1.10.0"));
        assert_eq!(installed(folder.path(), "a", Some("v2.0.0-alpha")), at("2.0.0-alpha"));
        assert_eq!(installed(folder.path(), "a", Some("3.0.0")), None, "it is not whole");
        assert_eq!(installed(folder.path(), "b", None), None);
    }

    #[test]
    fn a_name_is_no_path() {
        for name in ["", "../a", "a b", "-a", "a\u{1b}"] {
            assert!(matches!(find(name, None), Err(LaunchError::Name(_))), "{name:?}");
        }
    }
}
