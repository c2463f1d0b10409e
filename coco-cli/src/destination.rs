//! Destinations of results: a file that is replaced as a whole, or standard output.

use crate::failure::of_snapshot;
use crate::identity::collisions;
use clap::Args;
use coconut_codec::bytes::pipe::open_writable;
use coconut_codec::bytes::replace::{Replacement, followed, target_of};
use coconut_codec::durable::{self, Replace};
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::console::SafeJson;
use coconut_shell::open::begins_with_media_type;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

/// The files that may be replaced, and the durability of the result.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct WriteOptions {
    /// Replace files that are not Coconut documents
    ///
    /// With --durable, also replaces newer documents. A source is never replaced.
    #[arg(long)]
    pub(crate) force: bool,
    /// Sync the file to disk, and keep the previous one as NAME.bak
    ///
    /// Calls fsync on the file and its folder. Refuses to replace a newer document, which has a
    /// greater `serial` or a later version of the format.
    ///
    /// An interrupted run leaves the old file intact and a temporary file beside it. For a compiled
    /// document, this is .coco-new-…, and the next run for NAME with --durable removes it. For
    /// other files, it is .coco-…, and you can delete it.
    #[arg(long)]
    pub(crate) durable: bool,
}

/// The destination of one result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Stdout,
    File(PathBuf),
}

/// The kind of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// A compiled document, which is not written to terminals.
    Binary,
    /// Text. For a terminal, JSON gets escapes for everything that a terminal interprets;
    /// YAML always has them.
    Text,
}

impl Destination {
    /// The destination named by `-o`: standard output, or a file in an existing folder.
    pub(crate) fn of_argument(path: &Path) -> Result<Destination, Failure> {
        let destination = Destination::named(path);
        destination.check_folder()?;
        Ok(destination)
    }

