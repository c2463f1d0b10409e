//! Detects names of one file, because no source may be replaced by its result, however either is
//! spelled.
//!
//! A file is replaced by `rename`, so a hard link counts as another file. Only one name is
//! replaced, and the source keeps its content under the other. The name of standard input is
//! unknown, so every name of its file counts.

use coconut_codec::bytes::replace::target_of;
use coconut_codec::durable;
use coconut_report::Failure;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The file of a name. Equal identities are one file, whether or not it exists yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Identity {
    /// Device and inode of a file with a single name. The name may have several spellings, by case
    /// or by mount.
    #[cfg(unix)]
    File(u64, u64),
    /// In all other cases: the path without links, as far as it exists.
    Name(PathBuf),
}

impl Identity {
    /// The identity of the file at `path`, or of the file that writing to `path` would create.
    pub(crate) fn of(path: &Path) -> Identity {
        let only_name = |path: &Path| {
            let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
            only_name_of(&metadata)
        };
        only_name(path).unwrap_or_else(|| {
            // A path through a missing folder may lead back to an existing file.
            let path = resolved(&target_of(path));
            only_name(&path).unwrap_or(Identity::Name(path))
        })
    }
}

#[cfg(unix)]
fn only_name_of(metadata: &fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    (metadata.nlink() == 1).then(|| Identity::File(metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn only_name_of(_: &fs::Metadata) -> Option<Identity> {
    None
}

/// The path without links and dots. Missing folders are treated as if they will be created.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(path) = fs::canonicalize(path) {
        return path;
    }
    let mut real = PathBuf::new();
    for component in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                real.pop();
            }
            component => {
                real.push(component);
                real = fs::canonicalize(&real).unwrap_or(real);
            }
        }
    }
    real
}

/// Results that would destroy a source or another result.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Collisions {
    /// The collisions: the numbers of the results that cannot be written, with the reasons.
    pub(crate) found: Vec<(Vec<usize>, Collision)>,
    /// Results that repeat another one: same source and same destination.
    pub(crate) repeated: BTreeSet<usize>,
    /// Collisions of the backup of a replaced file, by the number of the result. They count once
    /// the new document is known.
    pub(crate) kept: BTreeMap<usize, Collision>,
}

/// The reason why a result cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collision {
    /// Several results have the same destination.
    Results,
    /// It would replace its own source.
    OwnSource,
    /// It would replace the source of this result.
    OtherSource(usize),
    /// Its backup would replace the source of this result.
    KeptOverSource(usize),
    /// Its backup would replace this result.
    KeptOverResult(usize),
    /// The source of this result has the name of its temporary file, which is removed.
    SweptSource(usize),
    /// This result has the name of its temporary file.
    SweptResult(usize),
}

/// A source and the file of its result; `None` for standard output.
pub(crate) type Writing<'p> = (&'p Path, Option<&'p Path>);

