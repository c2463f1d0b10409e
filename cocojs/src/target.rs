//! Targets: the form of the packages that are written.

/// The form of a package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// The form of today, whose programs mean what their text says.
    #[default]
    Current,
    /// The bytes of the compiler `cocojs` of May 2017.
    Coconut2017,
    /// The bytes of the compiler `lumijs` of 2017.
    Lumi2017,
}

impl Target {
    /// All names that [`named`](Self::named) accepts.
    pub const COMPATIBLE: [&'static str; 2] = ["2017-coconut", "2017-lumi"];

    /// The target of this name, which reproduces a compiler of 2017.
    pub fn named(name: &str) -> Option<Target> {
        match name {
            "2017-coconut" => Some(Target::Coconut2017),
            "2017-lumi" => Some(Target::Lumi2017),
            _ => None,
        }
    }

    /// Whether the bytes are those of a compiler of 2017, with its faults.
    pub fn is_compatible(self) -> bool {
        self != Target::Current
    }

    /// Whether a name of the same module is found when the program runs. Otherwise its token is in
    /// the package.
    pub(crate) fn finds_own_names_late(self) -> bool {
        self == Target::Lumi2017
    }

    /// The package in which the compilers of 2017 expected the library of the language.
    pub(crate) fn library(self) -> &'static str {
        match self {
            Target::Lumi2017 => "lumijs",
            _ => "cocojs",
        }
    }

    /// The type of literals of objects and of `null`.
    pub(crate) fn literal_type(self) -> &'static str {
        match self {
            Target::Coconut2017 => "object",
            _ => "dynamic",
        }
    }
}
