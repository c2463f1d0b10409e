//! Numbers of definitions in a package, and in a part of it.

/// The numbers of the definitions of a document in the whole package.
pub(crate) enum Numbers {
    /// The document contains all definitions.
    All,
    /// The document contains these definitions, in order.
    Part(Vec<usize>),
}

impl Numbers {
    /// The number in the document for a definition of the package.
    pub(crate) fn own(&self, number: usize) -> Option<usize> {
        match self {
            Numbers::All => Some(number),
            Numbers::Part(numbers) => numbers.binary_search(&number).ok(),
        }
    }
}
