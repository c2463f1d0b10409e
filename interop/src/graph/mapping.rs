//! Maps Pulumi types to Terraform types, as the mapping of a bridged provider records it or as the
//! names suggest.

use super::finding::Findings;
use coconut_format::Value;
use std::collections::{BTreeSet, HashMap};

/// Types that have another name in Pulumi's providers, whatever their bridge records.
const OVERLAYS: [(&str, &str); 1] = [("helm_release", "kubernetes:helm.sh/v3:Release")];

/// The mappings of providers.
#[derive(Clone, Debug, Default)]
pub struct Mappings {
    tokens: HashMap<String, String>,
    types: HashMap<String, String>,
    /// The package of each Terraform provider, by its name there.
    packages: HashMap<String, String>,
}

impl Mappings {
    /// Adds the mapping that a bridged provider gives (`pulumi package get-mapping terraform`). It
    /// has the token of each type under `resources/TYPE/tok`. Returns the number of types added.
    pub fn add(&mut self, mapping: &Value) -> usize {
        let resources = mapping.get("resources").and_then(Value::as_object).unwrap_or_default();
        let before = self.tokens.len();
        for (own_type, resource) in resources {
            let Some(token) = resource.get("tok").and_then(Value::as_str) else { continue };
            self.tokens.insert(own_type.clone(), token.to_owned());
            self.types.insert(token.to_owned(), own_type.clone());
            if let (Some(prefix), Some(package)) = (own_type.split('_').next(), token.split(':').next()) {
                self.packages.insert(prefix.to_owned(), package.to_owned());
            }
        }
        self.tokens.len() - before
    }
}

/// Mappings in use. An assumption about a type is reported once.
pub(super) struct Types<'m> {
    mappings: &'m Mappings,
    told: BTreeSet<String>,
}

impl<'m> Types<'m> {
    pub(super) fn new(mappings: &'m Mappings) -> Types<'m> {
        Types { mappings, told: BTreeSet::new() }
    }

    /// The token of a Terraform type. A type that is already a token is kept.
    pub(super) fn token(
        &mut self,
        own_type: &str,
        subject: &str,
        pointer: &str,
        findings: &mut Findings,
    ) -> String {
        if own_type.contains(':') {
            return own_type.to_owned();
        }
        if let Some(token) = self.mappings.tokens.get(own_type) {
            return token.clone();
        }
        if let Some((_, token)) = OVERLAYS.iter().find(|(other, _)| *other == own_type) {
            return (*token).to_owned();
        }
        let token = match own_type.split_once('_') {
            Some((package, name)) => format!("{package}:index:{}", pascal_case(name)),
            None => format!("{own_type}:index:{}", pascal_case(own_type)),
        };
        if self.told.insert(own_type.to_owned()) {
            findings.assumed(
                format!("no mapping contains `{own_type}`, so its type is `{token}`"),
                subject,
                pointer,
            );
        }
        token
    }

    /// The Terraform type of a token.
    pub(super) fn own_type(
        &mut self,
        token: &str,
        subject: &str,
        pointer: &str,
        findings: &mut Findings,
    ) -> String {
        if let Some(own_type) = self.mappings.types.get(token) {
            return own_type.clone();
        }
        if let Some((own_type, _)) = OVERLAYS.iter().find(|(_, other)| *other == token) {
            return (*own_type).to_owned();
        }
        let parts: Vec<&str> = token.split(':').collect();
        let package = snake_case(parts.first().copied().unwrap_or_default());
        let name = snake_case(parts.last().copied().unwrap_or_default());
        let module = match &parts[..] {
            [_, module, _] => snake_case(module.split('/').next().unwrap_or_default()),
            _ => String::new(),
        };
        let mut words = vec![package];
        if !matches!(&*module, "" | "index") && !name.starts_with(&module) {
            words.push(module);
        }
        words.push(name);
        let own_type = words.join("_");
        if self.told.insert(token.to_owned()) {
            findings.assumed(
                format!("no mapping contains `{token}`, so its type is `{own_type}`"),
                subject,
                pointer,
            );
        }
        own_type
    }

    /// The Pulumi package for the provider of a Terraform type.
    pub(super) fn package(&self, own_type: &str) -> String {
        let prefix = own_type.split('_').next().unwrap_or(own_type);
        self.mappings.packages.get(prefix).map_or(prefix, String::as_str).to_owned()
    }
}

/// `s3_bucket` as `S3Bucket`.
fn pascal_case(name: &str) -> String {
    let capital = |word: &str| {
        let mut characters = word.chars();
        let first = characters.next().map(|first| first.to_uppercase().collect::<String>());
        first.unwrap_or_default() + characters.as_str()
    };
    name.split('_').map(capital).collect()
}

/// `S3Bucket` or `s3-bucket` as `s3_bucket`. Several capitals in a row are one word.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let characters: Vec<char> = name.chars().collect();
    for (at, &c) in characters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| characters.get(before));
        let is_start = before.is_some_and(|c| c.is_lowercase() || c.is_numeric())
            || characters.get(at + 1).is_some_and(|c| c.is_lowercase())
                && before.is_some_and(|c| c.is_uppercase());
        if c.is_uppercase() && is_start {
            snake.push('_');
        }
        match c.is_alphanumeric() {
            true => snake.extend(c.to_lowercase()),
            false => snake.push('_'),
        }
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_becomes_a_token_and_a_token_a_type() {
        let mappings = Mappings::default();
        let (mut types, mut findings) = (Types::new(&mappings), Findings::default());
        for (own_type, token) in [
            ("aws_s3_bucket", "aws:index:S3Bucket"),
            ("helm_release", "kubernetes:helm.sh/v3:Release"),
            ("null", "null:index:Null"),
        ] {
            assert_eq!(types.token(own_type, "", "", &mut findings), token);
        }
        for (token, own_type) in [
            ("aws:s3/bucketPolicy:BucketPolicy", "aws_s3_bucket_policy"),
            ("random:index/randomString:RandomString", "random_random_string"),
            ("aws:ec2/vpc:VPC", "aws_ec2_vpc"),
            ("azure-native:storage:StorageAccount", "azure_native_storage_account"),
        ] {
            assert_eq!(types.own_type(token, "", "", &mut findings), own_type);
        }
        assert_eq!(findings.0.len(), 6);
    }
}
