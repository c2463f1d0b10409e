//! §11 Names allowed by the Coconut 2017 format.

use std::borrow::Cow;

/// A name with `_` in place of each illegal character, and before a leading digit.
pub(crate) fn legal_name(name: &str) -> Cow<'_, str> {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_legal = |c: char| is_start(c) || c == '.' || c.is_ascii_digit();
    // Names that begin with a dot are reserved for the toolchain.
    if name.chars().all(is_legal) && name.chars().next().is_some_and(is_start) {
        return Cow::Borrowed(name);
    }
    let mut legal: String = name.chars().map(|c| if is_legal(c) { c } else { '_' }).collect();
    if !legal.chars().next().is_some_and(is_start) {
        legal.insert(0, '_');
    }
    Cow::Owned(legal)
}

/// A module name, whose parts are names; `index` for an empty one.
pub(crate) fn legal_module(name: &str) -> Cow<'_, str> {
    if name.is_empty() {
        return Cow::Borrowed("index");
    }
    match name.split('/').all(|part| matches!(legal_name(part), Cow::Borrowed(_))) {
        true => Cow::Borrowed(name),
        false => Cow::Owned(name.split('/').map(legal_name).collect::<Vec<_>>().join("/")),
    }
}

/// A package name, whose parts may contain dashes after their first character.
pub(crate) fn legal_package(name: &str) -> Cow<'_, str> {
    let part = |part: &str| {
        let of_dashes: Vec<Cow<'_, str>> = part
            .split('-')
            .enumerate()
            .map(|(index, word)| match (index, legal_name(word)) {
                (0, legal) => legal,
                // A digit, or no character, is allowed after a dash.
                (_, Cow::Owned(legal)) if legal.strip_prefix('_') == Some(word) => Cow::Borrowed(word),
                (_, legal) => legal,
            })
            .collect();
        of_dashes.join("-")
    };
    let legal = name.split('/').map(part).collect::<Vec<_>>().join("/");
    if legal == name { Cow::Borrowed(name) } else { Cow::Owned(legal) }
}

/// `s3_bucket_acl`, `security-group` or `ingress` as `S3BucketAcl`, `SecurityGroup`, `Ingress`.
pub(crate) fn pascal(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let mut characters = word.chars();
        let first = characters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(characters).collect::<String>()
    };
    words.map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_format::names::{ModuleName, Name, PackageName};

    #[test]
    fn legal_names_stay_and_others_become_legal() {
        for (name, legal) in [
            ("name", "name"),
            ("a.b", "a.b"),
            ("$ref", "_ref"),
            ("x-y", "x_y"),
            ("9lives", "_9lives"),
            (".ctor", "_.ctor"),
            ("größe", "gr__e"),
            ("", "_"),
        ] {
            assert_eq!(legal_name(name), legal);
            assert!(Name::parse(legal).is_ok(), "{legal}");
        }
        for (name, legal) in [
            ("", "index"),
            ("apps/v1", "apps/v1"),
            ("cert-manager.io/v1", "cert_manager.io/v1"),
            ("a//b", "a/_/b"),
        ] {
            assert_eq!(legal_module(name), legal);
            assert!(ModuleName::parse(legal).is_ok(), "{legal}");
        }
        for (name, legal) in
            [("aws", "aws"), ("azure-native", "azure-native"), ("a b/-c", "a_b/_-c"), ("a-1", "a-1")]
        {
            assert_eq!(legal_package(name), legal);
            assert!(PackageName::parse(legal).is_ok(), "{legal}");
        }
    }

    #[test]
    fn class_names_have_capitals() {
        for (name, class) in
            [("s3_bucket_acl", "S3BucketAcl"), ("ingress", "Ingress"), ("a-b.c", "ABC"), ("fooBar", "FooBar")]
        {
            assert_eq!(pascal(name), class);
        }
    }
}
