//! §20.4 Rules of changes.
//!
//! The list is also the registry `spec/model/registry/api-rules.tsv`.

coconut_format::named! {
    /// The effect of a change on the users of a package.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Severity {
        /// For information only.
        Info = "info";
        /// A difference that does not affect existing programs.
        Compatible = "compatible";
        /// Something behaves differently.
        Warning = "warning";
        /// Something that worked before no longer works.
        Breaking = "breaking";
    }
    /// The word in reports.
    pub fn name;
}

impl Severity {
    /// All severities, the worst first.
    pub const ALL: [Severity; 4] =
        [Severity::Breaking, Severity::Warning, Severity::Compatible, Severity::Info];
}

coconut_format::named! {
    /// The users for whom a change counts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Category, ALL {
        /// Stored values and running programs: values of old programs are refused or lost.
        Wire = "wire";
        /// Sources, too: an old program no longer compiles.
        Source = "source";
        /// All readers of the schema.
        Exact = "exact";
    }
    /// The word in reports.
    pub fn name;
}

/// A rule: a kind of change that users can notice.
#[derive(Debug, PartialEq, Eq)]
pub struct ApiRule {
    /// The name. It never changes its meaning.
    pub id: &'static str,
    /// The subject of the change: a document, a definition or a member.
    pub kind: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The severity for outputs.
    pub of_outputs: Severity,
    /// The users for whom it counts.
    pub category: Category,
    /// The keys of the values that it explains. Empty for all values of its subject.
    pub values: &'static [&'static str],
    /// A description of the change.
    pub text: &'static str,
    /// The reason why it matters, and the remedy.
    pub explanation: &'static str,
}

impl ApiRule {
    /// All rules, in the order of the registry.
    pub fn all() -> impl Iterator<Item = &'static ApiRule> {
        RULES.iter().copied()
    }
}

macro_rules! api_rules {
    ($($name:ident = $id:literal, $kind:literal, $severity:ident $(/ $outputs:ident)?, $category:ident, [$($value:literal),*], $text:literal, $explanation:literal;)+) => {
        $(
            #[doc = $text]
            pub(crate) static $name: ApiRule = ApiRule {
                id: $id,
                kind: $kind,
                severity: Severity::$severity,
                of_outputs: api_rules!(@ $severity $($outputs)?),
                category: Category::$category,
                values: &[$($value),*],
                text: $text,
                explanation: $explanation,
            };
        )+

        static RULES: &[&ApiRule] = &[$(&$name),+];
    };
    (@ $severity:ident) => { Severity::$severity };
    (@ $severity:ident $outputs:ident) => { Severity::$outputs };
}

