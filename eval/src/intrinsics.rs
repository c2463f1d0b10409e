//! §19.8 Functions built into the language.

coconut_format::named! {
    /// A function implemented in this crate.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Intrinsic, ALL {
        IsFunction = "runtime:isFunction";
        DynamicInvoke = "runtime:dynamicInvoke";
        DefaultIfComputed = "runtime:defaultIfComputed";
        ObjectKeys = "runtime:objectKeys";
        Print = "runtime:printf";
        ToText = "runtime:toString";
        Sha1 = "runtime:sha1hash";
        JsonStringify = "runtime:jsonStringify";
        JsonParse = "runtime:jsonParse";
        SerializeClosure = "runtime:serializeClosure";
        ArrayLength = "array:getLength";
        ArraySetLength = "array:setLength";
        ArrayPush = "array:push";
        ArrayPop = "array:pop";
        TextLength = "string:getLength";
        TextToLower = "string:toLowerCase";
        TextToUpper = "string:toUpperCase";
        TextSplit = "string:split";
    }
    /// The library, and the name in it.
    fn text;
}

impl Intrinsic {
    /// The intrinsic that a token names.
    pub(crate) fn of(token: &str) -> Option<Intrinsic> {
        let (module, name) = token.rsplit_once(':')?;
        let library = match module {
            "lumirt:index" | "coconut:runtime" => "runtime",
            "lumi:builtin/array" | "coconut:builtin/array" => "array",
            "lumi:builtin/string" | "coconut:builtin/string" => "string",
            // The library that a compiler adds to a program.
            module if module.ends_with(":.lib") => "runtime",
            _ => return None,
        };
        Intrinsic::ALL.into_iter().find(|one| one.text().split_once(':') == Some((library, name)))
    }
}
