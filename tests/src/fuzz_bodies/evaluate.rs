//! Every tree ends in a result, an exception or a limit.

use coconut_eval::{
    EvalError, EvalErrorKind, Evaluator, Limits, Options, Outcome, PackageList, Plan, Snapshot,
};
use coconut_format::{Package, Value};

/// Builds programs from the bytes, runs them twice, and plans their graphs.
///
/// # Panics
/// If two runs differ, or if a plan of a graph against itself changes a known value.
pub fn evaluate(data: &[u8]) {
    let mut packages = PackageList::new();
    let mut choices = Choices { data, nodes: 2_000 };
    for package in [choices.program(), resources(), intrinsics()] {
        packages.add(Package::from_value(package).expect("it is an object"));
    }
    let mut options = Options::default();
    options.limits = limits();
    let evaluator = Evaluator::new(&packages);
    let [one, other] = [(); 2].map(|()| evaluator.evaluate("p", &options));
    assert_eq!(seen(&one), seen(&other));
    let Ok(outcome) = one else { return };
    let graph = outcome.graph();
    let snapshot = Snapshot::from_value(&graph).expect("an evaluation gives a graph");
    let plan = Plan::between(&snapshot, &snapshot, &options);
    assert!(!plan.has_changes() || has_unknowns(&graph), "{:?}", plan.steps());
    let again = evaluator.plan("p", &options, &snapshot);
    if let Ok(plan) = again {
        // Ids and outputs are known in a plan, so the program may take other branches.
        assert!(plan.outcome().is_some());
    }
}

fn seen(outcome: &Result<Outcome, EvalError>) -> Result<(Value, Value, &str, u64), (String, usize)> {
    match outcome {
        Ok(outcome) => Ok((outcome.graph(), outcome.variables().clone(), outcome.log(), outcome.steps())),
        Err(error) => {
            assert!(!matches!(error.kind(), EvalErrorKind::NoDefaultModule), "{error}");
            Err((error.to_string(), error.trace().len()))
        }
    }
}

fn has_unknowns(graph: &Value) -> bool {
    let resources = graph.get("resources").and_then(Value::as_object).unwrap_or_default();
    // Strings of a program may equal those for unknown values.
    resources
        .iter()
        .any(|(_, resource)| resource.get("unknowns").is_some() || format!("{resource:?}").contains("-"))
}

/// Small enough for many runs a second.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.steps = 20_000;
    limits.call_depth = 40;
    limits.heap_bytes = 2 << 20;
    limits.text_bytes = 4_096;
    limits.array_items = 2_000;
    limits.object_properties = 200;
    limits.resources = 50;
    limits.output_bytes = 64 << 10;
    limits.value_depth = 60;
    limits
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn object(entries: Vec<(&str, Value)>) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn node(kind: &str, mut fields: Vec<(&str, Value)>) -> Value {
    fields.insert(0, ("kind", text(kind)));
    object(fields)
}

fn token(tok: &str) -> Value {
    node("Token", vec![("tok", text(tok))])
}

fn type_token(tok: &str) -> Value {
    node("TypeToken", vec![("tok", text(tok))])
}

fn identifier(name: &str) -> Value {
    node("Identifier", vec![("ident", text(name))])
}

fn package(name: &str, modules: Vec<(&str, Value)>, default: &str) -> Value {
    object(vec![
        ("name", text(name)),
        ("modules", object(modules)),
        ("aliases", object(vec![(".default", text(default))])),
    ])
}

fn module(name: &str, members: Vec<(&str, Value)>, exports: Vec<(&str, Value)>) -> Value {
    let exports = if exports.is_empty() { vec![] } else { vec![("exports", object(exports))] };
    let mut fields = vec![("name", identifier(name)), ("members", object(members))];
    fields.extend(exports);
    node("Module", fields)
}

/// The base class of resources.
fn resources() -> Value {
    let property = |name, ty| {
        node(
            "ClassProperty",
            vec![("name", identifier(name)), ("type", type_token(ty)), ("readonly", Value::Bool(true))],
        )
    };
    let members = vec![("id", property("id", "string")), ("urn", property("urn", "string"))];
    let class = node("Class", vec![("name", identifier("Resource")), ("members", object(members))]);
    package("lumi", vec![("resource", module("resource", vec![("Resource", class)], vec![]))], "resource")
}

/// The built-in functions of the language.
fn intrinsics() -> Value {
    let method = |name| node("ModuleMethod", vec![("name", identifier(name))]);
    let members = INTRINSICS.iter().map(|name| (*name, method(name))).collect();
    package("lumirt", vec![("index", module("index", members, vec![]))], "index")
}

