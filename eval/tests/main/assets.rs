//! Assets and archives in properties of resources (§19.5).

use crate::cases::{
    array, assign, class, expression, function, load, member, method, name, node, object, of_type, package,
    property, text, token,
};
use coconut_eval::{Evaluator, Operation, Options, Outcome, PackageList, Snapshot};
use coconut_format::Value;

const SIGNATURE: &str = "4dabf18193072939515e22adb298388d";
const ASSET: &str = "c44067f5952c0a294b673a41bacd8c17";
const ARCHIVE: &str = "0def7320c3a5731c473e5ecbe6d01bc7";

/// A class whose constructor stores its argument in a property, as in the standard library.
fn holder(base: Option<&str>, member_name: &str) -> Value {
    let parameter = node("LocalVariable", vec![name("value"), ("type", of_type("dynamic"))]);
    let body = vec![assign(member(load(".this"), member_name), load("value"))];
    let Value::Object(mut constructor) = method(body) else { unreachable!("a node") };
    constructor.push(("parameters".to_owned(), Value::List(vec![parameter])));
    let members = vec![(member_name, property("dynamic")), (".ctor", Value::Object(constructor))];
    class(base.map(|base| ("extends", of_type(base))).into_iter().collect(), members)
}

fn library(scheme: &str) -> coconut_format::Package {
    let asset = format!("{scheme}:asset/asset:Asset");
    let archive = format!("{scheme}:asset/archive:Archive");
    let of_asset = |member: &str| holder(Some(&asset), member);
    let of_archive = |member: &str| holder(Some(&archive), member);
    let members = vec![("id", property("string")), ("urn", property("string"))];
    let modules = vec![
        ("resource", vec![("Resource", class(vec![], members))]),
        (
            "asset/asset",
            vec![
                ("Asset", class(vec![], vec![])),
                ("File", of_asset("path")),
                ("String", of_asset("text")),
                ("Remote", of_asset("uri")),
                ("Code", of_asset("code")),
            ],
        ),
        (
            "asset/archive",
            vec![
                ("Archive", class(vec![], vec![])),
                ("AssetArchive", of_archive("assets")),
                ("FileArchive", of_archive("path")),
                ("RemoteArchive", of_archive("uri")),
            ],
        ),
    ];
    package(scheme, modules)
}

fn new_of(ty: &str, argument: Value) -> Value {
    let argument = node("CallArgument", vec![("expr", argument)]);
    node("NewExpression", vec![("type", of_type(ty)), ("arguments", Value::List(vec![argument]))])
}

fn string(value: &str) -> Value {
    crate::cases::string(value)
}

fn map(entries: Vec<(&str, Value)>) -> Value {
    let entry = |(key, value): (&str, Value)| {
        node("ObjectLiteralNamedProperty", vec![("property", token(key)), ("value", value)])
    };
    let properties = entries.into_iter().map(entry).collect();
    node("ObjectLiteral", vec![("type", of_type("dynamic")), ("properties", Value::List(properties))])
}

/// A program whose only resource has this property `x`.
fn packages(scheme: &str, x: Value) -> PackageList<'static> {
    let body = vec![assign(member(load(".this"), "x"), x)];
    let members = vec![("x", property("dynamic")), ("out", property("string")), (".ctor", method(body))];
    let resource = class(vec![("extends", of_type(&format!("{scheme}:resource:Resource")))], members);
    let zip = holder(Some(&format!("{scheme}:asset/archive:FileArchive")), "path");
    let note = holder(Some(&format!("{scheme}:asset/asset:String")), "text");
    let main = function(vec![expression(node("NewExpression", vec![("type", of_type("p:m:R"))]))]);
    let m = vec![
        (".main", main),
        ("R", resource),
        ("Zip", zip),
        ("Tar", holder(Some("p:m:Zip"), "path")),
        ("Note", note),
        ("Letter", holder(Some("p:m:Note"), "text")),
        ("Other", holder(None, "path")),
    ];
    let mut packages = PackageList::new();
    packages.add(package("p", vec![("m", m)]));
    packages.add(library(scheme));
    packages
}

