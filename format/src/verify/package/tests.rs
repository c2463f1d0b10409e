//! Packages that readers would never return, and checks that need more than one package.

use super::*;
use crate::il::NodeBuilder;
use crate::limits::MAX_DEPTH;
use crate::names::{ModuleName, PackageName, PackageUrl};
use crate::package::{PackageBuilder, PackageError};
use crate::value::Value;
use crate::verify::package_rules as rules;

fn build(kind: SyntaxKind, fields: impl FnOnce(NodeBuilder) -> NodeBuilder) -> SyntaxNode {
    fields(NodeBuilder::new(kind)).finish().expect("a complete node")
}

fn identifier(name: &str) -> SyntaxNode {
    build(SyntaxKind::Identifier, |node| node.set("ident", name))
}

fn type_token(token: &str) -> SyntaxNode {
    build(SyntaxKind::TypeToken, |node| node.set("tok", token))
}

fn class(name: &str, extends: Option<&str>) -> (String, SyntaxNode) {
    let node = build(SyntaxKind::Class, |node| {
        let node = node.set("name", identifier(name));
        match extends {
            Some(token) => node.set("extends", type_token(token)),
            None => node,
        }
    });
    (name.to_owned(), node)
}

fn export(name: &str, referent: &str) -> (String, SyntaxNode) {
    let token = build(SyntaxKind::Token, |node| node.set("tok", referent));
    let node = build(SyntaxKind::Export, |node| node.set("name", identifier(name)).set("referent", token));
    (name.to_owned(), node)
}

fn module(name: &str, exports: Vec<(String, SyntaxNode)>, members: Vec<(String, SyntaxNode)>) -> SyntaxNode {
    build(SyntaxKind::Module, |node| {
        node.set("name", identifier(name)).set("exports", exports).set("members", members)
    })
}

fn package(name: &str, modules: Vec<SyntaxNode>) -> Package {
    let mut builder = PackageBuilder::new(&PackageName::parse(name).expect("a package name"));
    for module in modules {
        let name = ModuleName::parse(module.token("name").expect("a named module")).expect("a module name");
        builder = builder.module(&name, module);
    }
    builder.assemble().expect("a package")
}

