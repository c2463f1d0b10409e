//! §19.8 Functions built into the language.

/// A function implemented in this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intrinsic {
    IsFunction,
    DynamicInvoke,
    DefaultIfComputed,
    ObjectKeys,
    Print,
    ToText,
    Sha1,
    JsonStringify,
    JsonParse,
    SerializeClosure,
    ArrayLength,
    ArraySetLength,
    ArrayPush,
    ArrayPop,
    TextLength,
    TextToLower,
    TextToUpper,
    TextSplit,
}

impl Intrinsic {
    /// The intrinsic that a token names.
    pub(crate) fn of(token: &str) -> Option<Intrinsic> {
        let (module, name) = token.rsplit_once(':')?;
        Some(match (module, name) {
            ("lumirt:index" | "coconut:runtime", name) => match name {
                "isFunction" => Intrinsic::IsFunction,
                "dynamicInvoke" => Intrinsic::DynamicInvoke,
                "defaultIfComputed" => Intrinsic::DefaultIfComputed,
                "objectKeys" => Intrinsic::ObjectKeys,
                "printf" => Intrinsic::Print,
                "toString" => Intrinsic::ToText,
                "sha1hash" => Intrinsic::Sha1,
                "jsonStringify" => Intrinsic::JsonStringify,
                "jsonParse" => Intrinsic::JsonParse,
                "serializeClosure" => Intrinsic::SerializeClosure,
                _ => return None,
            },
            ("lumi:builtin/array" | "coconut:builtin/array", name) => match name {
                "getLength" => Intrinsic::ArrayLength,
                "setLength" => Intrinsic::ArraySetLength,
                "push" => Intrinsic::ArrayPush,
                "pop" => Intrinsic::ArrayPop,
                _ => return None,
            },
            ("lumi:builtin/string" | "coconut:builtin/string", name) => match name {
                "getLength" => Intrinsic::TextLength,
                "toLowerCase" => Intrinsic::TextToLower,
                "toUpperCase" => Intrinsic::TextToUpper,
                "split" => Intrinsic::TextSplit,
                _ => return None,
            },
            _ => return None,
        })
    }
}
