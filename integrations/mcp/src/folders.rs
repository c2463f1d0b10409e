//! The folders with the files that may be read.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders without symbolic links in their paths.
#[derive(Clone, Debug)]
pub(crate) struct Folders(Vec<PathBuf>);

/// The files of a list.
pub(crate) struct Listing {
    /// Paths from their folder, or absolute ones if there are several folders.
    pub(crate) files: Vec<String>,
    /// Whether there are more.
    pub(crate) is_cut: bool,
}

/// File extensions of documents and sources.
const EXTENSIONS: [&str; 9] = ["coco", "gz", "json", "jsonl", "ndjson", "tfstate", "yaml", "yml", "zst"];

/// The maximum number of folders entered for a list, and their depth.
const MOST_FOLDERS: usize = 10_000;
const DEEPEST: usize = 32;

impl Folders {
    /// Opens the folders.
    pub(crate) fn of(folders: &[PathBuf]) -> Result<Folders, String> {
        let whole = |folder: &PathBuf| match fs::canonicalize(folder) {
            Ok(whole) if whole.is_dir() => Ok(whole),
            Ok(_) => Err(format!("`{}` is not a folder", folder.display())),
            Err(error) => Err(format!("cannot read the folder `{}`: {error}", folder.display())),
        };
        folders.iter().map(whole).collect::<Result<_, _>>().map(Folders)
    }

    /// The file with this path: an absolute one, or one from a folder. The error does not tell
    /// whether there is such a file outside.
    pub(crate) fn file(&self, path: &str) -> Result<PathBuf, String> {
        let refused = || {
            format!("there is no file `{path}` in the folders of this server; `files` lists those that are")
        };
        let candidates = self.0.iter().map(|folder| folder.join(path));
        let found = candidates.filter_map(|file| fs::canonicalize(file).ok());
        let mut inside = found.filter(|file| self.0.iter().any(|folder| file.starts_with(folder)));
        inside.find(|file| file.is_file()).ok_or_else(refused)
    }

    /// The documents and sources whose paths contain a text, sorted. Hidden folders and links to
    /// folders are skipped.
    pub(crate) fn listing(&self, text: &str, most: usize) -> Listing {
        let (mut listing, mut entered) = (Listing { files: Vec::new(), is_cut: false }, 0);
        for folder in &self.0 {
            let mut open = vec![(folder.clone(), 0)];
            while let Some((inner, depth)) = open.pop() {
                entered += 1;
                if entered > MOST_FOLDERS || depth > DEEPEST {
                    listing.is_cut = true;
                    continue;
                }
                let Ok(entries) = fs::read_dir(&inner) else { continue };
                for entry in entries.flatten() {
                    let path = entry.path();
                    match entry.file_type() {
                        Ok(kind) if kind.is_dir() && !is_hidden(&path) => open.push((path, depth + 1)),
                        Ok(kind) if kind.is_file() && is_called_like_a_document(&path) => {
                            listing.files.push(self.name_of(&path, folder));
                        }
                        _ => {}
                    }
                }
            }
        }
        listing.files.retain(|file| file.contains(text));
        listing.files.sort_unstable();
        listing.is_cut |= listing.files.len() > most;
        listing.files.truncate(most);
        listing
    }

    fn name_of(&self, path: &Path, folder: &Path) -> String {
        let shown = if self.0.len() == 1 { path.strip_prefix(folder).unwrap_or(path) } else { path };
        shown.to_string_lossy().into_owned()
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn is_called_like_a_document(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_folders() {
        let around = tempfile::tempdir().unwrap();
        let (inside, outside) = (around.path().join("in"), around.path().join("secret.json"));
        fs::create_dir_all(inside.join("deep")).unwrap();
        fs::write(inside.join("deep/a.json"), "1").unwrap();
        fs::write(&outside, "2").unwrap();
        let folders = Folders::of(std::slice::from_ref(&inside)).unwrap();
        let a = fs::canonicalize(inside.join("deep/a.json")).unwrap();
        assert_eq!(folders.file("deep/a.json"), Ok(a.clone()));
        assert_eq!(folders.file(&a.to_string_lossy()), Ok(a.clone()));
        assert_eq!(folders.file("deep/../deep/a.json"), Ok(a));
        #[cfg(unix)]
        std::os::unix::fs::symlink(&outside, inside.join("link.json")).unwrap();
        let outside = outside.to_string_lossy().into_owned();
        for path in ["../secret.json", &outside, "link.json", "deep", "", "/etc/passwd", "none.json"] {
            assert!(folders.file(path).is_err(), "{path}");
        }
        let listing = folders.listing("", 10);
        assert_eq!((listing.files, listing.is_cut), (vec!["deep/a.json".to_owned()], false));
        assert!(folders.listing("", 0).is_cut && folders.listing("b", 10).files.is_empty());
    }
}