fn rules_of(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn reports_values_that_nest_too_deeply() {
    let name = |kind: &str| ("kind".to_owned(), Value::String(kind.to_owned()));
    let mut value = Value::Object(vec![name("EmptyStatement")]);
    for _ in 0..MAX_DEPTH {
        let label =
            Value::Object(vec![name("Identifier"), ("ident".to_owned(), Value::String("a".to_owned()))]);
        value = Value::Object(vec![
            name("LabeledStatement"),
            ("label".to_owned(), label),
            ("statement".to_owned(), value),
        ]);
    }
    let body = SyntaxNode::from_value(value).expect("a node");
    let function =
        build(SyntaxKind::ModuleMethod, |node| node.set("name", identifier("run")).set("body", body));
    let built = package("deep", vec![module("index", vec![], vec![("run".to_owned(), function)])]);
    let read = Package::from_value(built.to_value()).expect("an object");
    let findings = verify_package(&read, &[]);
    // The root is level 1, and each segment of a pointer leads one level down.
    let parents = "/statement".repeat(MAX_DEPTH - "/modules/index/members/run/body".matches('/').count() - 1);
    let places =
        ["label", "statement"].map(|last| format!("/modules/index/members/run/body{parents}/{last}"));
    let deep = findings.iter().filter(|finding| *finding.rule == rules::TREE_DEPTH);
    assert_eq!(deep.map(|finding| finding.path.as_str()).collect::<Vec<_>>(), places);
}

#[test]
fn reports_a_package_that_was_built_too_deep() {
    let mut value = build(SyntaxKind::NullLiteral, |node| node);
    for _ in 0..MAX_DEPTH {
        value = build(SyntaxKind::TypeOfExpression, |node| node.set("expression", value));
    }
    let statement = build(SyntaxKind::ExpressionStatement, |node| node.set("expression", value));
    let run =
        build(SyntaxKind::ModuleMethod, |node| node.set("name", identifier("run")).set("body", statement));
    let members = vec![("run".to_owned(), run)];
    let built = package("deep", vec![module("index", vec![], members)]);
    let read = Package::from_value(built.to_value()).expect("an object");
    let expected = verify_package(&read, &[]);
    assert_eq!(rules_of(&expected), ["TREE-DEPTH"]);
    assert_eq!(verify_package(&built, &[]), expected);
}

#[test]
fn a_package_that_breaks_a_rule_is_not_built() {
    let index = || ModuleName::parse("index").expect("a name");
    let builder = || PackageBuilder::new(&PackageName::parse("case").expect("a name"));
    let refused = |builder: PackageBuilder| match builder.finish() {
        Err(PackageError::Rule(finding)) => (finding.rule.id, finding.path),
        other => panic!("{other:?}"),
    };
    let empty = || module("index", vec![], vec![]);
    let alias = builder().module(&index(), empty()).alias(".default", "nowhere");
    assert_eq!(refused(alias), ("PKG-ALIAS", "/aliases/.default".to_owned()));
    let misspelled = module("index", vec![], vec![class("9C", None)]);
    assert_eq!(
        refused(builder().module(&index(), misspelled)),
        ("NAME-IDENTIFIER", "/modules/index/members/9C/name/ident".to_owned())
    );
    let aws = PackageName::parse("aws").expect("a name");
    let outside = module("index", vec![export("V", "aws:ec2:Vpc")], vec![]);
    let built = builder().dependency(&aws, &PackageUrl::Any).module(&index(), outside).finish();
    assert_eq!(rules_of(&verify_package(&built.expect("nothing of it is wrong"), &[])), ["PKG-ABSENT"]);
}

#[test]
fn long_chains_of_bases_and_exports_end() {
    let count = 2_000;
    let mut classes = vec![class("C0", None)];
    let mut exports = vec![export("e0", "chain:index:C0")];
    for index in 1..count {
        classes.push(class(&format!("C{index}"), Some(&format!("chain:index:C{}", index - 1))));
        exports.push(export(&format!("e{index}"), &format!("chain:index:e{}", index - 1)));
    }
    let chain = package("chain", vec![module("index", exports, classes)]);
    assert_eq!(rules_of(&verify_package(&chain, &[])), Vec::<&str>::new());
}

#[test]
fn cycles_of_bases_and_exports_are_found_however_long_they_are() {
    for count in [2, 64, 65, 66, 2_000] {
        let name = |prefix: &str, index: usize| format!("ring:index:{prefix}{}", (index + 1) % count);
        let classes = (0..count).map(|index| class(&format!("C{index}"), Some(&name("C", index))));
        let mut classes: Vec<_> = classes.collect();
        let exports = (0..count).map(|index| export(&format!("e{index}"), &name("e", index)));
        let mut exports: Vec<_> = exports.collect();
        // They lead into the ring.
        classes.push(class("Before", Some("ring:index:C1")));
        exports.push(export("before", "ring:index:e1"));
        let ring = package("ring", vec![module("index", exports, classes)]);
        let found = rules_of(&verify_package(&ring, &[]));
        let of = |rule: &str| found.iter().filter(|found| **found == rule).count();
        assert_eq!((of("CLS-CYCLE"), of("SYM-CYCLE")), (count + 1, count + 1), "{count}");
        assert_eq!(found.len(), 2 * (count + 1));
    }
}

#[test]
fn a_class_of_a_given_dependency_is_the_same_by_every_name() {
    let base = module("index", vec![export("B", "dep:index:B")], vec![class("B", None)]);
    let again = module("again", vec![export("Base", "dep:index:B")], vec![]);
    let dependency = package("dep", vec![base, again]);
    let cast = build(SyntaxKind::CastExpression, |node| {
        let value = build(SyntaxKind::NewExpression, |node| node.set("type", type_token("dep:again:Base")));
        node.set("expression", value).set("type", type_token("case:index:D"))
    });
    let statement = build(SyntaxKind::ExpressionStatement, |node| node.set("expression", cast));
    let body = build(SyntaxKind::Block, |node| node.set("statements", vec![statement]));
    let run = build(SyntaxKind::ModuleMethod, |node| node.set("name", identifier("run")).set("body", body));
    let members = vec![class("D", Some("dep:index:B")), ("run".to_owned(), run)];
    let case = PackageBuilder::new(&PackageName::parse("case").expect("a name"))
        .dependency(&PackageName::parse("dep").expect("a name"), &PackageUrl::Any)
        .module(&ModuleName::parse("index").expect("a name"), module("index", vec![], members))
        .finish()
        .expect("a package");
    assert_eq!(rules_of(&verify_package(&case, &[&dependency])), Vec::<&str>::new());
    assert_eq!(rules_of(&verify_package(&case, &[])), ["PKG-ABSENT"]);
}

#[test]
fn a_finding_has_the_location_of_the_nearest_node_that_has_one() {
    use crate::location::{Location, Position};
    let start = Position { line: 3, column: 14 };
    let location = Location { file: Some("index.ts".into()), start, end: None };
    let jump = build(SyntaxKind::BreakStatement, |node| node);
    let body =
        build(SyntaxKind::Block, |node| node.set("statements", vec![jump]).set("loc", location.clone()));
    let run = build(SyntaxKind::ModuleMethod, |node| node.set("name", identifier("run")).set("body", body));
    let case = package("case", vec![module("index", vec![], vec![("run".to_owned(), run)])]);
    let findings = verify_package(&case, &[]);
    assert_eq!(rules_of(&findings), ["STM-OUTSIDE"]);
    assert_eq!(findings[0].location, Some(location));
    assert_eq!(
        findings[0].to_string(),
        "error STM-OUTSIDE at `/modules/index/members/run/body/statements/0` (index.ts:3:14): \
         a jump without a label is not in a loop, or, for `break`, in a switch: expected a loop or switch around it"
    );
}

#[test]
fn a_long_list_of_findings_is_cut_off() {
    let long = "n".repeat(1 << 20);
    let jumps = vec![build(SyntaxKind::BreakStatement, |node| node); 100];
    let body = build(SyntaxKind::Block, |node| node.set("statements", jumps));
    let run = build(SyntaxKind::ModuleMethod, |node| node.set("name", identifier(&long)).set("body", body));
    let case = package("case", vec![module("index", vec![], vec![(long, run)])]);
    let findings = verify_package(&case, &[]);
    let last = findings.last().expect("a finding");
    assert_eq!((last.rule.id, last.found.as_deref()), ("TREE-MORE", Some("37 more")));
    assert_eq!(findings.len(), 63 + 1);
}

#[test]
fn a_name_that_is_nearly_right_gets_a_hint() {
    let load = |token: &str| {
        let token = build(SyntaxKind::Token, |node| node.set("tok", token));
        let load = build(SyntaxKind::LoadLocationExpression, |node| node.set("name", token));
        build(SyntaxKind::ExpressionStatement, |node| node.set("expression", load))
    };
    let counter = build(SyntaxKind::LocalVariable, |node| {
        node.set("name", identifier("counter")).set("type", type_token("number"))
    });
    let statements =
        vec![load("conter"), load("case:indx:Instance"), load("case:index:Instanec"), load("case:index:x")];
    let body = build(SyntaxKind::Block, |node| node.set("statements", statements));
    let run = build(SyntaxKind::ModuleMethod, |node| {
        node.set("name", identifier("run")).set("parameters", vec![counter]).set("body", body)
    });
    let members = vec![class("Instance", None), ("run".to_owned(), run)];
    let findings = verify_package(&package("case", vec![module("index", vec![], members)]), &[]);
    let hints: Vec<_> = findings.iter().map(|finding| (finding.rule.id, finding.hint.as_deref())).collect();
    let expected = [
        ("SYM-LOCAL", Some("did you mean `counter`?")),
        ("SYM-MODULE", Some("did you mean `index`?")),
        ("SYM-MEMBER", Some("did you mean `Instance`?")),
        ("SYM-MEMBER", None),
    ];
    assert_eq!(hints, expected);
}
