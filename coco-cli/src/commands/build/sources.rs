//! Selects the files to compile and the destination of each result.

use crate::destination::Destination;
use crate::form::{Maker, Makes};
use crate::identity::{Collision, collisions};
use coconut_codec::bytes::input::open_regular;
use coconut_codec::compile::compiled_path;
use coconut_report::Failure;
use coconut_shell::folders::{SOURCES, files_below};
use coconut_shell::open::begins_with_media_type;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

const MAKER: Maker = Maker { command: "coco pack build", makes: Makes::Compiled };

/// A source and the destination of its document.
#[derive(Debug)]
pub(crate) struct Job {
    /// The given path, or a path below the given folder.
    pub(crate) source: PathBuf,
    pub(crate) destination: Destination,
    /// The failure to report if the document replaced there would be kept as a backup.
    pub(crate) kept: Option<Failure>,
}

/// All jobs of a run, and the files without a job.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// In the order of the command line, and by path within folders.
    pub(crate) jobs: Vec<Job>,
    /// Files that are already compiled.
    pub(crate) passed_over: Vec<PathBuf>,
    /// Sources with the same destination as another source.
    pub(crate) collisions: Vec<Failure>,
}

impl Sources {
    /// Finds the files named by `arguments`, and those in folders named there.
    ///
    /// If `keeps_last`, a replaced file is kept as a backup, which must not overwrite a source
    /// either.
    pub(crate) fn find(
        arguments: &[PathBuf],
        output: Option<&Path>,
        keeps_last: bool,
    ) -> Result<Sources, Failure> {
        let mut sources = Sources::default();
        let mut found = Vec::new();
        for argument in arguments {
            if argument.is_dir() {
                walk(argument, &mut found, &mut sources.passed_over)?;
            } else if is_compiled(argument) {
                if output.is_some_and(|output| !is_folder(output)) {
                    return Err(compiled_already(&argument.to_string_lossy()));
                }
                sources.passed_over.push(argument.clone());
            } else {
                let name = argument.file_name().map_or_else(|| argument.clone(), PathBuf::from);
                found.push((argument.clone(), name));
            }
        }
        if found.is_empty() && sources.passed_over.is_empty() {
            let failure = Failure::usage("there are no sources to compile in the given folders");
            return Err(failure.with_hint(format!("sources in folders end in .{}", SOURCES.join(", ."))));
        }
        let is_single = matches!(arguments, [only] if !only.is_dir());
        let mut seen = BTreeSet::new();
        // A file can be named directly and also be in a named folder.
        found.retain(|(source, _)| seen.insert(source.clone()));
        for (source, relative) in found {
            let destination = match output {
                None => beside(&source)?,
                Some(output) if is_folder(output) => Destination::File(compiled_path(&output.join(relative))),
                Some(output) if is_single => Destination::named(output),
                Some(output) => {
                    let message =
                        format!("several sources need a folder as output, not `{}`", output.display());
                    return Err(Failure::usage(message).with_hint("end its name in `/`"));
                }
            };
            sources.jobs.push(Job { source, destination, kept: None });
        }
        sources.refuse_collisions(keeps_last);
        if let (Some(output), [job]) = (output, &sources.jobs[..])
            && !is_folder(output)
        {
            job.destination.check_folder()?;
            MAKER.form(&job.destination, None)?;
        }
        Ok(sources)
    }

    /// Refuses two sources with one destination, and an output that would replace a source. The
    /// intended one is unknown, so neither is compiled.
    fn refuse_collisions(&mut self, keeps_last: bool) {
        let results: Vec<_> = self.jobs.iter().map(|job| (&*job.source, job.destination.file())).collect();
        let collisions = collisions(&results, keeps_last);
        let mut left_out = collisions.repeated;
        for (makers, collision) in collisions.found {
            let failure = collision.of_source(&results, makers[0]).unwrap_or_else(|| {
                let names: Vec<String> =
                    makers.iter().map(|&maker| format!("`{}`", results[maker].0.display())).collect();
                let (names, path) = (names.join(" and "), self.jobs[makers[0]].destination.name());
                let failure = Failure::usage(format!("{names} would all be compiled to `{path}`"));
                failure.with_hint("name another file with -o")
            });
            self.collisions.push(failure);
            left_out.extend(makers);
        }
        let kept =
            |(number, collision): (usize, Collision)| Some((number, collision.of_source(&results, number)?));
        let kept: Vec<(usize, Failure)> = collisions.kept.into_iter().filter_map(kept).collect();
        for (number, failure) in kept {
            self.jobs[number].kept = Some(failure);
        }
        let mut number = 0..;
        self.jobs.retain(|_| number.next().is_some_and(|number| !left_out.contains(&number)));
    }
}

/// The failure for a document where a source is expected.
pub(super) fn compiled_already(name: &str) -> Failure {
    let hint = "to write it with another profile or encoding, use `coco pack repack`";
    Failure::usage(format!("`{name}` is already compiled")).with_hint(hint)
}

/// The sources below `folder`, by path, except compiled files.
pub(crate) fn sources_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    walk(folder, &mut found, &mut Vec::new())?;
    Ok(found.into_iter().map(|(source, _)| source).collect())
}

/// Adds the sources below `folder`, by path, with paths relative to it.
fn walk(
    folder: &Path,
    found: &mut Vec<(PathBuf, PathBuf)>,
    passed_over: &mut Vec<PathBuf>,
) -> Result<(), Failure> {
    for path in files_below(folder, false)? {
        if is_compiled(&path) {
            passed_over.push(path);
            continue;
        }
        let relative = path.strip_prefix(folder).expect("a walk stays below its start").to_owned();
        found.push((path, relative));
    }
    Ok(())
}

