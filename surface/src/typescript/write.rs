//! From: a Coconut 2017 package. To: its declarations in TypeScript, for editors.
//!
//! Each module of the package is an ambient module, with the specifier by which programs (§22)
//! import it. The compiler of programs reads the package itself, and never these declarations.

use coconut_format::Package;
use coconut_format::il::{SyntaxKind, SyntaxNode};
use coconut_format::names::{FunctionType, Primitive, TokenParts, TypeToken};
use std::fmt::Write as _;

/// The declarations of a package. A name that cannot be written in TypeScript is omitted.
///
/// Packages do not record which arguments may be omitted, so all parameters are optional. A type
/// that is not known is `any`.
pub fn declarations(package: &Package) -> String {
    let name = package.name().unwrap_or_default();
    let mut text = String::new();
    for (module, node) in package.root().entries("modules") {
        // The compiler adds modules that no program can import.
        if module.starts_with('.') || node.kind() != SyntaxKind::Module {
            continue;
        }
        let scope = Scope { package: name, module };
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "declare module {} {{", quoted(&scope.specifier()));
        scope.push_module(node, &mut text);
        text.push_str("}\n");
    }
    for (alias, module) in package.aliases() {
        let specifier = match alias {
            ".default" => name.to_owned(),
            alias => format!("{name}/{alias}"),
        };
        let _ = write!(
            text,
            "\ndeclare module {} {{\n    export * from {};\n}}\n",
            quoted(&specifier),
            quoted(&format!("{name}/{module}"))
        );
    }
    text
}

/// The module whose declarations are written.
#[derive(Clone, Copy)]
struct Scope<'a> {
    package: &'a str,
    module: &'a str,
}