const INTRINSICS: [&str; 10] = [
    "dynamicInvoke",
    "isFunction",
    "defaultIfComputed",
    "objectKeys",
    "printf",
    "toString",
    "sha1hash",
    "jsonStringify",
    "jsonParse",
    "serializeClosure",
];

const NAMES: [&str; 22] = [
    "x",
    "y",
    "f",
    "g",
    "C",
    "D",
    "E",
    "get",
    "name",
    "id",
    "urn",
    ".this",
    ".super",
    ".init",
    ".ctor",
    "length",
    "push",
    "pop",
    "split",
    "toLowerCase",
    "acc",
    "i",
];

const TOKENS: [&str; 40] = [
    "p:m:x",
    "p:m:f",
    "p:m:C",
    "p:m:C:x",
    "p:m:C:f",
    "p:m:C:get",
    "p:m:D",
    "p:m:D:acc",
    "p:m:E",
    "p:n:x",
    "p:n:E",
    "p:n:C",
    "p:n",
    "p:m",
    "p",
    "p:m:re",
    "p:n:re",
    "p:.default:x",
    "p:m:.init",
    "p:m:C:.ctor",
    "q:z:Z",
    "",
    "lumirt:index:dynamicInvoke",
    "lumirt:index:isFunction",
    "lumirt:index:defaultIfComputed",
    "lumirt:index:objectKeys",
    "lumirt:index:printf",
    "lumirt:index:toString",
    "lumirt:index:sha1hash",
    "lumirt:index:jsonStringify",
    "lumirt:index:jsonParse",
    "lumirt:index:serializeClosure",
    "lumi:resource:Resource",
    "lumirt:index",
    "p:m:C:name",
    "p:n:E:f",
    "p:m:g",
    "x",
    "::",
    "p:n:g",
];

const TYPES: [&str; 24] = [
    "p:m:C",
    "p:m:D",
    "p:m:E",
    "p:n:E",
    "p:n:C",
    "lumi:resource:Resource",
    "number",
    "string",
    "bool",
    "dynamic",
    "object",
    "any",
    "[]number",
    "[]dynamic",
    "*number",
    "map[string]number",
    "(number)string",
    "()",
    "q:z:Z",
    "null",
    "",
    "p:m:re",
    "[][]*p:m:C",
    "(p:m:C)p:n:E",
];

const BINARY: [&str; 30] = [
    "=", "+", "-", "*", "/", "%", "**", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&",
    "||", "+=", "-=", "*=", "%=", "<<=", "=", "=", "+", "=", "??",
];

const UNARY: [&str; 10] = ["++", "--", "+", "-", "!", "~", "*", "&", "&", "void"];

