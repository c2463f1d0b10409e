//! Names as numbers: property keys, variables and tokens.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The number of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name(pub(crate) u32);

macro_rules! known {
    ($($constant:ident = $number:literal $text:literal),* $(,)?) => {
        impl Name { $( pub(crate) const $constant: Name = Name($number); )* }
        const KNOWN: &[&str] = &[$($text),*];
    };
}

// The names that the language itself uses. Their numbers are their places in this list.
known! {
    INIT = 0 ".init", CTOR = 1 ".ctor", THIS = 2 ".this", SUPER = 3 ".super", LENGTH = 4 "length",
    PUSH = 5 "push", POP = 6 "pop", SPLIT = 7 "split", TO_LOWER = 8 "toLowerCase",
    TO_UPPER = 9 "toUpperCase", ID = 10 "id", URN = 11 "urn",
}

/// All names of one evaluation.
#[derive(Debug)]
pub(crate) struct Names {
    hasher: RandomState,
    table: HashTable<u32>,
    texts: Vec<Arc<str>>,
}

impl Names {
    pub(crate) fn new() -> Names {
        let mut names = Names { hasher: RandomState::default(), table: HashTable::new(), texts: Vec::new() };
        for text in KNOWN {
            names.number(text);
        }
        names
    }

    /// The number of a text.
    pub(crate) fn number(&mut self, text: &str) -> Name {
        let hash = self.hasher.hash_one(text);
        if let Some(&found) = self.table.find(hash, |&n| &*self.texts[n as usize] == text) {
            return Name(found);
        }
        let number = u32::try_from(self.texts.len()).expect("a name takes memory, and the heap has a limit");
        self.texts.push(text.into());
        let (hasher, texts) = (&self.hasher, &self.texts);
        self.table.insert_unique(hash, number, |&n| hasher.hash_one(&*texts[n as usize]));
        Name(number)
    }

    /// The number of a text that some program, object or type has already named.
    pub(crate) fn find(&self, text: &str) -> Option<Name> {
        let hash = self.hasher.hash_one(text);
        self.table.find(hash, |&n| &*self.texts[n as usize] == text).map(|&n| Name(n))
    }

    pub(crate) fn text(&self, name: Name) -> &Arc<str> {
        &self.texts[name.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_have_the_numbers_of_their_places() {
        let mut names = Names::new();
        for (number, text) in (0..).zip(KNOWN) {
            assert_eq!(names.number(text), Name(number), "{text}");
        }
        let new = names.number("x");
        assert_eq!((names.number("x"), names.find("x"), names.find("y")), (new, Some(new), None));
        assert_eq!(&**names.text(new), "x");
        assert_eq!(names.number("urn"), Name::URN);
    }
}
