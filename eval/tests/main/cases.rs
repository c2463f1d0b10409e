//! Small programs, some of them hostile.

use coconut_eval::{
    EvalError, EvalErrorKind, Evaluator, Limit, Options, Outcome, PackageList, PackageSource, Packages,
};
use coconut_eval::{Operation, Plan, Snapshot, SourceError};
use coconut_format::{Package, Value};
use std::rc::Rc;

pub(crate) fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

pub(crate) fn object(entries: Vec<(&str, Value)>) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

pub(crate) fn node(kind: &str, fields: Vec<(&str, Value)>) -> Value {
    object([vec![("kind", text(kind))], fields].concat())
}

pub(crate) fn token(tok: &str) -> Value {
    node("Token", vec![("tok", text(tok))])
}

pub(crate) fn of_type(tok: &str) -> Value {
    node("TypeToken", vec![("tok", text(tok))])
}

pub(crate) fn name(ident: &str) -> (&'static str, Value) {
    ("name", node("Identifier", vec![("ident", text(ident))]))
}

pub(crate) fn string(value: &str) -> Value {
    node("StringLiteral", vec![("value", text(value))])
}

pub(crate) fn number(value: f64) -> Value {
    node("NumberLiteral", vec![("value", Value::Float(value))])
}

pub(crate) fn load(tok: &str) -> Value {
    node("LoadLocationExpression", vec![("name", token(tok))])
}

pub(crate) fn member(of: Value, name: &str) -> Value {
    node("LoadLocationExpression", vec![("object", of), ("name", token(name))])
}

pub(crate) fn call(function: Value, arguments: Vec<Value>) -> Value {
    let arguments =
        arguments.into_iter().map(|argument| node("CallArgument", vec![("expr", argument)])).collect();
    node("InvokeFunctionExpression", vec![("function", function), ("arguments", Value::List(arguments))])
}

pub(crate) fn new(ty: &str) -> Value {
    node("NewExpression", vec![("type", of_type(ty))])
}

pub(crate) fn array(elements: Vec<Value>) -> Value {
    node("ArrayLiteral", vec![("elements", Value::List(elements)), ("elemType", of_type("dynamic"))])
}

pub(crate) fn binary(left: Value, operator: &str, right: Value) -> Value {
    node("BinaryOperatorExpression", vec![("left", left), ("operator", text(operator)), ("right", right)])
}

pub(crate) fn expression(expression: Value) -> Value {
    node("ExpressionStatement", vec![("expression", expression)])
}

pub(crate) fn assign(left: Value, right: Value) -> Value {
    expression(binary(left, "=", right))
}

pub(crate) fn local(variable: &str) -> Value {
    let local = node("LocalVariable", vec![name(variable), ("type", of_type("dynamic"))]);
    node("LocalVariableDeclaration", vec![("local", local)])
}

pub(crate) fn returned(value: Value) -> Value {
    node("ReturnStatement", vec![("expression", value)])
}

pub(crate) fn block(statements: Vec<Value>) -> Value {
    node("Block", vec![("statements", Value::List(statements))])
}

pub(crate) fn lambda(statements: Vec<Value>) -> Value {
    node("LambdaExpression", vec![("body", block(statements))])
}

fn forever(statements: Vec<Value>) -> Value {
    node("WhileStatement", vec![("body", block(statements))])
}

pub(crate) fn function(statements: Vec<Value>) -> Value {
    node("ModuleMethod", vec![name("f"), ("body", block(statements))])
}

pub(crate) fn method(statements: Vec<Value>) -> Value {
    node("ClassMethod", vec![name("f"), ("body", block(statements))])
}

pub(crate) fn class(fields: Vec<(&str, Value)>, members: Vec<(&str, Value)>) -> Value {
    node("Class", [vec![name("C"), ("members", object(members))], fields].concat())
}

pub(crate) fn property(ty: &str) -> Value {
    node("ClassProperty", vec![name("x"), ("type", of_type(ty))])
}

pub(crate) fn package(name: &str, modules: Vec<(&str, Vec<(&str, Value)>)>) -> Package {
    let modules = modules
        .into_iter()
        .map(|(module, members)| (module, node("Module", vec![("members", object(members))])));
    let aliases = object(vec![(".default", text("m"))]);
    let package =
        object(vec![("name", text(name)), ("modules", object(modules.collect())), ("aliases", aliases)]);
    Package::from_value(package).expect("a package")
}

