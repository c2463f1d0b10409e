//! §15.8 Hides secrets: values that a document marks as secret are shown as `"[secret]"`.

pub use coconut_codec::secrets::{HiddenKeys, Redaction, SECRET, is_key_secret, names_secrets};

use coconut_codec::limits;
use coconut_codec::read::file::DocumentView;

/// Maximum number of values visited to find the secrets of a document, or to measure it.
pub fn search_budget(document: DocumentView<'_>) -> u64 {
    limits::search_budget(document.length())
}
