//! Finds one landmark by its key (§8.5): found, absent, or an error with a remedy.

use super::{LandmarkView, Ways};
use crate::read::file::{DocumentFile, DocumentView, Storage};
use crate::read::view::ValueView;
use coconut_format::error::DecodeError;
use coconut_format::explain::{ErrorClass, explanation};
use coconut_format::landmark::Trail;
use coconut_format::pointer::{push_index, push_key};
use coconut_format::suggest::near_keys;
use coconut_format::truncated::Truncated;
use coconut_format::{ErrorKind, code};
use std::fmt;

/// The reason why a key does not lead to one landmark.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LookupError {
    /// No landmark has the key. Only [`DocumentView::require`] reports it.
    Missing {
        /// The key.
        key: String,
        /// At most five similar keys, the most similar first.
        near: Vec<String>,
        /// The number of landmarks of the document.
        landmarks: u32,
    },
    /// Several landmarks have the key.
    Ambiguous {
        /// The key.
        key: String,
        /// The JSON pointers of the first [`SHOWN`](Self::SHOWN) of them, in document order.
        pointers: Vec<String>,
        /// Their total number.
        count: usize,
    },
    /// The file is damaged, or exceeds a limit.
    Decode(DecodeError),
}

impl LookupError {
    /// Maximum number of landmarks of one key that an error lists.
    pub const SHOWN: usize = 8;

    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            LookupError::Missing { .. } => code::KEY_MISSING,
            LookupError::Ambiguous { .. } => code::KEY_AMBIGUOUS,
            LookupError::Decode(error) => error.kind().code(),
        }
    }

    /// Returns the party at fault.
    pub fn class(&self) -> ErrorClass {
        ErrorClass::of(self.code())
    }

    /// Returns the remedy, as an imperative without a full stop.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            LookupError::Missing { landmarks: 0, .. } => {
                Some("name the value by its JSON pointer from the root, as in `value(\"/a/0/b\")`")
            }
            LookupError::Missing { near, .. } if near.is_empty() => Some(
                "list the keys with `keys`, or name the value by its JSON pointer, as in `value(\"/a/0/b\")`",
            ),
            LookupError::Missing { .. } => Some("use a similar key, or list the keys with `keys`"),
            LookupError::Ambiguous { .. } => {
                Some("choose one by its class with `get_in_class`, or get all of them with `get_all`")
            }
            LookupError::Decode(error) => error.hint(),
        }
    }

    /// Returns the meaning of the code and the remedy, in some paragraphs.
    pub fn explanation(&self) -> Option<&'static str> {
        explanation(self.code())
    }
}