/// Runs `.main` of a module with these members, with the base class of resources and the built-in
/// functions.
pub(crate) fn run(main: Vec<Value>, members: Vec<(&str, Value)>) -> Result<Outcome, EvalError> {
    let mut packages = PackageList::new();
    packages.add(package("p", vec![("m", [vec![(".main", function(main))], members].concat())]));
    let resource = class(vec![], vec![("id", property("string")), ("urn", property("string"))]);
    packages.add(package("lumi", vec![("resource", vec![("Resource", resource)])]));
    let intrinsics =
        ["dynamicInvoke", "jsonStringify", "objectKeys", "sha1hash", "serializeClosure", "defaultIfComputed"]
            .map(|name| (name, function(vec![])));
    packages.add(package("lumirt", vec![("index", intrinsics.into())]));
    let mut options = Options::default();
    (options.limits.steps, options.limits.heap_bytes) = (20_000_000, 64 << 20);
    Evaluator::new(&packages).evaluate("p", &options)
}

#[track_caller]
fn result(main: Vec<Value>, members: Vec<(&str, Value)>) -> Value {
    let outcome = run(main, members).unwrap_or_else(|error| panic!("{error}\n{:?}", error.trace()));
    outcome.result().clone()
}

#[track_caller]
fn limit(main: Vec<Value>, members: Vec<(&str, Value)>) -> Limit {
    match run(main, members).expect_err("a limit").kind() {
        EvalErrorKind::Limit { limit, .. } => *limit,
        other => panic!("{other:?}"),
    }
}

fn integer(value: i64) -> Value {
    Value::Integer(value.into())
}

#[test]
fn an_assignment_to_a_member_of_super_has_one_value() {
    let sum = binary(number(1.0), "+", binary(member(load(".super"), "x"), "=", number(2.0)));
    let derived = class(vec![("extends", of_type("p:m:B"))], vec![("f", method(vec![returned(sum)]))]);
    let members = vec![("B", class(vec![], vec![("x", property("number"))])), ("D", derived)];
    assert_eq!(result(vec![returned(call(member(new("p:m:D"), "f"), vec![]))], members), integer(3));
}

#[test]
fn a_lambda_finds_members_of_super() {
    let inner = lambda(vec![returned(call(member(load(".super"), "g"), vec![]))]);
    let body = vec![returned(call(lambda(vec![returned(call(inner, vec![]))]), vec![]))];
    let derived = class(vec![("extends", of_type("p:m:B"))], vec![("f", method(body))]);
    let base = class(vec![], vec![("g", method(vec![returned(number(7.0))]))]);
    let main = vec![returned(call(member(new("p:m:D"), "f"), vec![]))];
    assert_eq!(result(main, vec![("B", base), ("D", derived)]), integer(7));
}

#[test]
fn the_result_of_a_getter_can_be_called() {
    let getter = method(vec![returned(lambda(vec![returned(number(5.0))]))]);
    let accessor = node("ClassProperty", vec![name("x"), ("type", of_type("dynamic")), ("getter", getter)]);
    let main = vec![returned(call(member(new("p:m:C"), "x"), vec![]))];
    assert_eq!(result(main, vec![("C", class(vec![], vec![("x", accessor)]))]), integer(5));
}

#[test]
fn a_function_that_invokes_itself_by_an_endless_list_ends_at_a_limit() {
    let invoke = || load("lumirt:index:dynamicInvoke");
    let main = vec![
        local("a"),
        assign(load("a"), array(vec![invoke(), node("NullLiteral", vec![]), number(0.0)])),
        assign(node("LoadDynamicExpression", vec![("object", load("a")), ("name", number(2.0))]), load("a")),
        expression(call(invoke(), vec![invoke(), node("NullLiteral", vec![]), load("a")])),
    ];
    assert_eq!(limit(main, vec![]), Limit::Steps);
}

#[test]
fn endless_recursion_and_endless_loops_end_at_limits() {
    let again = || vec![expression(call(load("p:m:f"), vec![]))];
    assert_eq!(limit(again(), vec![("f", function(again()))]), Limit::CallDepth);
    assert_eq!(limit(vec![forever(vec![])], vec![]), Limit::Steps);
    let grows = |left: Value, right: Value| {
        vec![local("a"), assign(load("a"), left), forever(vec![assign(load("a"), right)])]
    };
    assert_eq!(limit(grows(string("ab"), binary(load("a"), "+", load("a"))), vec![]), Limit::Text);
    assert_eq!(limit(grows(array(vec![]), array(vec![load("a")])), vec![]), Limit::Heap);
    // The type of a pointer to a pointer gets longer each time.
    let address = node("UnaryOperatorExpression", vec![("operator", text("&")), ("operand", load("a"))]);
    assert_eq!(limit(grows(number(0.0), address), vec![]), Limit::Heap);
}