impl Scope<'_> {
    fn specifier(self) -> String {
        format!("{}/{}", self.package, self.module)
    }

    fn push_module(self, module: &SyntaxNode, out: &mut String) {
        let members = || module.entries("members").filter(|(name, _)| is_name(name));
        // A base class of another module has to be imported.
        let mut bases: Vec<&str> = Vec::new();
        for base in
            members().filter(|(_, member)| is_class(member)).filter_map(|(_, node)| node.token("extends"))
        {
            if self.local_name(base).is_none() && class_of(base).is_some() && !bases.contains(&base) {
                bases.push(base);
            }
        }
        for base in &bases {
            if let Some((specifier, name)) = class_of(base) {
                let alias = imported(base);
                let _ = writeln!(out, "    import {{ {name} as {alias} }} from {};", quoted(&specifier));
            }
        }
        for (name, member) in members() {
            self.push_member(&declared(name), member, out);
        }
        let mut own = Vec::new();
        for (name, export) in module.entries("exports") {
            let Some(token) = export.token("referent") else { continue };
            match (self.local_name(token), class_of(token)) {
                _ if !is_name(name) => {}
                (Some(local), _) if is_name(local) => own.push(renamed(&declared(local), name)),
                (None, Some((specifier, of))) => {
                    let _ =
                        writeln!(out, "    export {{ {} }} from {};", renamed(of, name), quoted(&specifier));
                }
                _ => {}
            }
        }
        // With this, other declarations are not exported.
        let _ = match own.is_empty() {
            true => writeln!(out, "    export {{}};"),
            false => writeln!(out, "    export {{ {} }};", own.join(", ")),
        };
    }

    /// The name of a member of this module.
    fn local_name(self, token: &str) -> Option<&str> {
        match TokenParts::parse(token) {
            Ok(TokenParts::ModuleMember { package, module, member }) => {
                (package == self.package && module == self.module).then_some(member)
            }
            _ => None,
        }
    }

    fn push_member(self, name: &str, member: &SyntaxNode, out: &mut String) {
        let _ = match member.kind() {
            SyntaxKind::ModuleProperty => {
                let word = if member.flag("readonly") { "const" } else { "let" };
                writeln!(out, "    {word} {name}: {};", self.annotation(member.token("type")))
            }
            SyntaxKind::ModuleMethod => writeln!(out, "    function {name}{};", self.signature(member, true)),
            SyntaxKind::Class => return self.push_class(name, member, out),
            _ => Ok(()),
        };
    }

    fn push_class(self, name: &str, class: &SyntaxNode, out: &mut String) {
        if class.kind() == SyntaxKind::Class && class.get("members").is_none() {
            // A class without members is another name of a type.
            let _ = writeln!(out, "    type {name} = {};", self.annotation(class.token("extends")));
            return;
        }
        let is_interface = class.flag("interface") || class.flag("record");
        let word = match (is_interface, class.flag("abstract")) {
            (true, _) => "interface",
            (false, true) => "abstract class",
            (false, false) => "class",
        };
        let base = class.token("extends").and_then(|base| match self.local_name(base) {
            Some(local) => Some(declared(local)),
            None => class_of(base).map(|_| imported(base)),
        });
        let base = base.map(|base| format!(" extends {base}")).unwrap_or_default();
        let _ = writeln!(out, "    {word} {name}{base} {{");
        for (key, member) in class.entries("members") {
            if key == ".ctor" && !is_interface {
                let _ = writeln!(out, "        constructor{};", self.signature(member, false));
            }
            if !key.starts_with('.') {
                self.push_class_member(key, member, is_interface, out);
            }
        }
        out.push_str("    }\n");
    }

    fn push_class_member(self, key: &str, member: &SyntaxNode, is_interface: bool, out: &mut String) {
        let mut words = String::new();
        if !is_interface {
            if let Some(access @ ("private" | "protected")) = member.text("access") {
                let _ = write!(words, "{access} ");
            }
            if member.flag("static") {
                words.push_str("static ");
            }
        }
        let key = if is_name(key) { key.to_owned() } else { quoted(key) };
        let optional = if member.flag("optional") { "?" } else { "" };
        let _ = match member.kind() {
            SyntaxKind::ClassMethod => writeln!(out, "        {words}{key}{};", self.signature(member, true)),
            SyntaxKind::ClassProperty => {
                let readonly = if member.flag("readonly") { "readonly " } else { "" };
                let ty = self.annotation(member.token("type"));
                writeln!(out, "        {words}{readonly}{key}{optional}: {ty};")
            }
            _ => Ok(()),
        };
    }

    fn signature(self, function: &SyntaxNode, has_result: bool) -> String {
        let parameters: Vec<String> = function
            .nodes("parameters")
            .enumerate()
            .map(|(at, parameter)| {
                let name = parameter.token("name").filter(|name| is_name(name));
                let name = name.map_or_else(|| format!("argument{}", at + 1), str::to_owned);
                format!("{name}?: {}", self.annotation(parameter.token("type")))
            })
            .collect();
        let result = match (has_result, function.token("returnType")) {
            (false, _) => String::new(),
            (true, None) => ": void".to_owned(),
            (true, ty) => format!(": {}", self.annotation(ty)),
        };
        format!("({}){result}", parameters.join(", "))
    }

    fn annotation(self, token: Option<&str>) -> String {
        let ty = token.and_then(|token| TypeToken::parse(token).ok());
        ty.map_or_else(|| "any".to_owned(), |ty| self.type_text(&ty))
    }

    /// Recursion is bounded by the levels of types.
    fn type_text(self, ty: &TypeToken) -> String {
        match ty {
            TypeToken::Primitive(Primitive::String) => "string".to_owned(),
            TypeToken::Primitive(Primitive::Number) => "number".to_owned(),
            TypeToken::Primitive(Primitive::Bool) => "boolean".to_owned(),
            TypeToken::Primitive(Primitive::Null) => "null".to_owned(),
            TypeToken::Primitive(Primitive::Object | Primitive::Dynamic | Primitive::Any) => "any".to_owned(),
            TypeToken::Named(token) => match (self.local_name(token.as_str()), class_of(token.as_str())) {
                (Some(local), _) if is_name(local) => declared(local),
                (None, Some((specifier, name))) => format!("import({}).{name}", quoted(&specifier)),
                _ => "any".to_owned(),
            },
            TypeToken::Pointer(_) => "any".to_owned(),
            TypeToken::Array(element) => match **element {
                TypeToken::Function(_) => format!("({})[]", self.type_text(element)),
                _ => format!("{}[]", self.type_text(element)),
            },
            TypeToken::Map(_, value) => format!("{{ [key: string]: {} }}", self.type_text(value)),
            TypeToken::Function(function) => self.function_type(function),
        }
    }

    fn function_type(self, function: &FunctionType) -> String {
        let parameter = |(at, ty): (usize, &TypeToken)| format!("argument{}: {}", at + 1, self.type_text(ty));
        let parameters: Vec<String> = function.parameters.iter().enumerate().map(parameter).collect();
        let result = function.result.as_ref().map_or_else(|| "void".to_owned(), |ty| self.type_text(ty));
        format!("({}) => {result}", parameters.join(", "))
    }
}

