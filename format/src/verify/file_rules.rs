//! §14.1 File names with which the tools would not find a package.

use super::{Finding, rules};

rules! {
    /// The rules for the names of files, in the order of the registry.
    FILE_RULES:

    FILE_CASE = "FILE-CASE", Warning, [106], "§14.1",
        "the file name of a package has the usual case",
        "the file name of a package has an unusual case",
        "Tools search for `Cocopack`, or the name of their time, with exactly this spelling. On a case-sensitive file system, they do not find any other.";
    FILE_EXTENSION = "FILE-EXTENSION", Warning, [107], "§14.1",
        "the file of a package has an extension for its format",
        "the file of a package has no extension for its format",
        "Tools try `.json`, `.yaml` and `.yml` after the name of a package, and do not find files with other endings.";
}

/// The file names of each toolchain: for a compiled package, and for an author's project, a package
/// without modules.
const NAMES: [&str; 8] = ["Mupack", "Nutpack", "Cocopack", "Lumipack", "Mu", "Nut", "Coconut", "Lumi"];

/// The formats of packages; the last is the compiled form of this project.
const EXTENSIONS: [&str; 4] = ["json", "yaml", "yml", "coco"];

/// Whether a file of this name should contain a package, whatever its content. Such names are
/// `Cocopack.json`, `Coconut.yaml`, and names that end in one of them after a delimiter, in any
/// case.
///
/// ```
/// use coconut_format::verify::is_package_name;
///
/// assert!(is_package_name("Coconut.yaml") && is_package_name("point.cocopack.json"));
/// assert!(!is_package_name("package.json"));
/// ```
pub fn is_package_name(name: &str) -> bool {
    let (stem, _) = split(name);
    let word = stem.rsplit(['.', '_', '-']).next().unwrap_or(stem);
    meant_name(word).is_some()
}

/// The fault in the name of a file that contains a package. A name unlike those of the tools has no
/// fault. In a path flattened with `__`, the last part counts.
///
/// ```
/// use coconut_format::verify::verify_file_name;
///
/// let finding = verify_file_name("cocopack.json").expect("tools look for a capital");
/// assert_eq!((finding.rule.id, finding.expected.as_deref()), ("FILE-CASE", Some("`Cocopack`")));
/// assert_eq!(verify_file_name("cluster.json"), None);
/// ```
pub fn verify_file_name(name: &str) -> Option<Finding> {
    let (stem, extension) = split(name);
    let stem = stem.rsplit("__").next().unwrap_or(stem);
    let known = meant_name(stem)?;
    if known != stem {
        return Some(Finding::new(&FILE_CASE, "").expected(format!("`{known}`")).found(format!("`{stem}`")));
    }
    if EXTENSIONS.contains(&extension) {
        return None;
    }
    let finding = Finding::new(&FILE_EXTENSION, "").expected("`.json`, `.yaml` or `.yml`");
    Some(match extension {
        "" => finding.found("none"),
        extension => finding.found(format!("`.{extension}`")),
    })
}

/// A file name without its extension, and the extension.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or((name, ""))
}

/// The toolchain name that `stem` spells, in any case.
fn meant_name(stem: &str) -> Option<&'static str> {
    NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(name: &str) -> Option<&'static str> {
        verify_file_name(name).map(|finding| finding.rule.id)
    }

    #[test]
    fn the_name_is_held_to_letters_before_the_extension() {
        assert_eq!(rule("Cocopack.json"), None);
        assert_eq!(rule("Mupack.yml"), None);
        assert_eq!(rule("Cocopack.coco"), None);
        assert_eq!(rule("COCOPACK.txt"), Some("FILE-CASE"));
        assert_eq!(rule("lumipack.yaml"), Some("FILE-CASE"));
        assert_eq!(rule("Nutpack.txt"), Some("FILE-EXTENSION"));
        assert_eq!(rule("Nutpack"), Some("FILE-EXTENSION"));
        assert_eq!(rule("Cocopack.JSON"), Some("FILE-EXTENSION"));
    }

    #[test]
    fn projects_have_names_too() {
        assert_eq!(rule("Coconut.yaml"), None);
        assert_eq!(rule("mu.yaml"), Some("FILE-CASE"));
        assert_eq!(rule("Nut"), Some("FILE-EXTENSION"));
        assert_eq!(rule("testdata__bad__Lumi.txt"), Some("FILE-EXTENSION"));
    }

    #[test]
    fn names_of_packages_end_in_those_of_the_toolchains() {
        for name in ["Mu.yaml", "Nutpack", "point.cocopack.json", "a__b__Coconut.yaml", "my-lumi.yml"] {
            assert!(is_package_name(name), "{name}");
        }
        for name in ["", "package.json", "mushroom.json", "Cocopack.old.json", "emu.yaml"] {
            assert!(!is_package_name(name), "{name}");
        }
    }

    #[test]
    fn other_names_are_free() {
        for name in ["", "Coconut.lock.txt", "my.Cocopack.json", "Cocopack.old.json", ".json"] {
            assert_eq!(rule(name), None, "{name}");
        }
    }
}
