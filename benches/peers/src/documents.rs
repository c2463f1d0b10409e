//! The measured documents: generated ones that are the same everywhere, and real ones if available.

use anyhow::{Context, Result};
use memmap2::Mmap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A document in a separate folder, once for each form that some peer reads.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) name: String,
    folder: PathBuf,
}

impl Document {
    /// The document `name` below `work`. `text` creates its minified JSON if there is none yet.
    pub(crate) fn new(work: &Path, name: &str, text: impl FnOnce() -> Result<String>) -> Result<Document> {
        let folder = work.join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let document = Document { name: name.to_owned(), folder };
        document.make("json", || Ok(text()?.into_bytes()))?;
        Ok(document)
    }

    /// The file of a form.
    pub(crate) fn path(&self, form: &str) -> PathBuf {
        self.folder.join(form)
    }

    /// The file of a form, created if there is none yet.
    pub(crate) fn make(&self, form: &str, bytes: impl FnOnce() -> Result<Vec<u8>>) -> Result<PathBuf> {
        let path = self.path(form);
        if !path.exists() {
            let unfinished = self.folder.join(format!("{form}.unfinished"));
            fs::write(&unfinished, bytes().with_context(|| format!("cannot make {}", path.display()))?)?;
            fs::rename(unfinished, &path)?;
        }
        Ok(path)
    }

    /// The file of a form, always created again: for forms written by the code of this repository.
    pub(crate) fn remake(&self, form: &str, bytes: impl FnOnce() -> Result<Vec<u8>>) -> Result<PathBuf> {
        if let Err(error) = fs::remove_file(self.path(form))
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(error).with_context(|| format!("cannot remove {}", self.path(form).display()));
        }
        self.make(form, bytes)
    }

    /// A form in memory.
    pub(crate) fn map(&self, form: &str) -> Mmap {
        map(&self.path(form))
    }

    /// The minified JSON.
    pub(crate) fn text(&self) -> Mmap {
        self.map("json")
    }

    /// Bytes of a form.
    pub(crate) fn size(&self, form: &str) -> u64 {
        fs::metadata(self.path(form)).map_or(0, |metadata| metadata.len())
    }
}

/// Opens and maps a file.
pub(crate) fn map(path: &Path) -> Mmap {
    let file = File::open(path).expect("the file was made before");
    // SAFETY: the files are in the benchmark's own folder and are replaced by renaming, never
    // written in place.
    unsafe { Mmap::map(&file) }.expect("a regular file can be mapped")
}