fn is_class(member: &SyntaxNode) -> bool {
    member.kind() == SyntaxKind::Class && member.get("members").is_some()
}

/// The specifier of the module of a class, and its name. `None` if no program can import it.
fn class_of(token: &str) -> Option<(String, &str)> {
    match TokenParts::parse(token) {
        Ok(TokenParts::ModuleMember { package, module, member }) if is_name(member) => {
            Some((format!("{package}/{module}"), member))
        }
        _ => None,
    }
}

/// A name of an import that no member has.
fn imported(token: &str) -> String {
    let name = token.rsplit(':').next().unwrap_or(token);
    format!("{name}$")
}

/// The name of a declaration. A word of the language gets another one, and is exported as itself.
fn declared(name: &str) -> String {
    const WORDS: [&str; 36] = [
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "debugger",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "function",
        "if",
        "import",
        "in",
        "instanceof",
        "new",
        "null",
        "return",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "var",
        "void",
        "while",
        "with",
    ];
    if WORDS.contains(&name) { format!("{name}$") } else { name.to_owned() }
}

fn renamed(local: &str, name: &str) -> String {
    if local == name { name.to_owned() } else { format!("{local} as {name}") }
}

/// Whether a text is a name that needs no quotes as a key.
fn is_name(text: &str) -> bool {
    let is_first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    text.bytes().next().is_some_and(is_first)
        && text.bytes().all(|byte| is_first(byte) || byte.is_ascii_digit())
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::event::ValueSink;
    use coconut_codec::text::json::{self, JsonOptions};

    #[test]
    fn modules_are_declared_as_programs_import_them() {
        let package = r#"{"name": "shop", "modules": {
            "index": {"kind": "Module", "name": {"kind": "Identifier", "ident": "index"},
                "exports": {
                    "Bucket": {"kind": "Export", "name": {"kind": "Identifier", "ident": "Bucket"},
                        "referent": {"kind": "Token", "tok": "shop:index:Bucket"}},
                    "Base": {"kind": "Export", "name": {"kind": "Identifier", "ident": "Base"},
                        "referent": {"kind": "Token", "tok": "coconut:resource:Resource"}}},
                "members": {
                    "Bucket": {"kind": "Class", "name": {"kind": "Identifier", "ident": "Bucket"},
                        "extends": {"kind": "TypeToken", "tok": "coconut:resource:Resource"},
                        "members": {
                            "x-y": {"kind": "ClassProperty", "name": {"kind": "Identifier", "ident": "x-y"},
                                "readonly": true, "optional": true,
                                "type": {"kind": "TypeToken", "tok": "[]map[string]shop:index:Bucket"}},
                            ".ctor": {"kind": "ClassMethod", "name": {"kind": "Identifier", "ident": ".ctor"},
                                "parameters": [{"kind": "LocalVariable",
                                    "name": {"kind": "Identifier", "ident": "name"},
                                    "type": {"kind": "TypeToken", "tok": "(string)aws:s3:Bucket"}}]}}},
                    ".main": {"kind": "ModuleMethod", "name": {"kind": "Identifier", "ident": ".main"}},
                    "f": {"kind": "ModuleMethod", "name": {"kind": "Identifier", "ident": "f"}}}}},
            "aliases": {".default": "index"}}"#;
        let mut sink = ValueSink::new();
        json::read(package.as_bytes(), &mut sink, &JsonOptions::default()).expect("it is JSON");
        let package = Package::from_value(sink.finish().expect("a value")).expect("a package");
        let expected = r#"declare module "shop/index" {
    import { Resource as Resource$ } from "coconut/resource";
    class Bucket extends Resource$ {
        readonly "x-y"?: { [key: string]: Bucket }[];
        constructor(name?: (argument1: string) => import("aws/s3").Bucket);
    }
    function f(): void;
    export { Resource as Base } from "coconut/resource";
    export { Bucket };
}

declare module "shop" {
    export * from "shop/index";
}
"#;
        assert_eq!(declarations(&package), expected);
    }
}