    /// Refuses a file in a missing folder. Its name is probably misspelled.
    pub(crate) fn check_folder(&self) -> Result<(), Failure> {
        let Destination::File(path) = self else { return Ok(()) };
        match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            Some(folder)
                if fs::metadata(folder).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) =>
            {
                let message = format!("there is no folder `{}`", folder.display());
                let failure = Failure::new(Exit::Usage, code::FILE_WRITE, message).in_file(&self.name());
                Err(failure.with_hint("create the folder first, or name another one"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses standard output if a report as JSON goes there.
    pub(crate) fn check_report(&self, console: &Console) -> Result<(), Failure> {
        match console.json && *self == Destination::Stdout {
            true => {
                let message = "standard output cannot take both the document and a report as JSON";
                Err(Failure::usage(message).with_hint("name a file with `-o`, or omit `--json`"))
            }
            false => Ok(()),
        }
    }

    /// The destination of this name.
    pub(crate) fn named(path: &Path) -> Destination {
        match path.to_str() {
            Some("-" | "/dev/stdout") => Destination::Stdout,
            _ => Destination::File(path.to_owned()),
        }
    }

    /// Refuses a result that would replace one of its sources, whatever is forced. A backup of the
    /// replaced file must not replace one either.
    pub(crate) fn check_sources(&self, sources: &[PathBuf], options: WriteOptions) -> Result<(), Failure> {
        for source in sources {
            let pairs = [(source.as_path(), self.file())];
            let collisions = collisions(&pairs, options.durable);
            let found = collisions.found.first().map(|(_, found)| found).or(collisions.kept.get(&0));
            if let Some(failure) = found.and_then(|found| found.of_source(&pairs, 0)) {
                return Err(failure);
            }
        }
        Ok(())
    }

    /// The destinations of several results if `-o` names `output`. In a folder, each has the name
    /// given with its source. Several results need a folder. No two may be one file, and none may
    /// be a source.
    ///
    /// If `keeps_last`, the replaced files are kept as backups, which must not overwrite a source
    /// or a result either. Each destination comes with the failure to report in that case.
    pub(crate) fn of_all(
        output: &Path,
        results: &[(&Path, PathBuf)],
        keeps_last: bool,
    ) -> Result<Vec<(Destination, Option<Failure>)>, Failure> {
        let is_folder = output.is_dir() || output.to_string_lossy().ends_with(std::path::is_separator);
        let destinations: Vec<Destination> = match results {
            _ if is_folder => results.iter().map(|(_, name)| Destination::File(output.join(name))).collect(),
            [_] => vec![Destination::named(output)],
            _ => {
                let message =
                    format!("several documents need a folder as output, not `{}`", output.display());
                return Err(Failure::usage(message).with_hint("end its name in `/`"));
            }
        };
        let files = destinations.iter().map(Destination::file);
        let pairs: Vec<_> = results.iter().map(|(source, _)| *source).zip(files).collect();
        let collisions = collisions(&pairs, keeps_last);
        if let Some((makers, collision)) = collisions.found.first() {
            return Err(collision.of_source(&pairs, makers[0]).unwrap_or_else(|| {
                let names = makers.iter().take(2).map(|&maker| format!("`{}`", pairs[maker].0.display()));
                let (names, path) = (names.collect::<Vec<_>>().join(" and "), destinations[makers[0]].name());
                let message = format!("{names} would both become `{path}`");
                Failure::usage(message).with_hint("give them folders of their own")
            }));
        }
        if let ([only], false) = (&destinations[..], is_folder) {
            only.check_folder()?;
        }
        let kept = |number| collisions.kept.get(&number)?.of_source(&pairs, number);
        let kept: Vec<_> = (0..pairs.len()).map(kept).collect();
        Ok(destinations.into_iter().zip(kept).collect())
    }

    /// Whether the result goes to standard output, a device or a pipe, whose names have no
    /// extension that shows their content.
    pub(crate) fn is_stream(&self) -> bool {
        match self {
            Destination::Stdout => true,
            Destination::File(path) => is_device(path) && !path.is_dir(),
        }
    }

    /// The file, unless it is standard output.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Destination::Stdout => None,
            Destination::File(path) => Some(path),
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Destination::Stdout => "-".to_owned(),
            Destination::File(path) => path.to_string_lossy().into_owned(),
        }
    }

    /// Fails before the work begins if the result could not be written.
    pub(crate) fn check(&self, content: Content, options: WriteOptions) -> Result<(), Failure> {
        match self {
            Destination::Stdout if content == Content::Binary && io::stdout().is_terminal() => {
                let message = "a compiled document is binary, and standard output is a terminal";
                Err(Failure::new(Exit::Usage, code::TERMINAL, message)
                    .with_hint("name a file with -o, or use a pipe"))
            }
            Destination::Stdout => Ok(()),
            Destination::File(_) if options.force => Ok(()),
            Destination::File(path) => match (foreign_content(path), content) {
                (Some(true), Content::Binary) => Err(Failure::new(
                    Exit::Usage,
                    code::FILE_EXISTS,
                    "the output exists and is not a Coconut document",
                )),
                (Some(_), Content::Text) => Err(Failure::new(
                    Exit::Usage,
                    code::FILE_EXISTS,
                    "the output exists, and may be a source",
                )),
                _ => Ok(()),
            }
            .map_err(|failure| {
                failure.in_file(&self.name()).with_hint("name another file with -o, or use --force")
            }),
        }
    }

    /// Writes `bytes` completely, or not at all. With `durable`, a compiled document is written as
    /// a snapshot, which keeps the replaced file. If that file must not be kept, fails with `kept`.
    pub(crate) fn write_bytes(
        &self,
        content: Content,
        options: WriteOptions,
        kept: Option<&Failure>,
        bytes: &[u8],
    ) -> Result<(), Failure> {
        match self {
            Destination::File(path) if content == Content::Binary && options.durable && !is_device(path) => {
                write_snapshot(path, options, kept, bytes)
            }
            _ => self.write(content, options, |out| {
                out.write_all(bytes).map_err(|error| match self {
                    Destination::Stdout => Failure::printing(&error),
                    Destination::File(path) => Failure::writing(path, &error),
                })
            }),
        }
    }

    /// Writes the output of `fill` completely, or not at all. After an error the old file is
    /// unchanged.
    pub(crate) fn write(
        &self,
        content: Content,
        options: WriteOptions,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self {
            Destination::Stdout => write_stdout(content, fill),
            Destination::File(path) => write_file(path, options, fill),
        }
    }
}

/// Records the error of the output, because sinks pass it on only as text.
struct Watched<W> {
    out: W,
    error: Option<io::Error>,
}

impl<W: Write> Watched<W> {
    fn new(out: W) -> Self {
        Watched { out, error: None }
    }

