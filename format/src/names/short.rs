//! §11.1 Short forms of tokens in user input.

/// The short forms of a token: without the version of its module, without the last part of the
/// module if that repeats the name, and without both. Does not include the token itself.
///
/// ```
/// use coconut_format::names::short_tokens;
///
/// assert_eq!(short_tokens("aws:ec2/vpc:Vpc"), ["aws:ec2:Vpc"]);
/// assert_eq!(short_tokens("kubernetes:apps/v1:Deployment"), ["kubernetes:apps:Deployment"]);
/// assert_eq!(short_tokens("random:index/uuid:Uuid"), ["random:index:Uuid", "random:Uuid"]);
/// ```
pub fn short_tokens(token: &str) -> Vec<String> {
    let mut parts = token.split(':');
    let (Some(package), Some(module), Some(name), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Vec::new();
    };
    let mut short = Vec::new();
    let mut module = module;
    if let Some((front, last)) = module.rsplit_once('/')
        && (is_version(last) || repeats(last, name))
    {
        module = front;
        short.push(format!("{package}:{module}:{name}"));
    }
    if module == "index" {
        short.push(format!("{package}:{name}"));
    }
    short
}

/// Whether the last part of a module is a version: `v1`, `v1beta2`, `v20230901`, `v2023_09_01`.
fn is_version(part: &str) -> bool {
    let rest = part.strip_prefix('v').unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_digit())
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a part of a module is the name with a lower-case first letter.
fn repeats(part: &str, name: &str) -> bool {
    let (mut part, mut name) = (part.chars(), name.chars());
    match (part.next(), name.next()) {
        (Some(small), Some(first)) => {
            first.to_lowercase().eq(small.to_lowercase()) && part.as_str() == name.as_str()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_and_repetitions_are_left_out() {
        for (token, short) in [
            ("azure-native:storage/v20230901preview:Blob", &["azure-native:storage:Blob"][..]),
            ("aws:s3/bucketV2:BucketV2", &["aws:s3:BucketV2"]),
            ("gcp:index:Thing", &["gcp:Thing"]),
            ("aws:ec2/vpc:Subnet", &[]),
            ("aws:ec2/vpn:Vpc", &[]),
            ("aws:vpc:Vpc", &[]),
            ("aws:ec2/v:V2", &[]),
            ("a:b/v1:c:d", &[]),
            ("a:b", &[]),
            ("", &[]),
        ] {
            assert_eq!(short_tokens(token), short, "{token}");
        }
    }
}
