//! Faults of programs: code, place, message and remedy.

use crate::source::Position;
use coconut_format::code;
use coconut_format::suggest::near_keys;
use std::fmt;
use std::ops::Range;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultCode {
    /// The text is not TypeScript.
    Syntax,
    /// The language of packages has no such construct.
    Refused,
    /// The program is nested too deeply.
    Depth,
    /// A file cannot be read, or is not UTF-8.
    Read,
    /// There is no manifest, or it is not the manifest of a package.
    Manifest,
    /// An import names a module or package that does not exist.
    Module,
    /// A name is not declared.
    Name,
    /// A module does not export a name.
    Export,
    /// A class has no such member.
    Member,
    /// An object lacks a property that its type requires.
    Property,
    /// A function is called with too few or too many arguments.
    Arguments,
    /// A constant is assigned to.
    Constant,
    /// A name is declared twice in one scope.
    Duplicate,
    /// The package violates the rule of this id.
    Rule(&'static str),
}

impl FaultCode {
    /// The stable code, for machines and for `coco explain`.
    pub fn text(self) -> &'static str {
        match self {
            FaultCode::Syntax => code::PROGRAM_SYNTAX,
            FaultCode::Refused => code::PROGRAM_REFUSED,
            FaultCode::Depth => code::PROGRAM_DEPTH,
            FaultCode::Read => code::PROGRAM_READ,
            FaultCode::Manifest => code::PROGRAM_MANIFEST,
            FaultCode::Module => code::PROGRAM_MODULE,
            FaultCode::Name => code::PROGRAM_NAME,
            FaultCode::Export => code::PROGRAM_EXPORT,
            FaultCode::Member => code::PROGRAM_MEMBER,
            FaultCode::Property => code::PROGRAM_PROPERTY,
            FaultCode::Arguments => code::PROGRAM_ARGUMENTS,
            FaultCode::Constant => code::PROGRAM_CONSTANT,
            FaultCode::Duplicate => code::PROGRAM_DUPLICATE,
            FaultCode::Rule(id) => id,
        }
    }
}

/// A fault with its place.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The kind.
    pub code: FaultCode,
    /// The message, in lower case and without a full stop.
    pub message: String,
    /// The path of the file, relative to the folder of the program if there is a position.
    pub file: String,
    /// The bytes of the place.
    pub range: Range<usize>,
    /// The line and column of the place. `None` for a fault of a whole file.
    pub position: Option<Position>,
    /// Advice: an imperative without a full stop.
    pub help: Option<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(Position { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for Fault {}

/// The name that is most similar to an unknown one. Two letters of short names are often exchanged.
pub(crate) fn similar(name: &str, mut known: Vec<&str>) -> Option<String> {
    known.sort_unstable();
    let letters = |name: &str| {
        let mut letters: Vec<char> = name.to_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let exchanged = known.iter().find(|known| letters(known) == letters(name)).copied().map(str::to_owned);
    exchanged.or_else(|| near_keys(name, known.into_iter().map(str::to_owned)).into_iter().next())
}