    fn remember<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let copy = io::Error::new(error.kind(), error.to_string());
            self.error = Some(error);
            copy
        })
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.out.write(bytes);
        self.remember(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.out.flush();
        self.remember(result)
    }
}

fn write_stdout(
    content: Content,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if content == Content::Text && io::stdout().is_terminal() {
        return write_watched(SafeJson::new(BufWriter::new(io::stdout().lock())), fill);
    }
    write_watched(io::stdout().lock(), fill)
}

fn write_watched(
    out: impl Write,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut out = Watched::new(out);
    let result = fill(&mut out).and_then(|()| out.flush().map_err(|error| Failure::printing(&error)));
    match out.error {
        Some(error) => Err(Failure::printing(&error)),
        None => result,
    }
}

/// Whether the file at `path` can only be written to and not replaced.
fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|old| !old.is_file())
}

fn write_snapshot(
    path: &Path,
    options: WriteOptions,
    kept: Option<&Failure>,
    bytes: &[u8],
) -> Result<(), Failure> {
    if let Some(failure) = kept.filter(|_| durable::is_kept(path, Some(bytes))) {
        return Err(failure.clone());
    }
    if let Some(folder) = target_of(path).parent() {
        fs::create_dir_all(folder).map_err(|error| Failure::writing(path, &error))?;
    }
    let backup = durable::backup_of(path);
    if !options.force
        && !backup.is_symlink()
        && foreign_content(&backup) == Some(true)
        && durable::is_kept(path, Some(bytes))
    {
        let name = backup.file_name().unwrap_or_default().display();
        let message = format!("the backup `{name}` exists and is not a Coconut document");
        let failure = Failure::new(Exit::Usage, code::FILE_EXISTS, message).in_file(&path.to_string_lossy());
        return Err(failure.with_hint("move it away, name another file with -o, or use --force"));
    }
    let replace = if options.force { Replace::Always } else { Replace::IfNotNewer };
    match durable::write(path, bytes, replace) {
        Ok(_) => Ok(()),
        Err(error) => Err(of_snapshot(&path.to_string_lossy(), &error)),
    }
}

/// Writes through a temporary file next to the target, so a partial file is never visible.
fn write_file(
    path: &Path,
    options: WriteOptions,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::writing(path, &error);
    let target = followed(path).map_err(failed)?;
    // The system follows links that lead to no name, such as those of pipes created by a shell.
    if is_device(path) {
        return write_device(path, fill);
    }
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut out = Watched::new(BufWriter::new(Replacement::new(&target).map_err(failed)?));
    let filled = fill(&mut out);
    if let Some(error) = out.error {
        return Err(failed(error));
    }
    filled?;
    let replacement = out.out.into_inner().map_err(|error| failed(error.into_error()))?;
    let finished = if options.durable { replacement.finish_durably() } else { replacement.finish() };
    finished.map_err(failed)
}

/// Writes to a pipe or device, which cannot be replaced.
fn write_device(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let file = open_writable(path).map_err(|error| Failure::writing(path, &error))?;
    let mut out = Watched::new(file);
    let filled = fill(&mut out);
    match out.error {
        Some(error) => Err(Failure::writing(path, &error)),
        None => filled,
    }
}