/// Choices taken from bytes. After the last byte, each choice is the first one.
struct Choices<'d> {
    data: &'d [u8],
    /// The number of nodes that may still be created.
    nodes: usize,
}

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        let Some((&first, rest)) = self.data.split_first() else { return 0 };
        self.data = rest;
        usize::from(first) % count
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    /// Rarely returns `false`: then a field is omitted.
    fn mostly(&mut self) -> bool {
        self.below(64) != 63
    }

    fn program(&mut self) -> Value {
        let main = self.method("ModuleMethod", ".main", 0);
        let init = self.method("ModuleMethod", ".init", 0);
        let mut first = vec![(".main", main), (".init", init)];
        for name in ["f", "g"] {
            let count = self.below(3);
            first.push((name, self.method("ModuleMethod", name, count)));
        }
        first.push(("x", self.variable("ModuleProperty", "x")));
        for name in ["C", "D", "E"] {
            first.push((name, self.class(name)));
        }
        let mut second = vec![("x", self.variable("ModuleProperty", "x"))];
        if self.below(2) == 1 {
            second.push((".init", self.method("ModuleMethod", ".init", 0)));
        }
        for name in ["E", "C"] {
            second.push((name, self.class(name)));
        }
        let exports: Vec<(&str, Value)> = ["re", "g"].map(|name| (name, self.export())).into();
        let modules =
            vec![("m", module("m", first, vec![("re", self.export())])), ("n", module("n", second, exports))];
        package("p", modules, "m")
    }

    fn export(&mut self) -> Value {
        let referent = self.of(&TOKENS);
        node("Export", vec![("name", identifier("re")), ("referent", token(referent))])
    }

    fn variable(&mut self, kind: &str, name: &str) -> Value {
        let mut fields = vec![("name", identifier(name)), ("type", type_token(self.of(&TYPES)))];
        match self.below(5) {
            0 => fields.push(("default", Value::Integer(3i64.into()))),
            1 => fields.push(("default", text("s"))),
            2 => fields.push(("readonly", Value::Bool(true))),
            _ => {}
        }
        node(kind, fields)
    }

    fn class(&mut self, name: &str) -> Value {
        let mut fields = vec![("name", identifier(name))];
        match self.below(4) {
            0 => {}
            1 => fields.push(("extends", type_token("lumi:resource:Resource"))),
            _ => fields.push(("extends", type_token(self.of(&TYPES)))),
        }
        if self.below(3) == 0 {
            let count = 1 + self.below(3);
            let interfaces = (0..count).map(|_| type_token(self.of(&TYPES))).collect();
            fields.push(("implements", Value::List(interfaces)));
        }
        if self.below(4) == 0 {
            fields.push(("record", Value::Bool(true)));
        }
        let mut members = Vec::new();
        for name in ["x", "f", "get", "acc", ".ctor", ".init", "name"] {
            let is_static = self.below(3) == 1;
            let member = match (self.below(5), name) {
                (0, _) => continue,
                (_, "acc") => {
                    let mut fields = vec![("name", identifier(name)), ("type", type_token("dynamic"))];
                    if self.mostly() {
                        fields.push(("getter", self.method("ClassMethod", "acc", 0)));
                    }
                    if self.below(2) == 0 {
                        fields.push(("setter", self.method("ClassMethod", "acc", 1)));
                    }
                    node("ClassProperty", fields)
                }
                (_, "f" | "get" | ".ctor" | ".init") => {
                    let count = if name == "get" { 1 } else { self.below(2) };
                    self.method("ClassMethod", name, count)
                }
                _ => self.variable("ClassProperty", name),
            };
            let Value::Object(mut entries) = member else { continue };
            if is_static || name == ".init" {
                entries.push(("static".to_owned(), Value::Bool(true)));
            }
            if self.below(3) == 0 {
                entries.push(("primary".to_owned(), Value::Bool(true)));
            }
            members.push((name, Value::Object(entries)));
        }
        fields.push(("members", object(members)));
        node("Class", fields)
    }

    fn method(&mut self, kind: &str, name: &str, parameters: usize) -> Value {
        let names = ["x", "y"];
        let parameters =
            names.iter().take(parameters).map(|name| self.variable("LocalVariable", name)).collect();
        let mut fields = vec![("name", identifier(name)), ("parameters", Value::List(parameters))];
        if self.mostly() {
            fields.push(("body", self.block(0)));
        }
        node(kind, fields)
    }

    fn block(&mut self, depth: usize) -> Value {
        let count = if self.data.is_empty() { 0 } else { 1 + self.below(4) };
        let statements = (0..count).map(|_| self.guarded(depth + 1)).collect();
        let kind = if self.below(6) == 5 { "MultiStatement" } else { "Block" };
        node(kind, vec![("statements", Value::List(statements))])
    }

    /// A statement whose exceptions are usually handled, since most statements throw.
    fn guarded(&mut self, depth: usize) -> Value {
        let is_open = self.below(8) == 0;
        let statement = self.statement(depth);
        if is_open {
            return statement;
        }
        let block = |statements| node("Block", vec![("statements", Value::List(statements))]);
        let clause = node("TryCatchClause", vec![("body", block(vec![]))]);
        let clauses = Value::List(vec![clause]);
        node("TryCatchFinally", vec![("tryClause", block(vec![statement])), ("catchClauses", clauses)])
    }

    fn spent(&mut self, depth: usize) -> bool {
        self.nodes = self.nodes.saturating_sub(1);
        self.nodes == 0 || depth > 24 || self.data.is_empty()
    }

    fn statement(&mut self, depth: usize) -> Value {
        if self.spent(depth) {
            return node("EmptyStatement", vec![]);
        }
        let mut fields = Vec::new();
        let kind = match self.below(20) {
            0..=5 => {
                fields.push(("expression", self.expression(depth)));
                "ExpressionStatement"
            }
            6 | 7 => {
                let name = self.of(&NAMES);
                let local = self.variable("LocalVariable", name);
                fields.push(("local", local));
                "LocalVariableDeclaration"
            }
            8 => {
                fields.push(("condition", self.expression(depth)));
                fields.push(("consequent", self.block(depth)));
                if self.below(2) == 0 {
                    fields.push(("alternate", self.statement(depth + 1)));
                }
                "IfStatement"
            }
            9 => {
                if self.below(3) > 0 {
                    fields.push(("condition", self.expression(depth)));
                }
                fields.push(("body", self.block(depth)));
                "WhileStatement"
            }
            10 => {
                fields.push(("init", self.statement(depth + 1)));
                if self.below(3) > 0 {
                    fields.push(("condition", self.expression(depth)));
                }
                fields.push(("body", self.statement(depth + 1)));
                fields.push(("post", self.statement(depth + 1)));
                "ForStatement"
            }
            11 => {
                fields.push(("expression", self.expression(depth)));
                let count = self.below(4);
                let cases = (0..count).map(|_| self.case(depth)).collect();
                fields.push(("cases", Value::List(cases)));
                "SwitchStatement"
            }
            12 => {
                fields.push(("label", identifier(self.of(&NAMES[..3]))));
                fields.push(("statement", self.statement(depth + 1)));
                "LabeledStatement"
            }
            13 | 14 => {
                if self.below(2) == 0 {
                    fields.push(("label", identifier(self.of(&NAMES[..3]))));
                }
                if self.below(2) == 0 { "BreakStatement" } else { "ContinueStatement" }
            }
            15 => {
                if self.mostly() {
                    fields.push(("expression", self.expression(depth)));
                }
                "ReturnStatement"
            }
            16 => {
                fields.push(("expression", self.expression(depth)));
                "ThrowStatement"
            }
            17 | 18 => {
                fields.push(("tryClause", self.block(depth)));
                let count = self.below(3);
                let clauses = (0..count).map(|_| self.clause(depth)).collect();
                fields.push(("catchClauses", Value::List(clauses)));
                if self.below(2) == 0 {
                    fields.push(("finallyClause", self.block(depth)));
                }
                "TryCatchFinally"
            }
            _ => {
                fields.push(("referent", token(self.of(&TOKENS))));
                if self.below(2) == 0 {
                    fields.push(("name", identifier(self.of(&NAMES))));
                }
                "Import"
            }
        };
        self.damage(&mut fields);
        node(kind, fields)
    }

    /// Rarely omits a field.
    fn damage(&mut self, fields: &mut Vec<(&str, Value)>) {
        if !self.mostly() && !fields.is_empty() {
            let at = self.below(fields.len());
            fields.remove(at);
        }
    }

    fn case(&mut self, depth: usize) -> Value {
        let mut fields = Vec::new();
        if self.below(4) > 0 {
            fields.push(("clause", self.expression(depth + 1)));
        }
        fields.push(("consequent", self.block(depth)));
        node("SwitchCase", fields)
    }

    fn clause(&mut self, depth: usize) -> Value {
        let mut fields = Vec::new();
        if self.below(4) > 0 {
            let name = self.of(&NAMES);
            fields.push(("exception", self.variable("LocalVariable", name)));
        }
        fields.push(("body", self.block(depth)));
        node("TryCatchClause", fields)
    }

    fn load(&mut self, depth: usize) -> Value {
        let mut fields = Vec::new();
        match self.below(8) {
            0 | 1 => {
                fields.push(("name", token(self.of(&NAMES))));
                node("LoadLocationExpression", fields)
            }
            2 | 3 => {
                fields.push(("name", token(self.of(&TOKENS))));
                node("LoadLocationExpression", fields)
            }
            4 => {
                let object = match self.below(3) {
                    0 => node("LoadLocationExpression", vec![("name", token(".super"))]),
                    1 => node("LoadLocationExpression", vec![("name", token(".this"))]),
                    _ => self.expression(depth + 1),
                };
                let name = if self.below(2) == 0 { self.of(&NAMES) } else { self.of(&TOKENS) };
                fields.extend([("object", object), ("name", token(name))]);
                node("LoadLocationExpression", fields)
            }
            kind => {
                if self.below(2) == 0 {
                    fields.push(("object", self.expression(depth + 1)));
                }
                let name = match self.below(3) {
                    0 => self.expression(depth + 1),
                    _ => node("StringLiteral", vec![("value", text(self.of(&NAMES)))]),
                };
                fields.push(("name", name));
                self.damage(&mut fields);
                node(if kind < 7 { "LoadDynamicExpression" } else { "TryLoadDynamicExpression" }, fields)
            }
        }
    }

    fn arguments(&mut self, depth: usize) -> Value {
        let count = self.below(4);
        let argument = |choices: &mut Self| {
            let mut fields = vec![("expr", choices.expression(depth + 1))];
            if choices.below(8) == 0 {
                fields.push(("name", identifier(choices.of(&NAMES))));
            }
            node("CallArgument", fields)
        };
        Value::List((0..count).map(|_| argument(self)).collect())
    }

    fn expression(&mut self, depth: usize) -> Value {
        if self.spent(depth) {
            return node("NullLiteral", vec![]);
        }
        let mut fields = Vec::new();
        let kind = match self.below(32) {
            0..=5 => return self.load(depth),
            6 => {
                let number = [0.0, 1.0, -1.0, 2.5, 1e300, 70.0, 4e9, -0.0][self.below(8)];
                fields.push(("value", Value::Float(number)));
                "NumberLiteral"
            }
            7 => {
                fields.push(("value", Value::Bool(self.below(2) == 0)));
                "BoolLiteral"
            }
            8 | 9 => {
                fields.push(("value", text(self.of(&NAMES))));
                "StringLiteral"
            }
            10 => "NullLiteral",
            11 => {
                match self.below(4) {
                    0 => fields.push(("size", self.expression(depth + 1))),
                    count => {
                        let elements = (0..count).map(|_| self.expression(depth + 1)).collect();
                        fields.push(("elements", Value::List(elements)));
                    }
                }
                fields.push(("elemType", type_token(self.of(&TYPES))));
                "ArrayLiteral"
            }
            12 | 13 => {
                let count = self.below(4);
                let properties = (0..count).map(|_| self.property(depth)).collect();
                fields.push(("properties", Value::List(properties)));
                if self.below(2) == 0 {
                    fields.push(("type", type_token(self.of(&TYPES))));
                }
                "ObjectLiteral"
            }
            14..=16 => {
                fields.push(("type", type_token(self.of(&TYPES))));
                fields.push(("arguments", self.arguments(depth)));
                "NewExpression"
            }
            17..=20 => {
                let function =
                    if self.below(4) > 0 { self.load(depth + 1) } else { self.expression(depth + 1) };
                fields.push(("function", function));
                fields.push(("arguments", self.arguments(depth)));
                "InvokeFunctionExpression"
            }
            21 => {
                let count = self.below(3);
                let names = ["x", "i"];
                let parameters =
                    names.iter().take(count).map(|name| self.variable("LocalVariable", name)).collect();
                fields.push(("parameters", Value::List(parameters)));
                fields.push(("body", self.block(depth)));
                fields.push(("sourceText", text("() => 1")));
                "LambdaExpression"
            }
            22 | 23 => {
                let operand =
                    if self.below(3) > 0 { self.load(depth + 1) } else { self.expression(depth + 1) };
                fields.push(("operator", text(self.of(&UNARY))));
                fields.push(("operand", operand));
                fields.push(("postfix", Value::Bool(self.below(2) == 0)));
                "UnaryOperatorExpression"
            }
            24..=27 => {
                let left = if self.below(3) > 0 { self.load(depth + 1) } else { self.expression(depth + 1) };
                fields.push(("left", left));
                fields.push(("operator", text(self.of(&BINARY))));
                fields.push(("right", self.expression(depth + 1)));
                "BinaryOperatorExpression"
            }
            28 => {
                fields.push(("expression", self.expression(depth + 1)));
                fields.push(("type", type_token(self.of(&TYPES))));
                if self.below(2) == 0 { "CastExpression" } else { "IsInstExpression" }
            }
            29 => {
                fields.push(("expression", self.expression(depth + 1)));
                "TypeOfExpression"
            }
            30 => {
                fields.push(("condition", self.expression(depth + 1)));
                fields.push(("consequent", self.expression(depth + 1)));
                fields.push(("alternate", self.expression(depth + 1)));
                "ConditionalExpression"
            }
            _ => {
                let count = self.below(3);
                let prelude = (0..count).map(|_| self.statement(depth + 1)).collect();
                fields.push(("prelude", Value::List(prelude)));
                fields.push(("value", self.expression(depth + 1)));
                "SequenceExpression"
            }
        };
        self.damage(&mut fields);
        node(kind, fields)
    }

    fn property(&mut self, depth: usize) -> Value {
        let value = ("value", self.expression(depth + 1));
        match self.below(4) {
            0 => {
                let key = self.expression(depth + 1);
                node("ObjectLiteralComputedProperty", vec![("property", key), value])
            }
            _ => node("ObjectLiteralNamedProperty", vec![("property", token(self.of(&NAMES))), value]),
        }
    }
}
