//! Values that are computed from unknown ones, where a program needs to know them (§19.5).

use crate::cases::{
    array, assign, binary, call, class, expression, lambda, load, local, member, method, new, node, number,
    of_type, property, returned, run, string, text, token,
};
use coconut_eval::Outcome;
use coconut_format::Value;

fn dynamic(of: Value, key: Value) -> Value {
    node("TryLoadDynamicExpression", vec![("object", of), ("name", key)])
}

fn intrinsic(name: &str, argument: Value) -> Value {
    call(load(&format!("lumirt:index:{name}")), vec![argument])
}

fn map(entries: Vec<(&str, Value)>) -> Value {
    let entry = |(key, value): (&str, Value)| {
        node("ObjectLiteralNamedProperty", vec![("property", token(key)), ("value", value)])
    };
    let properties = entries.into_iter().map(entry).collect();
    node("ObjectLiteral", vec![("type", of_type("dynamic")), ("properties", Value::List(properties))])
}

fn when(condition: Value, then: Value, otherwise: Value) -> Value {
    let fields = vec![("condition", condition), ("consequent", then), ("alternate", otherwise)];
    node("ConditionalExpression", fields)
}

fn thrown(value: Value) -> Value {
    node("ThrowStatement", vec![("expression", value)])
}

fn given(condition: Value, then: Value) -> Value {
    node("IfStatement", vec![("condition", condition), ("consequent", then)])
}

/// Runs statements with `r`, a resource whose `out` is unknown, and a class `N` of named resources
/// that refuses a name that is null.
fn outcome(statements: Vec<Value>) -> Result<Outcome, coconut_eval::EvalError> {
    let resource = class(
        vec![("extends", of_type("lumi:resource:Resource"))],
        vec![("out", property("string")), ("size", property("number"))],
    );
    let parameter = node(
        "LocalVariable",
        vec![("name", node("Identifier", vec![("ident", text("n"))])), ("type", of_type("dynamic"))],
    );
    let body = vec![
        given(binary(load("n"), "==", node("NullLiteral", vec![])), thrown(string("no name"))),
        assign(member(load(".this"), "name"), load("n")),
        assign(member(load(".this"), "text"), load("n")),
    ];
    let Value::Object(mut constructor) = method(body) else { unreachable!("a node") };
    constructor.push(("parameters".to_owned(), Value::List(vec![parameter])));
    let members = vec![
        ("name", property("dynamic")),
        ("text", property("dynamic")),
        (".ctor", Value::Object(constructor)),
    ];
    let named = class(vec![("extends", of_type("lumi:resource:Resource"))], members);
    let first = vec![local("r"), assign(load("r"), new("p:m:R"))];
    run([first, statements].concat(), vec![("R", resource), ("N", named)])
}

fn out() -> Value {
    member(load("r"), "out")
}

fn named(name: Value) -> Value {
    let argument = node("CallArgument", vec![("expr", name)]);
    let fields = vec![("type", of_type("p:m:N")), ("arguments", Value::List(vec![argument]))];
    expression(node("NewExpression", fields))
}

fn found(statements: Vec<Value>) -> Outcome {
    outcome(statements).unwrap_or_else(|error| panic!("{error}\n{:?}", error.trace()))
}

#[test]
fn a_name_computed_from_unknown_parts_does_not_end_the_program() {
    // Texts, hashes and JSON are never null, so their comparison with null is known.
    let hash = intrinsic("sha1hash", intrinsic("jsonStringify", map(vec![("arn", out())])));
    let name = binary(string("frontend_"), "+", hash);
    let outcome = found(vec![named(name)]);
    let last = outcome.resources().last().expect("two");
    // The SHA-1 of `{ "arn": {}}`, as in 2017.
    assert_eq!(last.urn().rsplit("::").next(), Some("frontend_b87af35cd99b484018ebcb0d7ebd34bf212034ce"));
    assert_eq!(last.properties().get("name").and_then(Value::as_str), last.urn().rsplit("::").next());
    assert_eq!(outcome.notes().len(), 1, "{:?}", outcome.notes());
    // Every other property with the value is unknown, with its sources.
    let unknowns = |outcome: &Outcome| -> Vec<Value> {
        let graph = outcome.graph();
        let resources = graph.get("resources").and_then(Value::as_object).expect("resources").to_vec();
        resources.iter().filter_map(|(_, of)| of.get("unknowns")?.as_list()).flatten().cloned().collect()
    };
    let paths: Vec<Value> = unknowns(&outcome).iter().filter_map(|of| of.get("path").cloned()).collect();
    assert_eq!(paths, [text("/text")]);
    assert_eq!(last.dependencies().count(), 1);
    // An unknown text alone gives no name: the resource is named after its class.
    let outcome = found(vec![named(binary(string("a-"), "+", out()))]);
    assert!(outcome.resources().last().is_some_and(|last| last.urn().ends_with("::n")));
    let error = outcome_error(vec![named(out())]);
    assert!(error.contains("unexpected computed value"), "{error}");
}