/// Whether the file at `path` has content that is not a Coconut document. `None` if no content
/// would be lost.
fn foreign_content(path: &Path) -> Option<bool> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    const BEGINNING: u64 = 64;
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    match read {
        // An empty file is the result of another program's interrupted write.
        Ok(0) => None,
        Ok(_) => Some(!begins_with_media_type(&beginning)),
        Err(_) => Some(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::compile::{CompileOptions, compile};

    fn compiled(text: &str) -> Vec<u8> {
        compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes
    }

    fn write(path: &Path, options: WriteOptions, bytes: &[u8]) -> Result<(), Failure> {
        let destination = Destination::File(path.to_owned());
        destination.check(Content::Binary, options)?;
        destination.write_bytes(Content::Binary, options, None, bytes)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn standard_output_has_two_names() {
        assert_eq!(Destination::named(Path::new("-")), Destination::Stdout);
        assert_eq!(Destination::named(Path::new("/dev/stdout")), Destination::Stdout);
    }

    #[test]
    fn a_source_in_the_way_is_not_replaced_unless_forced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.coco");
        fs::write(&path, "{}").unwrap();
        let failure = write(&path, WriteOptions::default(), &compiled("1")).unwrap_err();
        assert_eq!((failure.exit(), failure.code()), (Exit::Usage, code::FILE_EXISTS));
        assert_eq!(fs::read(&path).unwrap(), b"{}");
        let force = WriteOptions { force: true, durable: false };
        write(&path, force, &compiled("1")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), compiled("1"));
    }

    #[test]
    fn an_error_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.coco");
        write(&path, WriteOptions::default(), &compiled("1")).unwrap();
        let destination = Destination::File(path.clone());
        let failure = destination.write(Content::Binary, WriteOptions::default(), |out| {
            out.write_all(b"half").unwrap();
            Err(Failure::usage("stopped"))
        });
        assert_eq!(failure.unwrap_err().code(), code::USAGE);
        assert_eq!(fs::read(&path).unwrap(), compiled("1"));
        assert_eq!(names(folder.path()), ["a.coco"]);
    }

    #[test]
    fn a_durable_write_keeps_the_last_good_file_but_no_damaged_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.coco");
        let durable = WriteOptions { force: false, durable: true };
        write(&path, durable, &compiled("1")).unwrap();
        assert_eq!(names(folder.path()), ["a.coco"], "there was none before");
        write(&path, durable, &compiled("2")).unwrap();
        assert_eq!(fs::read(folder.path().join("a.coco.bak")).unwrap(), compiled("1"));

        let mut damaged = compiled("3");
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        fs::write(&path, &damaged).unwrap();
        write(&path, durable, &compiled("4")).unwrap();
        assert_eq!(fs::read(folder.path().join("a.coco.bak")).unwrap(), compiled("1"));
        assert_eq!(names(folder.path()), ["a.coco", "a.coco.bak"]);
    }

    #[test]
    fn a_durable_write_replaces_a_newer_state_only_if_forced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.coco");
        let state = |serial| compiled(&format!(r#"{{"serial": {serial}, "lineage": "x"}}"#));
        let durable = WriteOptions { force: false, durable: true };
        write(&path, durable, &state(7)).unwrap();
        let failure = write(&path, durable, &state(6)).unwrap_err();
        assert_eq!((failure.exit(), failure.code()), (Exit::Usage, "SNAP-NEWER"));
        assert_eq!(fs::read(&path).unwrap(), state(7));
        write(&path, WriteOptions { force: true, durable: true }, &state(6)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), state(6));
    }

    #[cfg(unix)]
    #[test]
    fn a_durable_write_to_a_device_does_not_replace_it() {
        let durable = WriteOptions { force: false, durable: true };
        write(Path::new("/dev/null"), durable, &compiled("1")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_to_nothing_yet_stays_a_link() {
        for durable in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let link = folder.path().join("link.coco");
            std::os::unix::fs::symlink("new/target.coco", &link).unwrap();
            write(&link, WriteOptions { force: false, durable }, &compiled("1")).unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read(folder.path().join("new/target.coco")).unwrap(), compiled("1"));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target.coco"), folder.path().join("link.coco"));
        fs::write(&target, compiled("1")).unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&target, &link).unwrap();
        write(&link, WriteOptions::default(), &compiled("2")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), compiled("2"));
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
