//! Tokens: who may do what.

use clap::ValueEnum;
use coconut_codec::bytes::replace::Replacement;
use coconut_format::numerals::hex;
use coconut_history::same_text;
use coconut_report::Failure;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

/// The file of tokens in the folder of the packs.
const FILE: &str = "tokens.tsv";

/// The beginning of a token, by which scanners for secrets recognise it.
const PREFIX: &str = "coco_";

/// A right. Each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum Right {
    /// The page and facts of versions, without secrets
    View,
    /// States, with their secrets
    Read,
    /// Locks and new versions
    Write,
    /// Freed locks, labels and restored versions on the page
    Admin,
}

impl Right {
    pub(super) fn name(self) -> &'static str {
        match self {
            Right::View => "view",
            Right::Read => "read",
            Right::Write => "write",
            Right::Admin => "admin",
        }
    }
}

/// A token, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) name: String,
    /// The SHA-256 of the token in hexadecimal. Tokens are random, so nothing slower is needed.
    digest: String,
    pub(super) right: Right,
    pub(super) path: String,
}

/// The time of the last change of the file, and its length.
type Stamp = (SystemTime, u64);

/// The tokens of a server. They are read again when the file changes.
pub(super) struct Tokens {
    root: PathBuf,
    known: Mutex<(Option<Stamp>, Vec<Token>)>,
}

impl Tokens {
    pub(super) fn new(root: &Path) -> Tokens {
        Tokens { root: root.to_owned(), known: Mutex::new((None, Vec::new())) }
    }

    /// The account with this token.
    pub(super) fn find(&self, text: &str) -> Option<Token> {
        let digest = hex(&Sha256::digest(text));
        let mut known = self.known.lock().ok()?;
        let metadata = fs::metadata(self.root.join(FILE)).ok()?;
        let stamp = metadata.modified().ok().map(|time| (time, metadata.len()));
        if stamp.is_none() || known.0 != stamp {
            *known = (stamp, Tokens::read(&self.root).ok()?);
        }
        // All are compared, so that the time does not show which one is similar.
        let mut found = None;
        for token in &known.1 {
            if same_text(&token.digest, &digest) {
                found = Some(token.clone());
            }
        }
        found
    }

    /// All tokens.
    pub(super) fn read(root: &Path) -> Result<Vec<Token>, Failure> {
        let file = root.join(FILE);
        let text = match fs::read_to_string(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            text => text.map_err(|error| Failure::reading(&file, &error))?,
        };
        let parsed = text.lines().enumerate().map(|(line, text)| {
            token_of(text).ok_or_else(|| {
                let message =
                    format!("line {}: expected name, digest, right and path, with tabs between", line + 1);
                Failure::reading(&file, &io::Error::new(io::ErrorKind::InvalidData, message))
            })
        });
        parsed.collect()
    }

    /// Creates a token, and returns its text.
    pub(super) fn add(root: &Path, name: &str, right: Right, path: &str) -> Result<String, Failure> {
        if name.is_empty() || [name, path].iter().any(|text| text.chars().any(char::is_control)) {
            return Err(Failure::usage(
                "a name has at least one character, and names and paths have no control characters",
            ));
        }
        let mut random = [0; 32];
        getrandom::fill(&mut random)
            .map_err(|error| Failure::usage(format!("there are no random bytes: {error}")))?;
        let text = format!("{PREFIX}{}", hex(&random));
        let mut tokens = Tokens::read(root)?;
        let (name, path) = (name.to_owned(), path.to_owned());
        tokens.push(Token { name, digest: hex(&Sha256::digest(&text)), right, path });
        Tokens::write(root, &tokens)?;
        Ok(text)
    }

    /// Removes the tokens of an account. Returns whether there was one.
    pub(super) fn remove(root: &Path, name: &str) -> Result<bool, Failure> {
        let mut tokens = Tokens::read(root)?;
        let before = tokens.len();
        tokens.retain(|token| token.name != name);
        if tokens.len() < before {
            Tokens::write(root, &tokens)?;
        }
        Ok(tokens.len() < before)
    }

    fn write(root: &Path, tokens: &[Token]) -> Result<(), Failure> {
        let file = root.join(FILE);
        let write = || {
            fs::create_dir_all(root)?;
            let mut replacement = Replacement::new(&file)?;
            for Token { name, digest, right, path } in tokens {
                writeln!(replacement, "{name}\t{digest}\t{}\t{path}", right.name())?;
            }
            replacement.finish()?;
            #[cfg(unix)]
            fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
            Ok(())
        };
        write().map_err(|error: io::Error| Failure::writing(&file, &error))
    }
}

fn token_of(line: &str) -> Option<Token> {
    let mut columns = line.split('\t').map(str::to_owned);
    let (name, digest) = (columns.next()?, columns.next()?);
    let right = Right::from_str(&columns.next()?, false).ok()?;
    let path = columns.next()?;
    (digest.len() == 64 && columns.next().is_none()).then_some(Token { name, digest, right, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_by_its_text_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::new(folder.path());
        assert!(tokens.find("coco_").is_none());
        let text = Tokens::add(folder.path(), "ci", Right::Write, "team/").unwrap();
        let other = Tokens::add(folder.path(), "eve", Right::View, "").unwrap();
        let found = tokens.find(&text).unwrap();
        assert_eq!((found.name.as_str(), found.right, found.path.as_str()), ("ci", Right::Write, "team/"));
        let stored = fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert!(!stored.contains(&text) && stored.lines().count() == 2);
        assert!(tokens.find(&text[..text.len() - 1]).is_none() && tokens.find(&found.digest).is_none());
        assert!(
            Tokens::remove(folder.path(), "ci").unwrap() && !Tokens::remove(folder.path(), "ci").unwrap()
        );
        assert!(tokens.find(&text).is_none() && tokens.find(&other).is_some());
    }
}
