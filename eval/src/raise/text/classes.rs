//! Classes of a raised program: their names in its modules, imports, and the text of its own ones.

use super::super::draft::Draft;
use super::super::stub::option_of;
use crate::script::{Identifiers, is_identifier, pascal_case, quoted};
use coconut_format::names::{Primitive, TypeToken};
use std::collections::HashMap;
use std::fmt::Write as _;

impl Draft<'_> {
    /// Whether a class is in this module of the program.
    pub(super) fn is_in(&self, class: usize, module: &str) -> bool {
        let (package, of, _) = self.classes.place(class);
        package == self.home.package && of == module
    }

    /// The names of all classes in the main module, by number.
    pub(super) fn class_names(&self, names: &mut Identifiers) -> HashMap<usize, String> {
        let mut found = HashMap::new();
        // The classes of the module have their own names. Others may get another one.
        let (own, imported): (Vec<usize>, Vec<usize>) =
            (0..self.classes.len()).partition(|class| self.is_in(*class, "index"));
        for class in own.into_iter().chain(imported) {
            let (_, module, name) = self.classes.place(class);
            let name = match names.is_free(name) {
                true => names.make(name),
                false => {
                    let around = module.rsplit('/').find(|part| !part.eq_ignore_ascii_case(name));
                    names.make(&format!("{}{name}", pascal_case(around.unwrap_or_default())))
                }
            };
            found.insert(class, name);
        }
        found
    }

    /// The imports of the main module: classes of resources, and the base of its own classes.
    pub(super) fn imports(&self, names: &HashMap<usize, String>) -> String {
        let mut used: Vec<usize> = self.resources.iter().map(|resource| resource.class).collect();
        if used.iter().any(|class| self.is_in(*class, "index")) {
            used.insert(0, 0);
        }
        let mut lines: Vec<(String, Vec<String>)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for class in used {
            if !seen.insert(class) || self.is_in(class, "index") {
                continue;
            }
            let (_, _, name) = self.classes.place(class);
            let alias = &names[&class];
            let import = if name == alias { name.to_owned() } else { format!("{name} as {alias}") };
            let specifier = self.specifier(class, "index");
            match lines.iter_mut().find(|(known, _)| *known == specifier) {
                Some((_, imports)) => imports.push(import),
                None => lines.push((specifier, vec![import])),
            }
        }
        let mut text = String::new();
        for (specifier, imports) in lines {
            let line = format!("import {{ {} }} from {};\n", imports.join(", "), quoted(&specifier));
            match line.len() <= 101 {
                true => text.push_str(&line),
                false => {
                    let list = imports.join(",\n    ");
                    let _ = writeln!(text, "import {{\n    {list},\n}} from {};", quoted(&specifier));
                }
            }
        }
        text
    }

    /// The specifier by which a module of the program names the module of a class.
    fn specifier(&self, class: usize, from: &str) -> String {
        let (package, module, _) = self.classes.place(class);
        match package == self.home.package {
            true => match from.matches('/').count() {
                0 => format!("./{module}"),
                up => format!("{}{module}", "../".repeat(up)),
            },
            false => format!("{package}/{module}"),
        }
    }

    /// The modules of the program that have only classes: paths and texts.
    pub(super) fn class_modules(&self) -> Vec<(String, String)> {
        let mut modules: Vec<(String, String)> = Vec::new();
        for class in 0..self.classes.len() {
            let (package, module, _) = self.classes.place(class);
            if package != self.home.package || module == "index" {
                continue;
            }
            let path = format!("{module}.ts");
            let base = self.classes.place(0).2;
            let text = self.class_text(class, base);
            match modules.iter_mut().find(|(known, _)| *known == path) {
                Some((_, module)) => {
                    module.push('\n');
                    module.push_str(&text);
                }
                None if self.is_in(0, module) => modules.push((path, text)),
                None => {
                    let import = quoted(&self.specifier(0, module));
                    modules.push((path, format!("import {{ {base} }} from {import};\n\n{text}")));
                }
            }
        }
        modules
    }

    /// The declaration of a class. `base` is the name of the base class in the module.
    pub(super) fn class_text(&self, class: usize, base: &str) -> String {
        let shape = self.classes.shape(class);
        let (_, _, name) = self.classes.place(class);
        let mut text = match class {
            0 => format!("export class {name} {{\n"),
            _ => format!("export class {name} extends {base} {{\n"),
        };
        let properties = || shape.properties.iter().filter(|name| !shape.is_of_base(name));
        for key in shape.places() {
            let _ = writeln!(text, "    #{}: any;", option_of(key));
        }
        if class == 0 {
            text.push_str("    public id: string;\n    public urn: string;\n");
        }
        for name in properties().filter(|name| is_identifier(name)) {
            let _ = writeln!(text, "    public {name}: any;");
        }
        for (ty, name) in &shape.outputs {
            let ty = TypeToken::parse(ty).map_or_else(|_| "any".to_owned(), |ty| type_text(&ty));
            let _ = writeln!(text, "    public {name}: {ty};");
        }
        let parameters = match (self.classes.takes_arguments(class), shape.options.is_empty()) {
            (false, _) => "",
            (true, true) => "name: string, args: any",
            (true, false) => "name: string, args: any, options: any",
        };
        let _ = writeln!(text, "    constructor({parameters}) {{");
        if class > 0 {
            let arguments = match (self.classes.takes_arguments(0), self.classes.options(0)) {
                (false, _) => "",
                (true, []) => "name, {}",
                (true, _) => "name, {}, {}",
            };
            let _ = writeln!(text, "        super({arguments});");
        }
        if shape.keeps_names {
            text.push_str("        this.#name = name;\n");
        }
        for name in shape.options.iter().map(|key| option_of(key)) {
            let _ = writeln!(text, "        this.#{name} = options.{name};");
        }
        for name in &shape.properties {
            let access = match is_identifier(name) {
                true => format!(".{name}"),
                false => format!("[{}]", quoted(name)),
            };
            let _ = writeln!(text, "        this{access} = args{access};");
        }
        text.push_str("    }\n}\n");
        text
    }
}

/// The annotation for a type.
fn type_text(ty: &TypeToken) -> String {
    match ty {
        TypeToken::Primitive(Primitive::String) => "string".to_owned(),
        TypeToken::Primitive(Primitive::Number) => "number".to_owned(),
        TypeToken::Primitive(Primitive::Bool) => "boolean".to_owned(),
        TypeToken::Array(element) => format!("{}[]", type_text(element)),
        TypeToken::Map(key, value) => format!("Map<{}, {}>", type_text(key), type_text(value)),
        _ => "any".to_owned(),
    }
}