/// Whether the file at `path` is a Coconut document. An unreadable file is reported when it is
/// compiled.
fn is_compiled(path: &Path) -> bool {
    const BEGINNING: u64 = 64;
    let mut beginning = Vec::new();
    let is_file = path.as_os_str() != "-" && path.is_file();
    let mut read =
        || open_regular(path).and_then(|(file, _)| file.take(BEGINNING).read_to_end(&mut beginning));
    is_file && read().is_ok() && begins_with_media_type(&beginning)
}

fn is_folder(output: &Path) -> bool {
    output.as_os_str().to_string_lossy().ends_with(std::path::is_separator) || output.is_dir()
}

/// The default destination of the document of `source`.
fn beside(source: &Path) -> Result<Destination, Failure> {
    match source.as_os_str() == "-" {
        true => Ok(Destination::Stdout),
        false => Ok(Destination::File(compiled_path(source))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn destinations(sources: &Sources) -> Vec<String> {
        sources.jobs.iter().map(|job| job.destination.name().replace('\\', "/")).collect()
    }

    fn find(arguments: &[&str], output: Option<&str>) -> Result<Sources, Failure> {
        let arguments: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
        Sources::find(&arguments, output.map(Path::new), false)
    }

    #[test]
    fn a_document_is_next_to_its_source() {
        let sources = find(&["a/terraform.tfstate", "shop.checkpoint.json", "plain", "-"], None).unwrap();
        assert_eq!(
            destinations(&sources),
            ["a/terraform.tfstate.coco", "shop.checkpoint.coco", "plain.coco", "-"]
        );
    }

    #[test]
    fn sources_of_one_stem_have_documents_of_their_own() {
        let arguments = ["x.json", "x.yaml", "x.yml", "terraform.tfstate", "terraform.tfstate.backup"];
        let sources = find(&arguments, None).unwrap();
        assert!(sources.collisions.is_empty());
        let expected = ["x.coco", "x.yaml.coco", "x.yml.coco", "terraform.tfstate.coco"];
        assert_eq!(destinations(&sources)[..4], expected);
        assert_eq!(destinations(&sources)[4], "terraform.tfstate.backup.coco");
    }

    #[test]
    fn a_folder_as_output_takes_the_names_of_files() {
        let sources = find(&["a/b/c.json", "d.yaml"], Some("out/")).unwrap();
        assert_eq!(destinations(&sources), ["out/c.coco", "out/d.yaml.coco"]);
    }

    #[test]
    fn of_two_sources_of_one_document_neither_is_compiled() {
        let sources = find(&["a.json", "b.json", "a"], None).unwrap();
        assert_eq!(destinations(&sources), ["b.coco"]);
        let [failure] = &sources.collisions[..] else { panic!("{:?}", sources.collisions) };
        assert!(failure.to_lines().starts_with("`a.json` and `a` would all be compiled to `a.coco`"));
    }

    #[test]
    fn a_source_that_is_named_twice_is_compiled_once() {
        let sources = find(&["a.json", "b.json", "a.json"], None).unwrap();
        assert_eq!(destinations(&sources), ["a.coco", "b.coco"]);
    }

    #[test]
    fn several_sources_need_a_folder() {
        let failure = find(&["a.json", "b.json"], Some("c.coco")).unwrap_err();
        assert!(failure.to_lines().starts_with("several sources need a folder as output, not `c.coco`"));
    }

    #[test]
    fn a_source_is_not_replaced_by_its_result() {
        let sources = find(&["a.coco"], None).unwrap();
        assert!(sources.jobs.is_empty());
        assert!(sources.collisions[0].to_lines().starts_with("`a.coco` would be replaced by its own result"));
    }

    #[test]
    fn a_folder_without_sources_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("readme.md"), "{}").unwrap();
        let failure = Sources::find(&[folder.path().to_owned()], None, false).unwrap_err();
        assert_eq!(
            failure.to_lines(),
            "there are no sources to compile in the given folders\n  = sources in folders end in .json, .jsonl, .ndjson, .yaml, .yml, .tfstate"
        );
    }

    #[test]
    fn a_compiled_document_is_not_compiled_to_another_file() {
        let folder = tempfile::tempdir().unwrap();
        let document = folder.path().join("a.coco");
        fs::write(&document, "application/vnd.coconut+json; ").unwrap();
        let find = |output: Option<&Path>| Sources::find(std::slice::from_ref(&document), output, false);
        let failure = find(Some(Path::new("b.coco"))).unwrap_err();
        let expected = format!(
            "`{}` is already compiled\n  = to write it with another profile or encoding, use `coco pack repack`",
            document.display()
        );
        assert_eq!(failure.to_lines(), expected);
        for output in [None, Some(folder.path())] {
            assert_eq!(find(output).unwrap().passed_over, std::slice::from_ref(&document));
        }
    }

    #[test]
    fn folders_are_walked_in_order_and_keep_their_paths() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["b/z.yml", "a/y.JSON", "a/.hidden/x.json", "a/readme.md", "a.tfstate"] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), "{}").unwrap();
        }
        fs::write(root.join("b/done.json"), "application/vnd.coconut+json; ").unwrap();
        let out = root.join("out/");
        let sources = Sources::find(&[root.to_owned()], Some(&out), false).unwrap();
        let below: Vec<_> = sources
            .jobs
            .iter()
            .map(|job| match &job.destination {
                Destination::File(path) => {
                    path.strip_prefix(&out).unwrap().to_string_lossy().replace('\\', "/")
                }
                Destination::Stdout => panic!("there is a folder"),
            })
            .collect();
        assert_eq!(below, ["a/y.coco", "a.tfstate.coco", "b/z.yml.coco"]);
        assert_eq!(sources.passed_over, [root.join("b/done.json")]);
    }
}