fn outcome(scheme: &str, x: Value) -> Outcome {
    let packages = packages(scheme, x);
    Evaluator::new(&packages).evaluate("p", &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn found(scheme: &str, x: Value) -> Value {
    outcome(scheme, x).resources().next().expect("one").properties().get("x").expect("x").clone()
}

fn asset(path: &str, content: &str, uri: &str) -> Value {
    let entries = [(SIGNATURE, ASSET), ("path", path), ("text", content), ("uri", uri)];
    object(entries.map(|(key, value)| (key, text(value))).into())
}

fn archive(assets: Value, path: &str, uri: &str) -> Value {
    object(vec![(SIGNATURE, text(ARCHIVE)), ("assets", assets), ("path", text(path)), ("uri", text(uri))])
}

#[test]
fn objects_of_derived_classes_have_signatures_in_all_schemes() {
    for scheme in ["lumi", "coconut", "mu"] {
        let of = |module: &str, class: &str, argument: Value| {
            new_of(&format!("{scheme}:asset/{module}:{class}"), argument)
        };
        for (value, expected) in [
            (of("asset", "File", string("a.txt")), asset("a.txt", "", "")),
            (of("asset", "String", string("hello")), asset("", "hello", "")),
            (of("asset", "Remote", string("https://x")), asset("", "", "https://x")),
            (of("archive", "FileArchive", string("a.zip")), archive(Value::Null, "a.zip", "")),
            (of("archive", "RemoteArchive", string("s3://x")), archive(Value::Null, "", "s3://x")),
            // Derived classes of derived classes, of the program itself.
            (new_of("p:m:Zip", string("b.zip")), archive(Value::Null, "b.zip", "")),
            (new_of("p:m:Tar", string("c.tar")), archive(Value::Null, "c.tar", "")),
            (new_of("p:m:Note", string("n")), asset("", "n", "")),
            (new_of("p:m:Letter", string("l")), asset("", "l", "")),
            // Not an asset, although it looks like one.
            (new_of("p:m:Other", string("o")), object(vec![("path", text("o"))])),
        ] {
            let list = array(vec![map(vec![("deep/key", value.clone())])]);
            assert_eq!(found(scheme, value), expected, "{scheme}");
            let nested = Value::List(vec![object(vec![("deep/key", expected)])]);
            assert_eq!(found(scheme, list), nested, "{scheme}");
        }
    }
}

#[test]
fn an_archive_has_the_assets_of_its_names() {
    let file = new_of("lumi:asset/asset:File", string("node_modules"));
    let index = new_of("p:m:Letter", string("exports = 1"));
    let inner = new_of("lumi:asset/archive:AssetArchive", map(vec![("/b:c", file.clone())]));
    let value = map(vec![("node_modules", file), ("index.js", index), ("inner", inner)]);
    let inner = archive(object(vec![("/b:c", asset("node_modules", "", ""))]), "", "");
    let assets = object(vec![
        ("node_modules", asset("node_modules", "", "")),
        ("index.js", asset("", "exports = 1", "")),
        ("inner", inner),
    ]);
    let found = found("lumi", new_of("lumi:asset/archive:AssetArchive", value));
    assert_eq!(found, archive(assets, "", ""));
}

#[test]
fn a_part_of_an_asset_may_be_unknown_and_what_has_no_place_is_noted() {
    let unknown = new_of("lumi:asset/asset:String", member(load(".this"), "out"));
    let outcome_of = |x: Value| outcome("lumi", x);
    let found = outcome_of(unknown).graph();
    let resource = found.get("resources").and_then(Value::as_object).expect("resources")[0].1.clone();
    let unknowns = resource.get("unknowns").and_then(Value::as_list).expect("unknowns");
    assert_eq!(unknowns[0].get("path"), Some(&text("/x/text")));
    let code = outcome_of(new_of("lumi:asset/asset:Code", string("return 1")));
    assert_eq!(code.resources().next().expect("one").properties().get("x"), Some(&asset("", "", "")));
    assert!(code.notes()[0].text.contains("`code`"), "{:?}", code.notes());
}

#[test]
fn an_asset_is_the_same_whoever_wrote_the_snapshot() {
    let packages = packages("lumi", new_of("lumi:asset/asset:File", string("a.zip")));
    let evaluator = Evaluator::new(&packages);
    let graph = evaluator.evaluate("p", &Options::default()).expect("a graph").graph();
    let short =
        |path: &str| object(vec![(SIGNATURE, text(ASSET)), ("hash", text("00ff")), ("path", text(path))]);
    let own = asset("a.zip", "", "");
    for (x, same) in [
        (own, true),
        (short("a.zip"), true),
        (short("b.zip"), false),
        (object(vec![("path", text("a.zip"))]), false),
        (archive(Value::Null, "a.zip", ""), false),
        (asset("a.zip", "text", ""), false),
    ] {
        let urn = graph.get("resources").and_then(Value::as_object).expect("resources")[0].0.clone();
        let properties = object(vec![("x", x.clone())]);
        let resource = object(vec![("type", text("p:m:R")), ("properties", properties)]);
        let snapshot = object(vec![("resources", object(vec![(&*urn, resource)]))]);
        let snapshot = Snapshot::from_value(&snapshot).expect("a snapshot");
        let plan = evaluator.plan("p", &Options::default(), &snapshot).expect("a plan");
        assert_eq!(plan.count(Operation::Same) == 1, same, "{x:?}: {:?}", plan.steps());
    }
}
