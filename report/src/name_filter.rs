//! Selection of landmarks by the keys or types given to a command.

use crate::failure::Failure;
use crate::glob::Glob;
use coconut_format::truncated::Truncated;

/// Keys or types of resources. Each is the whole name, its last part, or a pattern.
#[derive(Debug)]
pub struct NameFilter(Vec<Wanted>);

#[derive(Debug)]
enum Wanted {
    Name(String),
    Pattern(Glob),
}

impl NameFilter {
    /// All keys, if there is no text. Addresses contain brackets, so brackets alone do not make a
    /// pattern.
    pub fn of_keys(texts: &[String]) -> Result<NameFilter, Failure> {
        NameFilter::of(texts, &['*', '?', '{'])
    }

    /// All types, if there is no text.
    pub fn of_types(texts: &[String]) -> Result<NameFilter, Failure> {
        NameFilter::of(texts, &['*', '?', '[', '{'])
    }

    /// Texts with one of these characters are patterns.
    fn of(texts: &[String], characters: &[char]) -> Result<NameFilter, Failure> {
        let wanted = texts.iter().map(|text| match text.contains(characters) {
            true => Glob::new(text).map(Wanted::Pattern),
            false => Ok(Wanted::Name(text.clone())),
        });
        wanted.collect::<Result<_, _>>().map(NameFilter)
    }

    /// Whether every name is selected.
    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this name is selected.
    pub fn has(&self, name: &str) -> bool {
        self.is_all() || self.0.iter().any(|wanted| wanted.is(name))
    }
}

impl Wanted {
    /// Whether it is all of `name`, or its last part.
    fn is(&self, name: &str) -> bool {
        match self {
            Wanted::Pattern(glob) => glob.matches(name),
            Wanted::Name(wanted) => {
                let before = name.strip_suffix(wanted.as_str());
                before.is_some_and(|before| before.is_empty() || before.ends_with([':', '/']))
            }
        }
    }
}

/// The requested keys and types, in words.
pub fn described(keys: &[String], types: &[String]) -> String {
    let quoted = |texts: &[String]| format!("`{}`", Truncated(&texts.join("` or `")));
    match (keys.is_empty(), types.is_empty()) {
        (false, true) => format!("the key {}", quoted(keys)),
        (true, _) => format!("the type {}", quoted(types)),
        (false, false) => format!("the key {} and the type {}", quoted(keys), quoted(types)),
    }
}
