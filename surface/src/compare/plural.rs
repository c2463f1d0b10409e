//! §20.3 Singular and plural of English names.

/// Endings of a singular and of its plural. The first matching pair counts.
const ENDINGS: [(&str, &str); 13] = [
    ("y", "ies"),
    ("is", "es"),
    ("s", "ses"),
    ("x", "xes"),
    ("ex", "ices"),
    ("ix", "ices"),
    ("ch", "ches"),
    ("sh", "shes"),
    ("fe", "ves"),
    ("f", "ves"),
    ("on", "a"),
    ("child", "children"),
    ("", "s"),
];

/// Whether one name is the plural of the other, differing only in its ending.
pub(crate) fn differ_in_number(one: &str, other: &str) -> bool {
    is_plural(one, other) || is_plural(other, one)
}

fn is_plural(singular: &str, plural: &str) -> bool {
    ENDINGS.iter().any(|(of_one, of_many)| {
        let stem = singular.strip_suffix(of_one);
        stem.is_some_and(|stem| !stem.is_empty() && plural.strip_prefix(stem) == Some(of_many))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singular_and_plural_are_recognised_by_endings() {
        for (one, many) in [
            ("logging", "loggings"),
            ("certificateAuthority", "certificateAuthorities"),
            ("address", "addresses"),
            ("ipAddress", "ipAddresses"),
            ("index", "indices"),
            ("box", "boxes"),
            ("criterion", "criteria"),
            ("analysis", "analyses"),
            ("branch", "branches"),
        ] {
            assert!(differ_in_number(one, many) && differ_in_number(many, one), "{one} {many}");
        }
        for (one, other) in [("a", "a"), ("", "s"), ("name", "named"), ("key", "keyring"), ("logging", "log")]
        {
            assert!(!differ_in_number(one, other), "{one} {other}");
        }
    }
}