/// Shows the inner error's message, so [`source`](std::error::Error::source) does not return it
/// again.
impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LookupError::Missing { key, near, landmarks } => {
                write!(f, "no landmark has the key {:?}", Truncated(key))?;
                match near.first() {
                    Some(near) => write!(f, ", similar is {:?}", Truncated(near)),
                    None if *landmarks == 0 => f.write_str(", the document has no landmarks"),
                    None => Ok(()),
                }
            }
            LookupError::Ambiguous { key, pointers, count } => {
                write!(f, "{count} landmarks have the key {:?}:", Truncated(key))?;
                pointers.iter().try_for_each(|pointer| write!(f, " {}", Truncated(pointer)))?;
                if *count > pointers.len() { f.write_str(" …") } else { Ok(()) }
            }
            LookupError::Decode(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LookupError {}

impl From<DecodeError> for LookupError {
    fn from(error: DecodeError) -> Self {
        LookupError::Decode(error)
    }
}

impl<'a> DocumentView<'a> {
    /// Returns the landmark whose full key is `key`, or `None` if there is none.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices": {"web": {"port": 80}, "db": {"port": 5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let port = file.view().get("web")?.expect("it exists").value()?.pointer("/port")?;
    /// assert_eq!(port.expect("it has a port").as_u64()?, Some(80));
    /// assert!(file.view().get("cache")?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// With an index the cost hardly depends on the size of the file. Measured with the file in
    /// memory, on a quiet and on a busy machine:
    ///
    /// | keys | file | time |
    /// |---|---|---|
    /// | keys of entries, URNs, fields of items | 30 to 60,000 landmarks | 60 to 300 ns |
    /// | entry keys in several classes | a schema with 1,779 to 2,134 landmarks | 300 to 800 ns |
    /// | addresses made from a template | a state with 1,202 landmarks | 1.5 to 3 µs |
    ///
    /// A key made from a template costs the most: it is compared with several fields of a landmark.
    /// Without an index (small files, profile `transport`), the first lookup walks the document.
    ///
    /// # Errors
    ///
    /// [`LookupError::Ambiguous`] if several landmarks have the key. It lists their pointers.
    /// Choose one by class with [`get_in_class`](Self::get_in_class), or get all of them with
    /// [`get_all`](Self::get_all). [`LookupError::Decode`] if the file is damaged.
    pub fn get(&self, key: &str) -> Result<Option<LandmarkView<'a>>, LookupError> {
        one_of(*self, key, self.get_all(key)?)
    }

    /// Like [`get`](Self::get), among the landmarks of one class: the number of their pattern in
    /// the [rule](crate::Header::rule) of the header, from 0.
    ///
    /// A Terraform schema has a resource and a data source of the same name, for instance.
    /// [`LandmarkView::pattern`] shows the pattern of a landmark.
    pub fn get_in_class(&self, key: &str, class: u8) -> Result<Option<LandmarkView<'a>>, LookupError> {
        let mut found = Vec::new();
        for landmark in self.get_all(key)? {
            if landmark.class()? == class {
                found.push(landmark);
            }
        }
        one_of(*self, key, found)
    }

    /// Like [`get`](Self::get), but an absent key is an error that lists similar keys.
    ///
    /// Finding a key costs the same. Building the error reads all keys of the document.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices": {"database": {"port": 5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let error = file.view().require("databse").unwrap_err();
    /// let expected = r#"no landmark has the key "databse", similar is "database""#;
    /// assert_eq!(error.to_string(), expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn require(&self, key: &str) -> Result<LandmarkView<'a>, LookupError> {
        if let Some(landmark) = self.get(key)? {
            return Ok(landmark);
        }
        let (mut keys, mut fault) = (self.keys()?, None);
        let all = std::iter::from_fn(|| match keys.read_next() {
            // The index of the file lacks it.
            Ok(Some((_, other))) if other == key => {
                fault = self.missed_key();
                fault.is_none().then(|| other.to_owned())
            }
            Ok(next) => next.map(|(_, other)| other.to_owned()),
            Err(error) => {
                fault = Some(error);
                None
            }
        });
        let near = near_keys(key, all);
        match fault {
            Some(error) => Err(error.into()),
            None => {
                let landmarks = self.landmark_count()?;
                Err(LookupError::Missing { key: key.to_owned(), near, landmarks })
            }
        }
    }

    /// Returns the value at `path`: a key, or a key and a JSON pointer into the value of its
    /// landmark, as in `web/port`.
    ///
    /// If a path can be read in several ways, the longest key counts. A path that begins with `/`
    /// and is not a key is a pointer from the root. Costs as much as [`get`](Self::get), once for
    /// each slash.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices": {"web": {"port": 80}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let port = file.view().value("web/port")?.expect("it exists");
    /// assert_eq!(port.as_u64()?, Some(80));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn value(&self, path: &str) -> Result<Option<ValueView<'a>>, LookupError> {
        for (key, pointer) in super::key_and_pointer(path) {
            if let Some(landmark) = self.get(key)? {
                return Ok(landmark.value()?.pointer(pointer)?);
            }
        }
        match path.starts_with('/') {
            true => Ok(self.root().pointer(path)?),
            false => Ok(None),
        }
    }
}

impl<D: Storage> DocumentFile<D> {
    /// Returns the landmark whose full key is `key`. See [`DocumentView::get`].
    pub fn get(&self, key: &str) -> Result<Option<LandmarkView<'_>>, LookupError> {
        self.view().get(key)
    }

    /// Returns the landmark whose full key is `key`, which must exist. See
    /// [`DocumentView::require`].
    pub fn require(&self, key: &str) -> Result<LandmarkView<'_>, LookupError> {
        self.view().require(key)
    }

    /// Returns the value at `path`: a key, or a key and a JSON pointer. See
    /// [`DocumentView::value`].
    pub fn value(&self, path: &str) -> Result<Option<ValueView<'_>>, LookupError> {
        self.view().value(path)
    }

    /// Returns the root value.
    pub fn root(&self) -> ValueView<'_> {
        self.view().root()
    }
}

/// Returns the only landmark of `found`. All of them have this key.
pub(super) fn one_of<'a>(
    document: DocumentView<'a>,
    key: &str,
    found: Vec<LandmarkView<'a>>,
) -> Result<Option<LandmarkView<'a>>, LookupError> {
    if found.len() < 2 {
        return Ok(found.first().copied());
    }
    let count = found.len();
    let mut ways = Ways::from_root(document);
    let shown = found.into_iter().take(LookupError::SHOWN);
    let pointers = shown.map(|landmark| pointer_to(&mut ways, landmark)).collect::<Result<_, _>>()?;
    Err(LookupError::Ambiguous { key: key.to_owned(), pointers, count })
}

/// Returns the pointer to the next landmark found by a search.
fn pointer_to<'a>(ways: &mut Ways<'a>, landmark: LandmarkView<'a>) -> Result<String, DecodeError> {
    let mut pointer = String::new();
    for (trail, _) in ways.next_to(landmark)? {
        match trail {
            Trail::Root => {}
            Trail::Entry(key) => push_key(&mut pointer, key),
            Trail::Item(index) => push_index(&mut pointer, index),
        }
    }
    Ok(pointer)
}

