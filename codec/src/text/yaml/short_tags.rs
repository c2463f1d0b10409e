//! §17.1 The short tags of CloudFormation and other tags, and the objects that they abbreviate.

use super::scalar::CORE_PREFIX;

/// The keys that identify a CloudFormation template.
pub(super) const TEMPLATE_KEYS: [&str; 2] = ["AWSTemplateFormatVersion", "Resources"];

/// The tag whose text names a resource and an attribute, separated by a dot.
pub(super) const GET_ATTRIBUTE: &str = "Fn::GetAtt";

/// The short tags and the keys of their long forms.
const LONG_FORMS: &[(&str, &str)] = &[
    ("!And", "Fn::And"),
    ("!Base64", "Fn::Base64"),
    ("!Cidr", "Fn::Cidr"),
    ("!Condition", "Condition"),
    ("!Contains", "Fn::Contains"),
    ("!EachMemberEquals", "Fn::EachMemberEquals"),
    ("!EachMemberIn", "Fn::EachMemberIn"),
    ("!Equals", "Fn::Equals"),
    ("!FindInMap", "Fn::FindInMap"),
    ("!GetAZs", "Fn::GetAZs"),
    ("!GetAtt", GET_ATTRIBUTE),
    ("!GetStackOutput", "Fn::GetStackOutput"),
    ("!If", "Fn::If"),
    ("!ImportValue", "Fn::ImportValue"),
    ("!Join", "Fn::Join"),
    ("!Length", "Fn::Length"),
    ("!Not", "Fn::Not"),
    ("!Or", "Fn::Or"),
    ("!Ref", "Ref"),
    ("!RefAll", "Fn::RefAll"),
    ("!Select", "Fn::Select"),
    ("!Split", "Fn::Split"),
    ("!Sub", "Fn::Sub"),
    ("!ToJsonString", "Fn::ToJsonString"),
    ("!Transform", "Fn::Transform"),
    ("!ValueOf", "Fn::ValueOf"),
    ("!ValueOfAll", "Fn::ValueOfAll"),
];

/// The key of the object that a short tag abbreviates.
pub(super) fn long_form(tag: &str) -> Option<&'static str> {
    let found = LONG_FORMS.binary_search_by_key(&tag, |&(short, _)| short).ok()?;
    Some(LONG_FORMS[found].1)
}

/// The key of the object for a value with this tag, if it is not a short tag: `Name` for `!Name`,
/// `!!name` for a tag of YAML that the core schema lacks, `!<name>` for all others.
pub(super) fn key_of_unknown(tag: &str) -> String {
    match (tag.strip_prefix('!'), tag.strip_prefix(CORE_PREFIX)) {
        (Some(name), _) => name.to_owned(),
        (None, Some(name)) => format!("!!{name}"),
        (None, None) => format!("!<{tag}>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tags_are_sorted_and_short_for_their_names() {
        assert!(LONG_FORMS.is_sorted_by(|(one, _), (other, _)| one < other));
        for (short, long) in LONG_FORMS {
            assert_eq!(short.strip_prefix('!'), Some(long.trim_start_matches("Fn::")), "{short}");
            assert_eq!(long_form(short), Some(*long));
        }
        assert_eq!(long_form("!Rain::Embed"), None);
    }
}