/// Finds the collisions among these sources and results. If `keeps_last`, each result keeps a
/// backup of the file it replaces.
pub(crate) fn collisions(results: &[Writing<'_>], keeps_last: bool) -> Collisions {
    collisions_with(results, keeps_last, || {})
}

/// [`collisions`], with a hook for tests, which runs when the files of the results are known.
fn collisions_with(results: &[Writing<'_>], keeps_last: bool, identified: impl FnOnce()) -> Collisions {
    let sources: Vec<Option<Identity>> =
        results.iter().map(|(source, _)| (source.as_os_str() != "-").then(|| Identity::of(source))).collect();
    let mut readers = BTreeMap::new();
    for (number, source) in sources.iter().enumerate().rev() {
        readers.insert(source, number);
    }
    let mut collisions = Collisions::default();
    let mut makers: BTreeMap<Identity, Vec<usize>> = BTreeMap::new();
    for (number, (_, destination)) in results.iter().enumerate() {
        let Some(path) = *destination else { continue };
        let makers = makers.entry(Identity::of(path)).or_default();
        match makers.iter().any(|&maker| sources[maker] == sources[number]) {
            true => drop(collisions.repeated.insert(number)),
            false => makers.push(number),
        }
    }
    identified();
    // Another program may meanwhile have made the backup the same file as a result. A result does
    // not collide with itself.
    let other_maker =
        |place: &Identity, number: usize| makers.get(place)?.iter().copied().find(|&maker| maker != number);
    for (number, (_, destination)) in results.iter().enumerate() {
        let Some(path) = *destination else { continue };
        if !keeps_last || collisions.repeated.contains(&number) {
            continue;
        }
        let swept = durable::left_overs_of(path).into_iter().find_map(|left_over| {
            if fs::symlink_metadata(&left_over).is_ok_and(|found| !found.is_file()) {
                // A link stays, and so does the file that is written through it.
                return None;
            }
            let written = other_maker(&Identity::of(&left_over), number).map(Collision::SweptResult);
            written.or_else(|| swept_source(results, &left_over).map(Collision::SweptSource))
        });
        if let Some(collision) = swept {
            collisions.found.push((vec![number], collision));
            continue;
        }
        let backup = durable::backup_of(path);
        if backup.is_symlink() {
            // The target of the link stays.
            continue;
        }
        let place = Identity::of(&backup);
        let written = other_maker(&place, number).map(Collision::KeptOverResult);
        let read = readers.get(&Some(place)).copied();
        let read = read.or_else(|| readers.get(&None).copied().filter(|_| is_standard_input(&backup)));
        if let Some(collision) = read.map(Collision::KeptOverSource) {
            collisions.kept.insert(number, collision);
        } else if let Some(collision) = written.filter(|_| durable::is_kept(path, None)) {
            collisions.found.push((vec![number], collision));
        }
    }
    for (place, makers) in makers {
        let [maker] = makers[..] else {
            collisions.found.push((makers, Collision::Results));
            continue;
        };
        let is_own = match (&sources[maker], results[maker].1) {
            (Some(source), _) => *source == place,
            (None, destination) => destination.is_some_and(is_standard_input),
        };
        let place = Some(place);
        let collision = match readers.get(&place) {
            _ if is_own => Collision::OwnSource,
            Some(&reader) => Collision::OtherSource(reader),
            None => continue,
        };
        collisions.found.push((makers, collision));
    }
    collisions.found.sort_by_key(|(makers, _)| makers[0]);
    collisions
}

impl Collision {
    /// The failure for a source that would be replaced. `None` if results collide with each other.
    pub(crate) fn of_source(self, results: &[Writing<'_>], maker: usize) -> Option<Failure> {
        let (source, destination) = results[maker];
        let message = match self {
            Collision::Results => return None,
            Collision::OwnSource if source.as_os_str() == "-" => {
                format!(
                    "`{}` is standard input, and would be replaced by its own result",
                    name_of(destination)
                )
            }
            Collision::OwnSource => format!("`{}` would be replaced by its own result", source.display()),
            Collision::OtherSource(reader) => {
                let (reader, source) = (results[reader].0.display(), source.display());
                format!("`{reader}` would be replaced by the result of `{source}`")
            }
            Collision::KeptOverSource(reader) => {
                let source = source_name(results[reader].0);
                format!("{source} would be replaced by the backup of `{}`", name_of(destination))
            }
            Collision::SweptSource(reader) => {
                let (source, name) = (source_name(results[reader].0), name_of(destination));
                format!("{source} would be deleted as a temporary file of `{name}`")
            }
            Collision::SweptResult(other) => {
                let (other, name) = (name_of(results[other].1), name_of(destination));
                format!("`{other}` would be deleted as a temporary file of `{name}`")
            }
            Collision::KeptOverResult(other) => {
                let other = name_of(results[other].1);
                format!("`{other}` would be replaced by the backup of `{}`", name_of(destination))
            }
        };
        Some(Failure::usage(message).with_hint("name another file with -o"))
    }
}

fn name_of(result: Option<&Path>) -> Cow<'_, str> {
    result.map_or(Cow::Borrowed("-"), Path::to_string_lossy)
}

fn source_name(source: &Path) -> String {
    match source.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => format!("`{}`", source.display()),
    }
}

/// The number of the source that is the file `left_over`, however it is spelled. A source that is
/// another name of that file keeps its content.
fn swept_source(results: &[Writing<'_>], left_over: &Path) -> Option<usize> {
    fs::symlink_metadata(left_over).ok().filter(fs::Metadata::is_file)?;
    let place = Identity::of(left_over);
    results.iter().position(|(source, _)| match source.as_os_str() == "-" {
        true => is_standard_input(left_over),
        false => Identity::of(source) == place,
    })
}

/// Whether `path` is the file read as standard input.
#[cfg(unix)]
fn is_standard_input(path: &Path) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let Ok(input) = std::io::stdin().as_fd().try_clone_to_owned() else { return false };
    let (input, output) = (fs::File::from(input).metadata(), fs::metadata(path));
    let (Ok(input), Ok(output)) = (input, output) else { return false };
    input.is_file() && (input.dev(), input.ino()) == (output.dev(), output.ino())
}

/// On other systems an open file cannot be replaced.
#[cfg(not(unix))]
fn is_standard_input(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use coconut_codec::compile::{CompileOptions, compile};

    #[test]
    fn folders_that_are_yet_to_be_made_lead_back() {
        let folder = tempfile::tempdir().unwrap();
        let (file, missing) = (folder.path().join("a.json"), folder.path().join("b.json"));
        fs::write(&file, "{}").unwrap();
        let detour = folder.path().join("new/folder/../../b.json");
        assert_eq!(Identity::of(&detour), Identity::of(&missing));
        assert_ne!(Identity::of(&file), Identity::of(&missing));
        assert_eq!(Identity::of(&folder.path().join("new/../a.json")), Identity::of(&file));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_one_name_is_known_by_its_inode_and_others_by_their_paths() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.json"), folder.path().join("b.json"));
        fs::write(&file, "{}").unwrap();
        let metadata = fs::metadata(&file).unwrap();
        assert_eq!(Identity::of(&file), Identity::File(metadata.dev(), metadata.ino()));
        fs::hard_link(&file, &link).unwrap();
        assert_eq!(Identity::of(&link), Identity::Name(link.canonicalize().unwrap()));
    }

    #[cfg(unix)]
    #[test]
    fn a_hard_link_is_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.json"), folder.path().join("b.json"));
        fs::write(&file, "{}").unwrap();
        assert_eq!(Identity::of(&folder.path().join("./a.json")), Identity::of(&file));
        fs::hard_link(&file, &link).unwrap();
        assert_ne!(Identity::of(&file), Identity::of(&link));
        assert_eq!(Identity::of(&folder.path().join("./a.json")), Identity::of(&file));
    }

    #[cfg(unix)]
    #[test]
    fn a_result_is_not_in_its_own_way_while_another_program_replaces_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let document = |text: &str| compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        fs::write(path("a.json"), "{}").unwrap();
        let (result, kept) = (path("a.coco"), path("a.coco.bak"));
        let replace = || {
            fs::write(path("a.coco"), document("1")).unwrap();
            durable::write(&path("a.coco"), &document("2"), durable::Replace::Always).unwrap();
        };
        replace();
        let source = path("a.json");
        let found = collisions_with(&[(&source, Some(&result))], true, replace);
        assert_eq!(found, Collisions::default());
        // A link to another file is.
        let other = path("b.json");
        fs::write(&other, "{}").unwrap();
        let results: [Writing<'_>; 2] = [(&source, Some(&result)), (&other, Some(&kept))];
        let found = collisions_with(&results, true, || {}).found;
        assert_eq!(found, [(vec![0], Collision::KeptOverResult(1))]);
    }
}