api_rules! {
    API_EMPTY = "API-EMPTY", "document", Breaking, Wire, [],
        "a document is not a schema, or defines nothing",
        "A failed dump is empty, so a comparison would report everything as removed. Nothing is compared in this case. Create the dump again.";
    API_MODULE_GONE = "API-MODULE-GONE", "module", Breaking, Source, ["modules"],
        "a module is gone",
        "Programs that import it do not compile.";
    API_EXPORT_GONE = "API-EXPORT-GONE", "export", Breaking, Source, ["modules"],
        "a module does not export a name any more",
        "Programs that use the name do not compile. Its target may still exist under another name.";
    API_EXPORT_TARGET = "API-EXPORT-TARGET", "export", Warning, Source, ["modules"],
        "a module exports another definition under a name",
        "Programs that use the name get the other definition. Compare the two: if it has the same members, nothing else changes.";
    API_NAME = "API-NAME", "document", Warning, Exact, ["name", "typeName", "group"],
        "the package has another name",
        "Programs import it by its name. Is it the package that was meant?";
    API_LANGUAGE = "API-LANGUAGE", "definition", Info, Exact, ["language"],
        "settings for languages changed",
        "Code that is generated for a language may have other names or types. Nothing else changes.";
    API_COMPONENT = "API-COMPONENT", "class", Warning, Exact, ["isComponent"],
        "a class became a component, or no longer is one",
        "A component consists of other resources, and no provider stores it. Stored resources of the other kind do not fit.";
    API_CLASS_GONE = "API-CLASS-GONE", "class", Breaking, Wire, [],
        "a class is gone",
        "Programs and stored graphs that have resources of it cannot be used. If it has another name now, give the new class an alias.";
    API_FUNCTION_GONE = "API-FUNCTION-GONE", "function", Breaking, Wire, [],
        "a function, a data source or a method is gone",
        "Programs that call it fail.";
    API_TYPE_GONE = "API-TYPE-GONE", "type", Breaking, Source, [],
        "a type is gone",
        "Programs that name it do not compile. Values of it may still be accepted where they were.";
    API_RENAMED = "API-RENAMED", "definition", Breaking, Source, [],
        "a definition or a member has another name now",
        "It is found by an alias, a dictionary, or the singular or plural of the name. Stored graphs can be read with the alias; programs must be changed.";
    API_INPUT_GONE = "API-INPUT-GONE", "member", Breaking, Wire, [],
        "an input is gone",
        "Programs that set it are refused.";
    API_OUTPUT_GONE = "API-OUTPUT-GONE", "member", Breaking, Wire, [],
        "an output is gone",
        "Programs that read it fail.";
    API_PROPERTY_GONE = "API-PROPERTY-GONE", "member", Breaking, Wire, [],
        "a property of a type is gone",
        "Programs that set or read it fail.";
    API_REQUIRED_ADDED = "API-REQUIRED-ADDED", "member", Breaking, Wire, [],
        "a new input must be given",
        "Existing programs do not give it. Add a default, or make it optional.";
    API_OPTIONAL_TO_REQUIRED = "API-OPTIONAL-TO-REQUIRED", "member", Breaking / Warning, Wire, [],
        "an optional member is required now",
        "Programs that left out an input are refused. An output that is always there changes its type in some languages.";
    API_COMPUTED_TO_REQUIRED = "API-COMPUTED-TO-REQUIRED", "member", Breaking, Wire, [],
        "an input that the provider filled must be given now",
        "Programs that left it to the provider are refused.";
    API_REQUIRED_TO_OPTIONAL = "API-REQUIRED-TO-OPTIONAL", "member", Compatible / Warning, Source, [],
        "a required member is optional now",
        "An input may be omitted, which breaks nothing. A program may find an output missing.";
    API_NOT_SETTABLE = "API-NOT-SETTABLE", "member", Breaking, Wire, [],
        "an input became an output",
        "Programs that set it are refused.";
    API_TYPE = "API-TYPE", "member", Breaking, Wire, [],
        "a type changed",
        "It is compatible if each old value of an input fits the new type, and each new value of an output the old one. It is breaking otherwise.";
    API_LIST_SHAPE = "API-LIST-SHAPE", "member", Breaking, Wire, [],
        "one value became a list of them, or a list one value, or a list a set",
        "Programs must index it, or give it, in another form. Bridges do this when the maximum number of items becomes one, or was one.";
    API_ENUM_GONE = "API-ENUM-GONE", "member", Breaking / Compatible, Wire, ["enum", "const"],
        "a value is not allowed any more",
        "Programs that give it are refused.";
    API_ENUM_ADDED = "API-ENUM-ADDED", "member", Compatible / Warning, Wire, ["enum", "const"],
        "a new value is possible",
        "A program that reads it may not handle the new value.";
    API_MIN_RAISED = "API-MIN-RAISED", "member", Breaking / Compatible, Wire, ["minimum", "minLength", "minItems", "minProperties", "min_items"],
        "the least number, length or count of items is greater",
        "Values below are refused now.";
    API_MAX_LOWERED = "API-MAX-LOWERED", "member", Breaking / Compatible, Wire, ["maximum", "maxLength", "maxItems", "maxProperties", "max_items"],
        "the greatest number, length or count of items is less",
        "Values above are refused now.";
    API_BOUND_WIDENED = "API-BOUND-WIDENED", "member", Compatible / Warning, Exact, ["minimum", "minLength", "minItems", "minProperties", "min_items", "maximum", "maxLength", "maxItems", "maxProperties", "max_items", "pattern", "uniqueItems"],
        "a bound is wider or gone",
        "More values are allowed. A program may read values that did not occur before.";
    API_PATTERN = "API-PATTERN", "member", Breaking / Info, Wire, ["pattern"],
        "the pattern of a string was added or changed",
        "Strings that matched before may be refused. The two patterns are not compared.";
    API_DEFAULT = "API-DEFAULT", "member", Warning, Wire, ["default", "defaultInfo"],
        "the default changed",
        "Programs that do not give the value behave differently.";
    API_REPLACES = "API-REPLACES", "member", Warning, Exact, ["replaceOnChanges", "willReplaceOnChanges", "createOnlyProperties"],
        "a change of the value replaces the resource now",
        "An update that kept the resource now deletes it and creates another one.";
    API_REPLACES_GONE = "API-REPLACES-GONE", "member", Info, Exact, ["replaceOnChanges", "willReplaceOnChanges", "createOnlyProperties", "conditionalCreateOnlyProperties"],
        "a change of the value no longer replaces the resource",
        "An update keeps the resource now.";
    API_SECRET_GONE = "API-SECRET-GONE", "member", Breaking, Wire, ["secret", "sensitive"],
        "a value is not hidden any more",
        "Tools print it, and store it in the clear.";
    API_SECRET_ADDED = "API-SECRET-ADDED", "member", Info, Exact, ["secret", "sensitive"],
        "a value is hidden now",
        "Tools show a mark in its place.";
    API_COMPUTED_GONE = "API-COMPUTED-GONE", "member", Warning, Wire, [],
        "the provider does not fill a value any more",
        "It may be missing although it was always present before.";
    API_SIGNATURE = "API-SIGNATURE", "function", Breaking, Source, [],
        "a function must be called differently",
        "It got its first arguments or lost all of them, or the order of its parameters changed.";
    API_METHOD_GONE = "API-METHOD-GONE", "class", Breaking, Source, ["methods"],
        "a function is not a method any more",
        "Programs that call it as a method do not compile. The function is still there.";
    API_METHOD_ADDED = "API-METHOD-ADDED", "class", Info, Exact, ["methods"],
        "a function is a method now",
        "Nothing that was there changes.";
    API_ENUM_NAME = "API-ENUM-NAME", "type", Breaking, Source, ["enum"],
        "a value of an enum has another name now",
        "Programs that name it do not compile. The value itself is the same.";
    API_PLAIN = "API-PLAIN", "member", Breaking / Info, Source, ["plain"],
        "the value of an input must be known in advance now",
        "Programs that give it the output of a resource do not compile.";
    API_PLAIN_GONE = "API-PLAIN-GONE", "member", Warning / Info, Source, ["plain"],
        "the value of an input need not be known in advance any more",
        "It has another type in languages that distinguish outputs from values, so some programs must be changed.";
    API_STATE = "API-STATE", "member", Breaking, Source, ["stateInputs"],
        "an input for looking up a resource is gone, or has another type",
        "Programs that give it to the function `get` of the resource do not compile.";
    API_STATE_ADDED = "API-STATE-ADDED", "member", Info, Exact, ["stateInputs"],
        "a new input for looking up a resource is possible",
        "Nothing that was there changes.";
    API_BASE = "API-BASE", "class", Breaking, Source, ["extends", "base"],
        "a class extends another one",
        "Objects of it do not fit where the old base is needed.";
    API_DEPRECATED = "API-DEPRECATED", "definition", Info, Exact, ["deprecated", "deprecationMessage", "deprecation_message", "deprecatedProperties"],
        "something is deprecated now",
        "It still works, but may be removed in a later version.";
    API_MODULE_ADDED = "API-MODULE-ADDED", "module", Info, Exact, ["modules"],
        "a module is new",
        "Nothing that was there changes.";
    API_EXPORT_ADDED = "API-EXPORT-ADDED", "export", Info, Exact, ["modules"],
        "a module exports a new name",
        "Nothing that was there changes.";
    API_CLASS_ADDED = "API-CLASS-ADDED", "class", Info, Exact, [],
        "a class is new",
        "Nothing that was there changes.";
    API_FUNCTION_ADDED = "API-FUNCTION-ADDED", "function", Info, Exact, [],
        "a function, a data source or a method is new",
        "Nothing that was there changes.";
    API_TYPE_ADDED = "API-TYPE-ADDED", "type", Info, Exact, [],
        "a type is new",
        "Nothing that was there changes.";
    API_INPUT_ADDED = "API-INPUT-ADDED", "member", Info, Exact, [],
        "an optional input is new",
        "Nothing that was there changes.";
    API_OUTPUT_ADDED = "API-OUTPUT-ADDED", "member", Info, Exact, [],
        "an output is new",
        "Nothing that was there changes.";
    API_PROPERTY_ADDED = "API-PROPERTY-ADDED", "member", Info, Exact, [],
        "an optional property of a type is new",
        "Nothing that was there changes.";
    API_SCOPE = "API-SCOPE", "class", Breaking, Wire, ["scope"],
        "the scope changed: namespaced or for the whole cluster",
        "Requests for stored objects have another path, and old ones fail. Servers refuse such a change of an existing definition.";
    API_PLURAL = "API-PLURAL", "class", Breaking, Wire, ["plural"],
        "a kind has another name in paths",
        "Requests with the old name fail, and roles that name it allow nothing.";
    API_SHORT_NAME = "API-SHORT-NAME", "class", Warning, Source, ["singular", "shortNames", "listKind", "categories"],
        "a short name, a category or another name of a kind changed",
        "Commands that use the old name fail.";
    API_NOT_SERVED = "API-NOT-SERVED", "class", Breaking, Wire, ["served"],
        "a version is not served any more",
        "Requests with this version fail. Objects are still stored.";
    API_SERVED = "API-SERVED", "class", Info, Exact, ["served"],
        "a version is served again",
        "Nothing that was there changes.";
    API_STORAGE = "API-STORAGE", "class", Warning, Exact, ["storage"],
        "objects are stored in another version",
        "Objects keep their old form until they are written again. The old version cannot be removed before that.";
    API_CONVERSION = "API-CONVERSION", "class", Warning, Exact, ["conversion"],
        "the conversion between versions changed",
        "A request with another version than that of the store gets another result.";
    API_SUBRESOURCE = "API-SUBRESOURCE", "class", Warning, Exact, ["subresources"],
        "a subresource is new, or has other paths",
        "With the subresource `status`, other requests can no longer change the status.";
    API_SUBRESOURCE_GONE = "API-SUBRESOURCE-GONE", "class", Breaking, Wire, ["subresources"],
        "a subresource is gone",
        "Requests for it fail: controllers cannot set the status, or nothing can be scaled.";
    API_COLUMN = "API-COLUMN", "class", Info, Exact, ["additionalPrinterColumns"],
        "a column of lists changed",
        "Only people read it.";
    API_VALIDATION = "API-VALIDATION", "member", Breaking / Info, Wire, ["x-kubernetes-validations", "oneOf", "anyOf", "allOf", "not", "if", "then", "else", "dependencies", "dependentRequired", "dependentSchemas", "propertyNames", "contains", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"],
        "a condition for values is new, or changed",
        "Values that were valid before may be refused. The conditions are not evaluated.";
    API_VALIDATION_GONE = "API-VALIDATION-GONE", "member", Compatible / Warning, Exact, ["x-kubernetes-validations", "oneOf", "anyOf", "allOf", "not", "if", "then", "else", "dependencies", "dependentRequired", "dependentSchemas", "propertyNames", "contains", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"],
        "a condition for values is gone",
        "More values are allowed.";
    API_CLOSED = "API-CLOSED", "member", Breaking / Compatible, Wire, ["additionalProperties", "preserveUnknownFields", "x-kubernetes-preserve-unknown-fields"],
        "further members are refused or dropped now",
        "Values with members that the schema does not name are refused, or lose them.";
    API_OPEN = "API-OPEN", "member", Compatible / Warning, Exact, ["additionalProperties", "preserveUnknownFields", "x-kubernetes-preserve-unknown-fields"],
        "further members are allowed now",
        "A program may read members that did not occur before.";
    API_IDENTIFIER = "API-IDENTIFIER", "class", Breaking, Wire, ["primaryIdentifier"],
        "other properties identify a resource",
        "References to existing resources, imports and outputs of `Ref` have another value.";
    API_HANDLER = "API-HANDLER", "class", Warning, Exact, ["handlers"],
        "a handler needs other permissions, or has another time limit",
        "A role with exactly the old permissions fails.";
    API_HANDLER_GONE = "API-HANDLER-GONE", "class", Breaking, Wire, ["handlers"],
        "a handler is gone",
        "Resources of the type cannot be created, read, updated, deleted or listed any more. Without `update`, each change replaces the resource.";
    API_HANDLER_ADDED = "API-HANDLER-ADDED", "class", Info, Exact, ["handlers"],
        "a handler is new",
        "Nothing that was there changes.";
    API_TAGGING = "API-TAGGING", "class", Warning, Exact, ["tagging", "taggable"],
        "resources are tagged in another way",
        "Tags of the stack may be set, kept or changed in another way.";
    API_TAGGING_GONE = "API-TAGGING-GONE", "class", Breaking, Wire, ["tagging", "taggable"],
        "resources cannot be tagged any more",
        "Templates with tags are refused, and policies that rely on tags do not match.";
    API_MAY_REPLACE = "API-MAY-REPLACE", "class", Warning, Exact, ["conditionalCreateOnlyProperties"],
        "a change of the value may replace the resource now",
        "An update that kept the resource may delete it and create another one.";
    API_REPLACEMENT = "API-REPLACEMENT", "class", Warning, Exact, ["replacementStrategy"],
        "a replacement happens in another order",
        "The old resource is deleted before the new one is created, or after.";
    API_FORMAT = "API-FORMAT", "member", Warning / Warning, Wire, ["format"],
        "the format of a text or number changed",
        "Values that were valid before may be refused. Formats are not compared.";
    API_UNIQUE = "API-UNIQUE", "member", Breaking / Compatible, Wire, ["uniqueItems"],
        "equal items are refused now",
        "Lists with equal items are refused.";
    API_MERGE = "API-MERGE", "member", Warning, Exact, ["x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-list-type"],
        "changes to a list or an object are merged in another way",
        "Applied changes of several owners get another result, and items with equal keys may be refused.";
    API_PLUGIN = "API-PLUGIN", "document", Warning, Exact, ["pluginDownloadURL", "parameterization"],
        "the provider comes from another place",
        "Programs get the plugin from there, which may be another one.";
    API_MODULE_FORMAT = "API-MODULE-FORMAT", "document", Breaking, Source, ["meta"],
        "tokens belong to other modules",
        "Generated code has other modules, so programs do not compile.";
    API_BODY = "API-BODY", "definition", Info, Exact, ["modules"],
        "an implementation changed",
        "It can have other results. The declarations are compared by other rules.";
    API_ALIAS_GONE = "API-ALIAS-GONE", "class", Breaking, Wire, ["aliases"],
        "a former name is gone",
        "Stored resources of that name are not recognised: they are deleted, and others are created.";
    API_ALIAS_ADDED = "API-ALIAS-ADDED", "class", Info, Exact, ["aliases"],
        "a former name is new",
        "Stored resources of that name are recognised.";
    API_SETTABLE = "API-SETTABLE", "member", Info, Exact, ["readOnlyProperties", "readOnly"],
        "an output can be set now",
        "Nothing that was there changes.";
    API_READABLE = "API-READABLE", "member", Info, Exact, ["writeOnlyProperties", "writeOnly"],
        "an input can be read now",
        "Nothing that was there changes.";
    API_DOC = "API-DOC", "definition", Info, Exact, ["description", "summary"],
        "a description changed",
        "Only people read it.";
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGISTRY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/model/registry/api-rules.tsv");

    #[test]
    fn the_registry_file_is_the_list_in_code() {
        let mut expected = "id\tkind\tlevel\toutputs\tcategory\tvalues\ttext\texplanation\n".to_owned();
        for rule in ApiRule::all() {
            let (level, outputs) = (rule.severity.name(), rule.of_outputs.name());
            let values = if rule.values.is_empty() { "*".to_owned() } else { rule.values.join(" ") };
            let category = rule.category.name();
            let cells = [rule.id, rule.kind, level, outputs, category, &values, rule.text, rule.explanation];
            assert!(cells.iter().all(|cell| !cell.is_empty() && !cell.contains(['\t', '\n'])), "{}", rule.id);
            expected.push_str(&cells.join("\t"));
            expected.push('\n');
        }
        if std::env::var_os("COCONUT_BLESS").is_some() {
            std::fs::write(REGISTRY, &expected).unwrap();
        }
        let found = std::fs::read_to_string(REGISTRY).unwrap();
        assert_eq!(expected, found, "COCONUT_BLESS=1 rewrites it");
    }

    #[test]
    fn ids_are_distinct() {
        let mut ids: Vec<&str> = ApiRule::all().map(|rule| rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), ApiRule::all().count());
    }
}
