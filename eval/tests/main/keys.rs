//! Keys that are not names: with colons, slashes, hyphens and blanks.

use crate::cases::{
    array, assign, call, class, expression, function, load, local, member, method, name, node, of_type,
    package, property, returned, run, string, token,
};
use coconut_eval::{Evaluator, Options, PackageList};
use coconut_format::Value;

/// Keys of IAM conditions, of references in templates, of routes and labels.
const KEYS: [&str; 14] = [
    "sts:ExternalId",
    "aws:SourceIp",
    "kms:ViaService",
    "AWS::Region",
    "scope:key",
    "a:b:c",
    "p:m:C:x",
    "a:b:c:d:e",
    "/bambam",
    "GET /users/{id}",
    "kubernetes.io/name",
    "arn:aws:s3:::bucket/*",
    "x-amazon-apigateway-integration",
    "1",
];

fn literal(ty: Option<&str>, entries: Vec<(&str, Value)>) -> Value {
    let entry = |(key, value): (&str, Value)| {
        node("ObjectLiteralNamedProperty", vec![("property", token(key)), ("value", value)])
    };
    let properties = Value::List(entries.into_iter().map(entry).collect());
    let ty = ty.map(|ty| ("type", of_type(ty)));
    node("ObjectLiteral", ty.into_iter().chain([("properties", properties)]).collect())
}

fn with_keys(ty: Option<&str>) -> Value {
    literal(ty, KEYS.into_iter().map(|key| (key, string(key))).collect())
}

fn dynamic(of: Value, key: &str) -> Value {
    node("LoadDynamicExpression", vec![("object", of), ("name", string(key))])
}

fn result(main: Vec<Value>, members: Vec<(&str, Value)>) -> Value {
    run(main, members).unwrap_or_else(|error| panic!("{error}")).result().clone()
}

#[test]
fn a_key_of_an_object_without_a_class_is_text() {
    for ty in [None, Some("dynamic"), Some("object"), Some("map[string]string"), Some("any")] {
        let keys = call(load("lumirt:index:objectKeys"), vec![with_keys(ty)]);
        let found = result(vec![returned(keys)], vec![]);
        let expected: Vec<Value> = KEYS.into_iter().map(|key| Value::String(key.to_owned())).collect();
        assert_eq!(found.get("$items"), Some(&Value::List(expected)), "{ty:?}");
    }
}

#[test]
fn a_key_is_found_set_and_written_as_it_is() {
    for key in KEYS {
        let main = vec![
            local("o"),
            assign(load("o"), with_keys(Some("dynamic"))),
            assign(dynamic(load("o"), key), array(vec![dynamic(load("o"), key)])),
            returned(call(load("lumirt:index:jsonStringify"), vec![load("o")])),
        ];
        let found = result(main, vec![]);
        let text = found.as_str().expect("JSON");
        assert!(text.contains(&format!("\"{key}\": [ \"{key}\"]")), "{key}: {text}");
    }
}

#[test]
fn keys_in_properties_of_resources_stay_as_they_are() {
    let condition = literal(Some("dynamic"), vec![("StringEquals", with_keys(Some("dynamic")))]);
    let body = vec![assign(member(load(".this"), "p:m:R:x"), condition)];
    let members = vec![("x", property("dynamic")), (".ctor", method(body))];
    let resource = class(vec![("extends", of_type("lumi:resource:Resource"))], members);
    let new = node("NewExpression", vec![("type", of_type("p:m:R"))]);
    let outcome = run(vec![expression(new)], vec![("R", resource)]).expect("a graph");
    let properties = outcome.resources().next().expect("one").properties();
    let found = properties.get("x").and_then(|x| x.get("StringEquals")).expect("a condition");
    let keys: Vec<&str> = found.as_object().expect("an object").iter().map(|(key, _)| &**key).collect();
    assert_eq!(keys, KEYS);
}

#[test]
fn a_literal_of_a_class_has_the_members_of_its_tokens() {
    let interface = class(vec![("interface", Value::Bool(true))], vec![("x", property("string"))]);
    let value = literal(
        Some("p:m:I"),
        vec![
            ("p:m:I:x", string("1")),
            ("p:m:I:aws:SourceIp", string("2")),
            ("p:m:I:x-amazon", string("3")),
            ("sts:ExternalId", string("4")),
        ],
    );
    let keys = call(load("lumirt:index:objectKeys"), vec![value]);
    let found = result(vec![returned(keys)], vec![("I", interface)]);
    let expected = ["x", "aws:SourceIp", "x-amazon", "sts:ExternalId"];
    let expected = expected.into_iter().map(|key| Value::String(key.to_owned())).collect();
    assert_eq!(found.get("$items"), Some(&Value::List(expected)));
}

#[test]
fn members_of_classes_may_have_names_that_are_text() {
    let quoted = |key: &str| {
        let body = Value::List(vec![returned(load(&format!("p:m:C:{key}")))]);
        let block = node("Block", vec![("statements", body)]);
        let method = node("ClassMethod", vec![name("f"), ("static", Value::Bool(true)), ("body", block)]);
        let default = Value::String(format!("of {key}"));
        let fields = vec![name(key), ("static", Value::Bool(true)), ("default", default)];
        vec![(key.to_owned(), node("ClassProperty", fields)), ("f".to_owned(), method)]
    };
    for key in ["x-amazon-apigateway-integration", "aws:SourceIp", "a/b", "a b"] {
        let members = quoted(key);
        let members = members.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        let found =
            result(vec![returned(call(load("p:m:C:f"), vec![]))], vec![("C", class(vec![], members))]);
        assert_eq!(found.as_str(), Some(&*format!("of {key}")));
        // The same as a member of an object.
        let of_object = member(with_keys(Some("dynamic")), &format!("p:m:C:{key}"));
        let found = result(vec![returned(of_object)], vec![("C", class(vec![], vec![]))]);
        assert_eq!(found.as_str(), KEYS.into_iter().find(|known| *known == key), "{key}");
    }
}

#[test]
fn keys_of_maps_and_settings_are_text() {
    let pairs = array(KEYS.into_iter().map(|key| array(vec![string(key), string(key)])).collect());
    let argument = node("CallArgument", vec![("expr", pairs)]);
    let fields = vec![("type", of_type("map[string]string")), ("arguments", Value::List(vec![argument]))];
    let map = node("NewExpression", fields);
    for key in KEYS {
        assert_eq!(result(vec![returned(dynamic(map.clone(), key))], vec![]).as_str(), Some(key));
    }
    // A setting is a token, and its module may be an alias, with slashes.
    let variable = node("ModuleProperty", vec![name("region")]);
    let main = function(vec![returned(load("p:config/index:region"))]);
    let modules = vec![("m", vec![(".main", main)]), ("config/index", vec![("region", variable)])];
    let mut packages = PackageList::new();
    packages.add(package("p", modules));
    let mut options = Options::default();
    let setting = ("p:config/index:region".to_owned(), Value::String("eu:west/1=x".to_owned()));
    options.configuration.push(setting);
    let outcome = Evaluator::new(&packages).evaluate("p", &options).expect("a result");
    assert_eq!(outcome.result(), &Value::String("eu:west/1=x".to_owned()));
}
