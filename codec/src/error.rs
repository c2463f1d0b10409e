//! One error for all fallible functions of this crate.

use crate::read::file::{OpenError, OpenErrorKind};
use crate::read::lookup::LookupError;
use coconut_format::DecodeError;
use coconut_format::envelope::InvalidEnvelope;
use coconut_format::explain::{ErrorClass, explanation};
use coconut_format::landmark::LandmarkRuleError;
use std::fmt;

/// Lists the errors of the crate. Each becomes a variant, and converts with `?`.
macro_rules! errors {
    ($($(#[cfg($when:meta)])? #[doc = $doc:literal] $variant:ident($error:ty);)+) => {
        /// Any error of this crate, for a program that needs no error type of its own.
        ///
        /// Every error of this crate and of [`coconut_format`] converts to it with `?`. It keeps
        /// the original error, its code and its remedy, and takes one allocation.
        ///
        /// ```
        /// use coconut_codec::{CompileOptions, Document, Error, compile};
        ///
        /// fn web(source: &[u8]) -> Result<String, Error> {
        ///     let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
        ///     Ok(file.require("web")?.value()?.to_json()?)
        /// }
        ///
        /// assert_eq!(web(br#"{"vertices":{"web":{"port":80}}}"#)?, r#"{"port":80}"#);
        /// let error = web(br#"{"vertices":{"wep":{"port":80}}}"#).expect_err("there is none");
        /// assert_eq!(error.code(), "KEY-MISSING");
        /// assert_eq!(error.to_string(), "no landmark has the key \"web\", similar is \"wep\"");
        /// assert_eq!(error.hint(), Some("use a similar key, or list the keys with `keys`"));
        /// # Ok::<(), Error>(())
        /// ```
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum Error {
            $($(#[cfg($when)])? #[doc = $doc] $variant(Box<$error>),)+
        }

        $($(#[cfg($when)])?
        impl From<$error> for Error {
            #[cold]
            fn from(error: $error) -> Self {
                Error::$variant(Box::new(error))
            }
        })+

        impl Error {
            /// Returns the stable code, for machines.
            pub fn code(&self) -> &'static str {
                match self {
                    $($(#[cfg($when)])? Error::$variant(error) => error.code(),)+
                }
            }

            /// Returns the party at fault.
            pub fn class(&self) -> ErrorClass {
                ErrorClass::of(self.code())
            }

            /// Returns the remedy, as an imperative without a full stop.
            pub fn hint(&self) -> Option<&str> {
                match self {
                    $($(#[cfg($when)])? Error::$variant(error) => error.hint(),)+
                }
            }

            /// Returns the meaning of the code and the remedy, in some paragraphs.
            pub fn explanation(&self) -> Option<&'static str> {
                explanation(self.code())
            }
        }

        /// Shows the inner error's message, so [`source`](std::error::Error::source) does not
        /// return it again.
        impl fmt::Display for Error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $($(#[cfg($when)])? Error::$variant(error) => error.fmt(f),)+
                }
            }
        }

        impl std::error::Error for Error {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                match self {
                    $($(#[cfg($when)])? Error::$variant(error) => error.source(),)+
                }
            }
        }
    };
}

errors! {
    #[doc = "A file could not be opened."]
    Open(OpenError);
    #[doc = "A document is damaged, or exceeds a limit."]
    Decode(DecodeError);
    #[doc = "A key leads to no landmark, or to several."]
    Lookup(LookupError);
    #[doc = "A sink refused a value."]
    Sink(crate::event::SinkError);
    #[doc = "An envelope cannot be written."]
    Envelope(InvalidEnvelope);
    #[doc = "A text is not a landmark rule."]
    Rule(LandmarkRuleError);
    #[cfg(feature = "whole")]
    #[doc = "A stream of values ended early."]
    Stream(crate::read::stream::StreamError);
    #[cfg(feature = "graphs")]
    #[doc = "Resources depend on one another in a circle."]
    Order(crate::read::graph::OrderError);
    #[cfg(feature = "graphs")]
    #[doc = "A text is not a URN."]
    Urn(coconut_format::urn::UrnError);
    #[cfg(feature = "graphs")]
    #[doc = "A snapshot cannot be built."]
    Snapshot(coconut_format::graph::SnapshotError);
    #[cfg(any(feature = "graphs", feature = "packages"))]
    #[doc = "A text is not a name, a token or a package reference."]
    Name(coconut_format::names::NameError);
    #[cfg(feature = "verify")]
    #[doc = "A package cannot be built."]
    Package(coconut_format::package::PackageError);
    #[cfg(feature = "packages")]
    #[doc = "A node of a package cannot be built."]
    Build(coconut_format::il::BuildError);
    #[cfg(feature = "write")]
    #[doc = "A document cannot be written."]
    Write(crate::write::WriteError);
    #[cfg(feature = "text")]
    #[doc = "A text is not a document."]
    Source(crate::text::SourceError);
    #[cfg(feature = "text")]
    #[doc = "A text in an envelope is not a document."]
    Enveloped(crate::text::EnvelopedError);
    #[cfg(all(feature = "text", feature = "write"))]
    #[doc = "A source cannot be compiled."]
    Compile(crate::compile::CompileError);
    #[cfg(feature = "serde")]
    #[doc = "A value of Rust cannot become a document."]
    Serialize(crate::serde::SerializeError);
    #[cfg(feature = "serde")]
    #[doc = "A document does not match a type of Rust."]
    Deserialize(crate::serde::DeserializeError);
    #[cfg(feature = "verify")]
    #[doc = "A document cannot be replaced durably."]
    Durable(crate::durable::DurableError);
    #[cfg(feature = "cache")]
    #[doc = "A package cannot be loaded."]
    Load(crate::loader::LoadError);
    #[cfg(feature = "cache")]
    #[doc = "The cache cannot be used."]
    Cache(crate::cache::CacheFault);
}

/// An error of the system keeps its code, and becomes an error of opening without a path.
impl From<OpenErrorKind> for Error {
    fn from(error: OpenErrorKind) -> Self {
        match error {
            OpenErrorKind::Decode(error) => error.into(),
            error => OpenError::new(std::path::Path::new(""), error).into(),
        }
    }
}

#[cfg(feature = "cache")]
impl<E: Into<Error>> From<crate::loader::ReadError<E>> for Error {
    fn from(error: crate::loader::ReadError<E>) -> Self {
        match error {
            crate::loader::ReadError::Load(error) => error.into(),
            crate::loader::ReadError::Get(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use coconut_format::ErrorKind;
    use std::error::Error as _;

    #[test]
    fn an_error_keeps_the_code_hint_and_text_of_its_origin() {
        let error = Document::from_data(&b""[..]).expect_err("it is empty");
        assert_eq!(error.kind(), ErrorKind::Empty);
        let (text, hint) = (error.to_string(), error.hint());
        let error = Error::from(error);
        assert_eq!((error.code(), error.to_string(), error.hint()), ("ENV-EMPTY", text, hint));
        assert!(error.explanation().is_some_and(|text| text.starts_with("The file is empty")));
        assert!(error.source().is_none());
        assert!(matches!(error, Error::Decode(_)));
    }

    #[test]
    fn an_error_of_a_file_says_why() {
        let folder = tempfile::tempdir().expect("a folder");
        let (absent, empty) = (folder.path().join("absent.coco"), folder.path().join("empty.coco"));
        std::fs::write(&empty, "").expect("it is written");
        let told = |path| Error::from(Document::open(path).expect_err("it is no document")).to_string();
        assert!(told(&absent).starts_with(&format!("cannot read `{}`: ", absent.display())));
        let expected = format!(
            "cannot open `{}`: ENV-EMPTY: the file is empty (an interrupted write?) at byte 0",
            empty.display()
        );
        assert_eq!(told(&empty), expected);
    }

    #[test]
    fn an_error_is_as_small_as_a_pointer_and_a_tag() {
        assert!(size_of::<Error>() <= 16);
        fn is_sendable<T: Send + Sync + 'static>() {}
        is_sendable::<Error>();
    }
}
