//! The text of a raised program: its modules in CocoJS (§22), and its manifest.

mod classes;
mod groups;
mod shared;

use super::draft::Draft;
use super::expression::Expression;
use crate::script::{Identifiers, Text, camel_case, number, pascal_case, quoted};
use coconut_format::graph::{SECRET_SIGNATURE, SIGNATURE_KEY};
use groups::{Group, groups};
use shared::Shared;
use std::collections::HashMap;
use std::fmt::Write as _;

/// A raised program as a folder of sources: a manifest, and modules in CocoJS (§22).
#[derive(Clone, Debug)]
pub struct ProgramText {
    pub(super) package: String,
    pub(super) files: Vec<(String, String)>,
    pub(super) secrets: usize,
}

impl ProgramText {
    /// The name of the package.
    pub fn package(&self) -> &str {
        &self.package
    }

    /// Paths relative to the folder, with `/`, and texts. The manifest comes first, then the module
    /// `index.ts`.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The number of secrets. They are plain text in the sources.
    pub fn secrets(&self) -> usize {
        self.secrets
    }
}

impl Draft<'_> {
    /// The sources of the program.
    pub(super) fn program_text(&self, values: &[Expression], dependencies: &[&str]) -> ProgramText {
        let mut files = vec![
            ("Coconut.yaml".to_owned(), self.manifest(dependencies)),
            ("index.ts".to_owned(), Writer::new(self, values).main_module()),
        ];
        files.extend(self.class_modules());
        let secrets = values.iter().map(secrets).sum();
        ProgramText { package: self.home.package.clone(), files, secrets }
    }

    fn manifest(&self, dependencies: &[&str]) -> String {
        let mut text = format!("name: {}\n", plain(&self.home.package));
        if !dependencies.is_empty() {
            text.push_str("dependencies:\n");
        }
        for package in dependencies {
            let _ = writeln!(text, "    {}: \"*\"", plain(package));
        }
        text
    }
}

