//! §24.6 Members of rich data.

/// The member with the name or the definition of a type.
pub(crate) const TYPE: &str = "__ptype";
/// The member with the value of a scalar.
pub(crate) const VALUE: &str = "__pvalue";
/// The member that distinguishes forms of a stream that are the same value for Puppet.
pub(crate) const FORM: &str = "__pform";
/// The only member of a reference to a vertex.
pub(crate) const REFERENCE: &str = "#ref";
/// The same members as Puppet 5.0 to 5.5 named them.
pub(crate) const OLD_TYPE: &str = "__pcore_type__";
pub(crate) const OLD_VALUE: &str = "__pcore_value__";

/// The types that are not objects. An object of such a name has the form `object`.
pub(crate) const SCALARS: &[&str] = &[
    "Array",
    "Binary",
    "Comment",
    "Default",
    "Float",
    "Hash",
    "LocalRef",
    "Regexp",
    "SemVer",
    "SemVerRange",
    "Sensitive",
    "String",
    "Symbol",
    "Timespan",
    "Timestamp",
    "URI",
];

/// Whether a key of a hash means something in rich data.
pub(crate) fn is_reserved(key: &[u8], entries: u64) -> bool {
    let is = |name: &str| key == name.as_bytes();
    is(TYPE) || is(OLD_TYPE) || is(REFERENCE) && entries == 1
}

/// Forms of values, in the member `__pform`.
pub(crate) mod forms {
    /// Bytes of msgpack, without an extension.
    pub(crate) const BYTES: &str = "bytes";
    /// Bytes with the code 0x37, where the dialect has 0x38.
    pub(crate) const BINARY: &str = "binary";
    /// Bytes with the code 0x38, where the dialect has 0x37.
    pub(crate) const BASE64: &str = "base64";
    /// A float of 32 bits.
    pub(crate) const FLOAT_32: &str = "float32";
    /// A container of msgpack.
    pub(crate) const PLAIN: &str = "plain";
    /// A vertex that is a part of a secret, and therefore marked as one.
    pub(crate) const VERTEX: &str = "vertex";
    /// An object whose type has the name of a scalar.
    pub(crate) const OBJECT: &str = "object";
}