#[test]
fn values_that_share_parts_are_written_within_the_limit() {
    let mut main = vec![local("a"), assign(load("a"), array(vec![]))];
    main.extend((0..100).map(|_| assign(load("a"), array(vec![load("a"), load("a")]))));
    let mut shown = main.clone();
    shown.push(returned(load("a")));
    assert!(matches!(result(shown, vec![]), Value::Object(_)));
    let mut written = main.clone();
    written.push(expression(call(load("lumirt:index:jsonStringify"), vec![load("a")])));
    assert_eq!(limit(written, vec![]), Limit::Text);
    let constructor = method([main, vec![assign(member(load(".this"), "x"), load("a"))]].concat());
    let members = vec![("x", property("dynamic")), (".ctor", constructor)];
    let resource = class(vec![("extends", of_type("lumi:resource:Resource"))], members);
    assert_eq!(limit(vec![expression(new("p:m:R"))], vec![("R", resource)]), Limit::Heap);
}

#[test]
fn long_chains_of_classes_are_refused() {
    let names: Vec<String> = (0..10_000).map(|at| format!("C{at}")).collect();
    for key in ["extends", "implements"] {
        let next = |at: usize| of_type(&format!("p:m:C{}", at + 1));
        let link = |at: usize| if key == "extends" { next(at) } else { Value::List(vec![next(at)]) };
        let classes =
            names.iter().enumerate().map(|(at, name)| (name.as_str(), class(vec![(key, link(at))], vec![])));
        let error = run(vec![expression(new("p:m:C0"))], classes.collect()).expect_err("too many");
        assert!(error.to_string().contains("too many"), "{error}");
    }
    for (base, own) in [("p:m:D", "p:m:C"), ("p:m:C", "p:m:D")] {
        let classes = vec![
            ("C", class(vec![("extends", of_type(base))], vec![])),
            ("D", class(vec![("extends", of_type(own))], vec![])),
        ];
        assert_eq!(run(vec![expression(new("p:m:C"))], classes).expect_err("a circle").code(), "EVL-THROWN");
    }
}

#[test]
fn circles_of_modules_and_interfaces_end() {
    let import = |tok: &str| function(vec![node("Import", vec![("referent", token(tok))])]);
    let mut packages = PackageList::new();
    let interfaces = vec![("implements", Value::List(vec![of_type("p:n:D")]))];
    let first = vec![
        (".init", import("p:n")),
        (".main", function(vec![expression(new("p:m:C"))])),
        ("C", class(interfaces, vec![])),
    ];
    let second = vec![(".init", import("p:m")), ("D", class(vec![("extends", of_type("p:m:C"))], vec![]))];
    packages.add(package("p", vec![("m", first), ("n", second)]));
    assert!(Evaluator::new(&packages).evaluate("p", &Options::default()).is_ok());
}

#[test]
fn resources_need_names_of_their_own_and_properties_that_a_graph_can_have() {
    let resource = |value: Value| {
        let body = vec![assign(member(load(".this"), "name"), value)];
        let members = vec![("name", property("dynamic")), (".ctor", method(body))];
        class(vec![("extends", of_type("lumi:resource:Resource"))], members)
    };
    let twice = vec![expression(new("p:m:R")), expression(new("p:m:R"))];
    let error = run(twice, vec![("R", resource(string("a")))]).expect_err("two names");
    assert_eq!((error.code(), error.to_string().contains("::p:m:R::a")), ("EVL-URN", true), "{error}");
    let error =
        run(vec![expression(new("p:m:R"))], vec![("R", resource(load("p:m")))]).expect_err("a module");
    assert_eq!(error.code(), "EVL-RESOURCE", "{error}");
}

#[test]
fn a_package_that_cannot_be_read_is_named() {
    struct Broken(Package);
    impl Packages for Broken {
        fn package(&self, name: &str) -> Result<Option<Rc<dyn PackageSource + '_>>, SourceError> {
            if name == "p" { Ok(Some(Rc::new(self.0.clone()))) } else { Err("it is damaged".into()) }
        }
    }
    let main = function(vec![expression(load("other:m:x"))]);
    let packages = Broken(package("p", vec![("m", vec![(".main", main)])]));
    let error = Evaluator::new(&packages).evaluate("p", &Options::default()).expect_err("damage");
    assert_eq!(error.code(), "EVL-PACKAGE");
    assert_eq!(error.to_string(), "package `other` cannot be read: it is damaged");
}

#[test]
fn a_graph_may_refer_to_a_resource_that_comes_later() {
    let reference = |urn: &str| object(vec![("#ref", text(urn))]);
    let resource = |x: Value| object(vec![("type", text("T")), ("properties", object(vec![("x", x)]))]);
    let graph = object(vec![(
        "resources",
        object(vec![
            ("a", resource(reference("b"))),
            ("b", resource(Value::Bool(true))),
            ("c", resource(reference("b"))),
        ]),
    )]);
    let snapshot = Snapshot::from_value(&graph).expect("a snapshot");
    let plan = Plan::between(&snapshot, &snapshot, &Options::default());
    assert_eq!(plan.count(Operation::Same), 3, "{:?}", plan.steps());
}
