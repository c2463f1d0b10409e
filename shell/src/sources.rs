//! Runs a command for each given file: documents, sources, and those in folders.

use crate::console::{Console, Mark};
use crate::folders::{SOURCES, files_below};
use crate::open::{Access, Documents, Opened, name_of};
use clap::Args;
use coconut_codec::compile::compiled_path;
use coconut_report::code;
use coconut_report::failure::{Exit, Failure};
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The arguments of a command that looks a key up: files, then the key.
///
/// They are one list for the parser, so that options may be between them.
#[derive(Args, Debug)]
pub struct FilesAndKey {
    /// Documents, sources or folders, then KEY; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files_and_key: Vec<OsString>,
}

impl FilesAndKey {
    /// The files, and the key.
    pub fn split(&self) -> Result<(Vec<PathBuf>, &str), Failure> {
        match &self.files_and_key[..] {
            [files @ .., key] if !files.is_empty() => {
                let key = key.to_str().ok_or_else(|| Failure::usage("the key is not UTF-8"))?;
                Ok((files.iter().map(PathBuf::from).collect(), key))
            }
            _ => {
                let failure = Failure::usage("expected a file and a key, found one argument");
                Err(failure.with_hint("the key comes last; `ls FILE` lists the keys of a file"))
            }
        }
    }
}

/// The way to distinguish the results of several files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// A line with the name before the result of each.
    Heading,
    /// The name at the start of each line, and a tab.
    Column,
    /// The result itself names the file.
    Inside,
}

/// A file to read, or a folder that cannot be read.
#[derive(Debug)]
pub struct Source {
    /// The given path, or a path below the given folder.
    pub path: PathBuf,
    /// The reason why the folder cannot be read.
    pub fault: Option<Failure>,
}

/// The files named by arguments, in order. A folder is replaced by its files.
pub fn expanded(arguments: &[PathBuf], is_folder: impl Fn(&Path) -> bool) -> Vec<Source> {
    let mut sources = Vec::new();
    for argument in arguments {
        let path = argument.clone();
        match is_folder(argument).then(|| files_of(argument)) {
            None => sources.push(Source { path, fault: None }),
            Some(Ok(files)) => {
                sources.extend(files.into_iter().map(|path| Source { path, fault: None }));
            }
            Some(Err(fault)) => sources.push(Source { path, fault: Some(fault) }),
        }
    }
    sources
}

/// The files of a command, each of which has a separate result.
#[derive(Debug)]
pub struct Sources {
    files: Vec<Source>,
    /// Whether the only argument is a file.
    is_one: bool,
}

impl Sources {
    /// Finds the files.
    pub fn of(documents: &dyn Documents, arguments: &[PathBuf]) -> Sources {
        let is_one = matches!(arguments, [only] if !documents.is_folder(only));
        Sources { files: expanded(arguments, |path| documents.is_folder(path)), is_one }
    }

    /// Refuses several files, if each result needs a separate file: "a picture".
    pub fn one(self, result: &str) -> Result<Sources, Failure> {
        if let [only] = &self.files[..] {
            return Ok(Sources { is_one: only.fault.is_none(), ..self });
        }
        let failure = Failure::usage(format!("expected one file for {result}, found {}", self.files.len()));
        Err(failure.with_hint("run the command once for each file"))
    }

    /// Runs `show` for each file. If there are several, marks their results.
    ///
    /// With several files, a failure is one line and the next file follows. A file without the
    /// requested item is not a failure if another file has it.
    pub fn each(
        self,
        console: &mut Console,
        marks: Marks,
        mut show: impl FnMut(&Path, &mut Console) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        if let ([only], true) = (&self.files[..], self.is_one) {
            return show(&only.path, console);
        }
        let mut tally = Tally::default();
        for Source { path, fault } in self.files {
            console.begin_file(mark_of(&path, marks));
            let result = fault.map_or_else(|| show(&path, console), Err);
            console.end_file();
            if console.is_closed() {
                break;
            }
            tally.add(result, console)?;
        }
        tally.finish(console)
    }

    /// Does the same for commands that read all of each file, by views. It includes their failures.
    pub fn each_opened(
        self,
        documents: &dyn Documents,
        console: &mut Console,
        marks: Marks,
        mut show: impl FnMut(&Opened, &mut Console) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        self.each(console, marks, |path, console| {
            let opened = documents.open(path, Access::Whole, console)?;
            let checked = opened.check_whole().map_err(Failure::from);
            let shown = checked.and_then(|()| show(&opened, console));
            shown.map_err(|failure| failure.in_file(&opened.name))
        })
    }
}

fn mark_of(path: &Path, marks: Marks) -> Mark {
    match marks {
        Marks::Heading => Mark::Heading(name_of(path)),
        Marks::Column => Mark::Column(name_of(path)),
        Marks::Inside => Mark::Inside,
    }
}

/// The documents and sources below a folder. Omits a compiled document if its source exists.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let files = files_below(folder, true)?;
    let made = |file: &PathBuf| Some(compiled_path(file)).filter(|made| made != file);
    let made: HashSet<PathBuf> = files.iter().filter_map(made).collect();
    let files: Vec<PathBuf> = files.into_iter().filter(|file| !made.contains(file)).collect();
    if files.is_empty() {
        let failure = Failure::usage("there are no documents or sources in the folder");
        let hint = format!("files in folders end in .coco, .{}", SOURCES.join(", ."));
        return Err(failure.in_file(&name_of(folder)).with_hint(hint));
    }
    Ok(files)
}

/// The results of several files.
#[derive(Default)]
struct Tally {
    all: usize,
    /// Files with an answer.
    answered: usize,
    /// Files with a negative answer that is not a failure.
    negative: usize,
    /// The item that each of the others lacks.
    missing: Vec<Failure>,
    /// The exit code of the first failure.
    failed: Option<Exit>,
}

impl Tally {
    fn add(&mut self, result: Result<Exit, Failure>, console: &mut Console) -> Result<(), Failure> {
        self.all += 1;
        match result {
            Ok(Exit::Good) => self.answered += 1,
            Ok(_) => self.negative += 1,
            Err(failure) if failure.code() == code::OUTPUT => return Err(failure),
            Err(failure) if [code::KEY_MISSING, code::PATH_MISSING].contains(&failure.code()) => {
                self.missing.push(failure);
            }
            Err(failure) => {
                console.report_line(&failure);
                self.failed.get_or_insert(failure.exit());
            }
        }
        Ok(())
    }

    fn finish(self, console: &mut Console) -> Result<Exit, Failure> {
        let without = self.negative + self.missing.len();
        if self.answered > 0 && without > 0 {
            console.note(&format!("found in {} of {} files", self.answered, self.all));
        }
        let exit = match without {
            1.. if self.answered == 0 => Exit::Negative,
            _ => Exit::Good,
        };
        match (self.failed, Failure::of_all(self.missing)) {
            (Some(failed), _) => Ok(failed),
            (None, Some(missing)) if exit == Exit::Negative => Err(missing),
            (None, _) => Ok(exit),
        }
    }
}