/// A name in YAML. Quoted unless no reader takes it for anything but text.
fn plain(name: &str) -> String {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_/".contains(&byte));
    let is_special = matches!(
        name.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if is_word && !is_special { name.to_owned() } else { quoted(name) }
}

/// The number of secrets in a value. Recursion is bounded by the levels of properties.
fn secrets(value: &Expression) -> usize {
    let is_mark = |(key, value): &(String, Expression)| {
        key == SIGNATURE_KEY && matches!(value, Expression::Text(text) if text == SECRET_SIGNATURE)
    };
    match value {
        Expression::Hidden(_) => 1,
        Expression::Object(entries) if entries.iter().any(is_mark) => {
            usize::from(entries.iter().any(|(key, _)| key == "plaintext"))
        }
        Expression::Object(entries) => entries.iter().map(|(_, value)| secrets(value)).sum(),
        Expression::List(items) => items.iter().map(secrets).sum(),
        _ => 0,
    }
}

/// Writes the module that constructs the resources.
struct Writer<'d, 's> {
    draft: &'d Draft<'s>,
    values: &'d [Expression],
    /// The names of classes in the module, by number.
    classes: HashMap<usize, String>,
    /// The variable of each resource.
    variables: Vec<String>,
    names: Identifiers,
    shared: Shared,
}

impl<'d, 's> Writer<'d, 's> {
    fn new(draft: &'d Draft<'s>, values: &'d [Expression]) -> Writer<'d, 's> {
        let mut names = Identifiers::with_globals();
        let classes = draft.class_names(&mut names);
        let variables = draft.resources.iter().map(|resource| {
            let class = draft.classes.place(resource.class).2;
            let name = [camel_case(&resource.name), camel_case(class)];
            names.make(name.iter().find(|name| !name.is_empty()).map_or("", String::as_str))
        });
        let variables = variables.collect();
        let shared = Shared::of(values);
        Writer { draft, values, classes, variables, names, shared }
    }

    fn main_module(mut self) -> String {
        let mut statements = String::new();
        for group in groups(self.draft, self.values) {
            if !statements.is_empty() {
                statements.push('\n');
            }
            match group {
                Group::One(at) => self.resource(&mut statements, at, 0),
                Group::Component { from, to, returned } => {
                    self.component(&mut statements, from, to, &returned);
                }
            }
        }
        let mut text = self.draft.imports(&self.classes);
        let mut part = |part: &str| {
            if !text.is_empty() && !part.is_empty() {
                text.push('\n');
            }
            text.push_str(part);
        };
        for class in 0..self.draft.classes.len() {
            if self.draft.is_in(class, "index") {
                part(&self.draft.class_text(class, &self.classes[&0]));
            }
        }
        part(&self.shared.declarations);
        part(&statements);
        text
    }

    /// A function that constructs the parts of a component, and its call.
    fn component(&mut self, out: &mut String, from: usize, to: usize, returned: &[usize]) {
        let name = self.names.make(&format!("create{}", pascal_case(&self.variables[from])));
        let _ = writeln!(out, "function {name}() {{");
        for at in from..to {
            self.resource(out, at, 1);
        }
        let variable = |at: &usize| {
            let name = &self.variables[*at];
            (name.clone(), Text::Word(name.clone()))
        };
        let parts = Text::Object(returned.iter().map(variable).collect());
        if parts.is_empty() {
            let _ = writeln!(out, "}}\n\n{name}();");
            return;
        }
        out.push_str("    return ");
        parts.push(out, 1, 1);
        out.push_str(";\n}\n\nconst ");
        parts.push(out, 0, name.len() + 6);
        let _ = writeln!(out, " = {name}();");
    }

    /// `const variable = new Class(name, properties, options);`.
    fn resource(&mut self, out: &mut String, at: usize, level: usize) {
        let resource = &self.draft.resources[at];
        let class = resource.class;
        out.extend(std::iter::repeat_n("    ", level));
        let _ = write!(out, "const {} = new {}(", self.variables[at], self.classes[&class]);
        if !self.draft.classes.takes_arguments(class) {
            out.push_str(");\n");
            return;
        }
        let _ = write!(out, "{}, ", quoted(&resource.name));
        let properties = self.text(&self.values[at], "properties", false);
        let options = match self.draft.classes.options(class) {
            [] => None,
            _ => Some(self.text(&Expression::Object(self.draft.options(at)), "options", false)),
        };
        let after = options.as_ref().map_or(2, |options| options.inline().chars().count() + 4);
        properties.push(out, level, after);
        if let Some(options) = options {
            out.push_str(", ");
            options.push(out, level, 2);
        }
        out.push_str(");\n");
    }

    /// The text of an expression under a key. Recursion is bounded by the levels of properties.
    fn text(&mut self, expression: &Expression, key: &str, may_share: bool) -> Text {
        if may_share && let Some(raw) = self.shared.repeated(expression) {
            if let Some(name) = self.shared.name(&raw) {
                return Text::Word(name.to_owned());
            }
            let name = self.names.make(&camel_case(key));
            let value = self.text(expression, key, false);
            self.shared.declare(raw, &name, &value);
            return Text::Word(name);
        }
        match expression {
            Expression::List(items) => {
                Text::List(items.iter().map(|item| self.text(item, key, true)).collect())
            }
            Expression::Object(entries) => {
                let entry = |(key, value): &(String, Expression)| (key.clone(), self.text(value, key, true));
                Text::Object(entries.iter().map(entry).collect())
            }
            other => Text::Word(self.word(other)),
        }
    }

    /// An expression without parts that may have lines of their own.
    fn word(&self, expression: &Expression) -> String {
        match expression {
            Expression::Null => "null".to_owned(),
            Expression::Bool(flag) => flag.to_string(),
            Expression::Number(value) => number(value),
            Expression::Text(text) => quoted(text),
            Expression::Hidden(literal) => self.word(literal),
            Expression::Resource(at) => self.variables[*at].clone(),
            Expression::Output(at, token) => {
                let member = token.rsplit(':').next().unwrap_or_default();
                format!("{}.{member}", self.variables[*at])
            }
            Expression::Binary(left, operator, right) => {
                format!("{} {operator} {}", self.word(left), self.word(right))
            }
            Expression::Property(of, key) => format!("{}[{}]", self.word(of), self.word(key)),
            // Drafts of texts have no sized arrays, and lists and objects are not words.
            Expression::Sized(..) | Expression::List(_) | Expression::Object(_) => "null".to_owned(),
        }
    }
}