fn outcome_error(statements: Vec<Value>) -> String {
    outcome(statements).expect_err("an exception").to_string()
}

#[test]
fn a_captured_unknown_value_is_an_entry_that_a_library_can_test() {
    let capture = lambda(vec![returned(array(vec![out(), load("r"), load("o"), load("f")]))]);
    let statements = |test: Value| {
        vec![
            local("o"),
            assign(load("o"), map(vec![("id", out()), ("list", array(vec![member(load("r"), "size")]))])),
            local("f"),
            assign(load("f"), load("p:m:.main")),
            local("c"),
            assign(load("c"), intrinsic("serializeClosure", capture.clone())),
            local("e"),
            assign(load("e"), dynamic(member(load("c"), "environment"), string("o"))),
            assign(load("e"), dynamic(dynamic(load("e"), string("obj")), string("id"))),
            returned(test),
        ]
    };
    let null = || node("NullLiteral", vec![]);
    let entry = |key: &str| dynamic(load("e"), string(key));
    for (test, expected) in [
        (when(binary(entry("json"), "!=", null()), string("json"), string("none")), "json"),
        (when(binary(entry("json"), "==", null()), string("none"), string("json")), "json"),
        (when(binary(entry("closure"), "!=", null()), string("closure"), string("none")), "none"),
        (when(binary(entry("obj"), "!=", null()), string("obj"), string("none")), "none"),
    ] {
        let outcome = found(statements(test));
        assert_eq!(outcome.result().as_str(), Some(expected));
    }
    // What is made of it stays unknown.
    let made = binary(string("id: "), "+", intrinsic("jsonStringify", entry("json")));
    let outcome = found(statements(node("TypeOfExpression", vec![("expression", made)])));
    assert_eq!(outcome.result().as_str(), Some("string.computed"));
}

#[test]
fn what_2017_knew_of_json_is_used_where_a_value_is_required() {
    let json = || intrinsic("jsonStringify", map(vec![("a", out()), ("b", number(1.0))]));
    let branch = |condition: Value| when(condition, string("yes"), string("no"));
    let keyed = vec![
        local("o"),
        assign(load("o"), map(vec![])),
        assign(dynamic(load("o"), json()), string("v")),
        returned(dynamic(load("o"), string("{ \"a\": {}, \"b\": 1}"))),
    ];
    for (statements, expected) in [
        (vec![returned(branch(binary(json(), "==", string("{ \"a\": {}, \"b\": 1}"))))], "yes"),
        (vec![returned(branch(binary(json(), "<", string("a"))))], "no"),
        (vec![returned(branch(binary(member(json(), "length"), ">", number(3.0))))], "yes"),
        (
            vec![returned(branch(binary(call(member(json(), "toLowerCase"), vec![]), "!=", string(""))))],
            "yes",
        ),
        (keyed, "v"),
    ] {
        let outcome = found(statements);
        assert_eq!(outcome.result().as_str(), Some(expected));
        assert_eq!(outcome.notes().len(), 1, "{expected}: {:?}", outcome.notes());
    }
    // Without JSON, 2017 had no value either.
    for condition in [binary(out(), "==", string("x")), binary(out(), "!=", node("NullLiteral", vec![]))] {
        let error = outcome_error(vec![returned(branch(condition))]);
        assert!(error.contains("unexpected computed value"), "{error}");
    }
}