impl<'a> LandmarkView<'a> {
    /// Returns the JSON pointer from the root of the document to the landmark.
    ///
    /// An index does not contain it, so this steps over the values before the landmark, level by
    /// level. With the feature `tooling`, `Ways` finds those of many landmarks without stepping
    /// over anything twice.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// assert_eq!(file.require("db")?.pointer()?, "/vertices/db");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pointer(&self) -> Result<String, DecodeError> {
        pointer_to(&mut Ways::from_root(self.document), *self)
    }

    /// Returns the pattern that makes it a landmark, for instance `/vertices/*`. Its number is the
    /// [class](Self::class).
    ///
    /// # Errors
    ///
    /// Also fails if the header's rule is not understood, or lacks the pattern that the tables
    /// name.
    pub fn pattern(&self) -> Result<&'a coconut_format::landmark::Pattern, DecodeError> {
        let patterns = self.document.frame.header.rule()?.patterns();
        let class = usize::from(self.class()?);
        patterns.get(class).ok_or_else(|| ErrorKind::IndexRange { table: LANDMARK_CLASSES }.at(self.offset()))
    }
}

const LANDMARK_CLASSES: u8 = crate::wire::directory::Part::LANDMARK_CLASSES.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;

    fn schema() -> DocumentFile<Vec<u8>> {
        let source =
            br#"{"format_version": "1.0", "provider_schemas": {"registry.terraform.io/hashicorp/aws": {
            "provider": {"version": 0, "block": {}},
            "resource_schemas": {"aws_instance": {"version": 1, "block": {"attributes": {}}}},
            "data_source_schemas": {"aws_instance": {"version": 0, "block": {"attributes": {}}}}}}}"#;
        DocumentFile::from_data(compile(source, &CompileOptions::default()).unwrap().bytes).unwrap()
    }

    #[test]
    fn an_ambiguous_key_names_the_pointers() {
        let file = schema();
        let view = file.view();
        let error = view.get("aws_instance").unwrap_err();
        let provider = "/provider_schemas/registry.terraform.io~1hashicorp~1aws";
        let pointers =
            ["resource_schemas", "data_source_schemas"].map(|kind| format!("{provider}/{kind}/aws_instance"));
        let expected =
            LookupError::Ambiguous { key: "aws_instance".to_owned(), pointers: pointers.to_vec(), count: 2 };
        assert_eq!(error, expected);
        assert_eq!(error.code(), "KEY-AMBIGUOUS");
        assert_eq!(view.require("aws_instance").unwrap_err(), expected);

        let [first, second] = view.get_all("aws_instance").unwrap()[..] else { panic!("two") };
        assert_eq!([first, second].map(|landmark| landmark.pointer().unwrap()), pointers);
        for landmark in [first, second] {
            let class = landmark.class().unwrap();
            let found = view.get_in_class("aws_instance", class).unwrap().unwrap();
            assert_eq!(found.offset(), landmark.offset());
            let rule = view.header().rule().unwrap();
            assert_eq!(landmark.pattern().unwrap(), &rule.patterns()[usize::from(class)]);
        }
        assert!(view.get_in_class("aws_instance", 200).unwrap().is_none());
    }

    #[test]
    fn an_absent_key_is_none_or_an_error_with_similar_keys() {
        let file = schema();
        assert!(file.view().get("aws_instanc").unwrap().is_none());
        let error = file.view().require("aws_instanc").unwrap_err();
        let near = vec!["aws_instance".to_owned()];
        assert_eq!(error, LookupError::Missing { key: "aws_instanc".to_owned(), near, landmarks: 3 });
        assert_eq!(error.code(), "KEY-MISSING");
        assert_eq!(error.hint(), Some("use a similar key, or list the keys with `keys`"));
        let other = file.view().require("/").unwrap_err();
        assert_eq!(other.to_string(), r#"no landmark has the key "/""#);
        assert!(other.hint().is_some_and(|hint| hint.starts_with("list the keys with `keys`, or")));
    }

    #[test]
    fn a_key_in_a_document_without_landmarks_leads_to_pointers() {
        let file =
            DocumentFile::from_data(compile(b"[7, {}]", &CompileOptions::default()).unwrap().bytes).unwrap();
        let error = file.require("a").unwrap_err();
        assert_eq!(error, LookupError::Missing { key: "a".to_owned(), near: Vec::new(), landmarks: 0 });
        assert_eq!(error.to_string(), r#"no landmark has the key "a", the document has no landmarks"#);
        let hint = "name the value by its JSON pointer from the root, as in `value(\"/a/0/b\")`";
        assert_eq!(error.hint(), Some(hint));
        assert_eq!(file.value("/0").unwrap().map(|seven| seven.as_u64().unwrap()), Some(Some(7)));
    }

    #[test]
    fn a_path_is_a_key_and_a_pointer_or_a_pointer_alone() {
        let source = br#"{"vertices": {"a": {"b": {"c": 1}}, "a/b": {"c": 2}}}"#;
        let file =
            DocumentFile::from_data(compile(source, &CompileOptions::default()).unwrap().bytes).unwrap();
        let number = |path: &str| file.view().value(path).unwrap().map(|value| value.as_u64().unwrap());
        assert_eq!(number("a/b/c"), Some(Some(2)));
        assert_eq!(number("/vertices/a/b/c"), Some(Some(1)));
        assert_eq!(number("a"), Some(None));
        assert_eq!(number("b"), None);
        assert_eq!(number("a/x"), None);
    }
}
