//! Faults of programs: each with its code and its place, and never a panic.

use cocojs::{Fault, Options, build};
use coconut_codec::text::json::{JsonStyle, Printer};
use std::fs;
use std::io;

/// The faults of a program with one module.
fn faults(text: &str) -> Vec<Fault> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Coconut.yaml"), "name: faulty\n").unwrap();
    fs::write(folder.path().join("index.ts"), text).unwrap();
    let mut nowhere = Printer::new(io::sink(), JsonStyle::Minified);
    build(folder.path(), &Options::default(), &mut nowhere).err().unwrap_or_default()
}

/// Code, line and column of the faults.
fn places(text: &str) -> Vec<(&'static str, u32, u32)> {
    let place = |fault: &Fault| {
        let position = fault.position.unwrap();
        (fault.code.text(), position.line, position.column)
    };
    faults(text).iter().map(place).collect()
}

#[test]
fn syntax_errors_have_a_place() {
    assert_eq!(places("let a = ;\n"), [("JS-SYNTAX", 1, 9)]);
}

#[test]
fn unknown_names_have_a_suggestion() {
    let found = faults("let size = 1;\nlet area = siez;\n");
    assert_eq!(found[0].help.as_deref(), Some("did you mean `size`?"));
    assert_eq!(places("let size = 1;\nlet area = siez;\n"), [("JS-NAME", 2, 12)]);
}

#[test]
fn unknown_types_are_reported_where_they_are_named() {
    let text = "interface Shape { size: nubmer; }\nfunction f<T>(a: T, b: Shaep): Map<string, T[]> { return b; }\n\
                class A implements Circle {}\nlet c = 1 as const;\nlet d: Partial<Shape> | Strnig;\n";
    assert_eq!(
        places(text),
        [("JS-NAME", 1, 25), ("JS-NAME", 2, 24), ("JS-NAME", 3, 20), ("JS-NAME", 5, 25)]
    );
    let help: Vec<_> = faults(text).into_iter().map(|fault| fault.help.unwrap()).collect();
    assert_eq!(
        help,
        ["did you mean `number`?", "did you mean `Shape`?", "declare or import it", "did you mean `string`?"]
    );
}

#[test]
fn unknown_members_are_reported() {
    let text = "class A { name: string; }\nlet a = new A();\nlet b = a.nmae;\n";
    assert_eq!(places(text), [("JS-MEMBER", 3, 11)]);
    assert_eq!(faults(text)[0].help.as_deref(), Some("did you mean `name`?"));
}

#[test]
fn members_of_unknown_objects_are_not_reported() {
    assert_eq!(places("let a: any = 1;\nlet b = a.nmae;\n"), []);
}

#[test]
fn constants_are_not_assigned_to() {
    assert_eq!(places("const a = 1;\na = 2;\n"), [("JS-CONST", 2, 1)]);
    assert_eq!(places("function f() { const a = 1; a++; }\n"), [("JS-CONST", 1, 29)]);
}

#[test]
fn names_are_declared_once() {
    assert_eq!(places("function f() {}\nlet f = 1;\n").last(), Some(&("JS-DUPLICATE", 2, 5)));
}

#[test]
fn missing_modules_are_reported_at_their_import() {
    assert_eq!(places("import {a} from \"./other\";\n"), [("JS-MODULE", 1, 17)]);
    assert_eq!(places("import * as aws from \"aws\";\n"), [("JS-MODULE", 1, 22)]);
}

#[test]
fn constructs_without_il_are_refused() {
    let refused = [
        "async function f() {}",
        "function* f() {}",
        "let a = /x/;",
        "let a = 10n;",
        "let a = class {};",
        "let a = import(\"x\");",
        "function f() { class A {} }",
        "declare let a: number;",
        "namespace N { }",
    ];
    for text in refused {
        assert_eq!(places(text).first().map(|(code, ..)| *code), Some("JS-REFUSED"), "{text}");
    }
}

#[test]
fn deep_programs_end_with_a_fault() {
    let text = format!("let a = {}1{};\n", "(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(places(&text).first().map(|(code, ..)| *code), Some("JS-DEPTH"));
    let text = format!("let a = {}1;\n", "1 + ".repeat(5_000));
    assert_eq!(places(&text).first().map(|(code, ..)| *code), Some("JS-DEPTH"));
}

/// The parser is recursive. No text may end it, however long its chains are.
#[test]
fn no_nesting_overflows_the_stack() {
    for (before, each, count, code) in [
        ("let a = ", "[", 1_000_000, "JS-DEPTH"),
        ("let a = ", "(", 1_000_000, "JS-DEPTH"),
        ("let a: []", "[", 1_000_000, "JS-DEPTH"),
        ("let a = ", "`${", 300_000, "JS-DEPTH"),
        ("let a: ", "A<", 150_000, "JS-SYNTAX"),
        ("let a: ", "()=>", 200_000, "JS-SYNTAX"),
    ] {
        let text = format!("{before}{}", each.repeat(count));
        assert_eq!(places(&text).first().map(|(code, ..)| *code), Some(code), "{each}");
    }
    let large = faults(&"x".repeat((1 << 20) + 1));
    assert_eq!(large.first().map(|fault| fault.code.text()), Some("JS-READ"));
}

#[test]
fn names_that_a_module_does_not_export_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("Coconut.yaml", "name: faulty\n");
    write("other.ts", "export let size = 1;\n");
    write("index.ts", "import {seize} from \"./other\";\n");
    let mut nowhere = Printer::new(io::sink(), JsonStyle::Minified);
    let found = build(folder.path(), &Options::default(), &mut nowhere).unwrap_err();
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["index.ts:1:9: module `faulty:other` does not export `seize`"]);
    assert_eq!((found[0].code.text(), found[0].help.as_deref()), ("JS-EXPORT", Some("did you mean `size`?")));
}

#[test]
fn folders_without_a_program_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let code = || {
        let mut nowhere = Printer::new(io::sink(), JsonStyle::Minified);
        build(folder.path(), &Options::default(), &mut nowhere).unwrap_err()[0].code.text()
    };
    assert_eq!(code(), "JS-MANIFEST");
    fs::write(folder.path().join("Coconut.json"), "{\"name\": \"empty\"}").unwrap();
    assert_eq!(code(), "JS-READ");
    fs::write(folder.path().join("index.ts"), b"let a = \"\xff\";").unwrap();
    assert_eq!(code(), "JS-READ");
}

#[test]
fn arguments_are_counted() {
    let text = "function f(a: number, b?: number) {}\nf();\nf(1, 2);\nf(1, 2, 3);\n";
    assert_eq!(places(text), [("JS-ARGUMENTS", 2, 1), ("JS-ARGUMENTS", 4, 1)]);
    assert_eq!(faults(text)[0].message, "`f` takes 1 to 2 arguments, not 0");
    assert_eq!(places("class A { constructor(a: string) {} }\nlet a = new A();\n"), [("JS-ARGUMENTS", 2, 9)]);
}

#[test]
fn what_packages_exclude_is_refused_with_advice() {
    let refused = [
        ("let a = Date.now();", "packages know no time; take it from the configuration"),
        ("let a = Math.random();", "packages give the same result on each run"),
        ("console.log(1);", "packages have no output; export the value, or make it a property of a resource"),
        ("let a = eval(\"1\");", "packages run only their own code"),
        ("let a: any = {}; delete a.b;", "assign `undefined`, or make an object without the property"),
        (
            "let f: any[] = []; for (let i = 0; i < 3; i++) { f.push(() => i); }",
            "copy it to a `const` in the loop, and use that in the function",
        ),
    ];
    for (text, help) in refused {
        let found = faults(text);
        assert_eq!(found.first().map(|fault| fault.code.text()), Some("JS-REFUSED"), "{text}");
        assert_eq!(found[0].help.as_deref(), Some(help), "{text}");
    }
}

#[test]
fn packages_that_verification_refuses_are_faults_of_the_program() {
    assert_eq!(places("let a: number = 1;\na = \"text\" as string;\n").first().map(|place| place.1), Some(2));
}

#[test]
fn literals_have_the_properties_of_their_type() {
    let text = "interface Args { size: number; name?: string; tags: string[]; }\nfunction f(args: Args) {}\n";
    assert_eq!(places(&format!("{text}f({{ size: 1 }});\n")), [("JS-PROPERTY", 3, 3)]);
    assert_eq!(
        faults(&format!("{text}f({{ size: 1 }});\n"))[0].message,
        "an object of type `Args` needs `tags`"
    );
    assert_eq!(places(&format!("{text}f({{ size: 1, tags: [], nmae: \"a\" }});\n")), [("JS-MEMBER", 3, 24)]);
    assert_eq!(places(&format!("{text}let more: any = {{}};\nf({{ size: 1, ...more }});\n")), []);
}

#[test]
fn members_and_arguments_that_packages_ignore_are_refused() {
    assert_eq!(places("let a = 1;\nlet b = a.toFixed(2);\n"), [("JS-REFUSED", 2, 9)]);
    assert_eq!(places("let b = \"x\".toLocaleUpperCase();\n"), [("JS-REFUSED", 1, 9)]);
    assert_eq!(places("let b = [1].includes(1, 0);\n"), [("JS-ARGUMENTS", 1, 9)]);
    assert_eq!(places("let b = \"a,b\".split(\",\", 1);\n"), [("JS-ARGUMENTS", 1, 9)]);
    assert_eq!(places("let b = [1];\nb.unshift(2, 3);\n"), [("JS-ARGUMENTS", 2, 1)]);
    assert_eq!(places("let b = parseInt(\"ff\", 16);\n"), [("JS-REFUSED", 1, 9)]);
    assert_eq!(places("let b = Number.parse(1);\n"), [("JS-REFUSED", 1, 9)]);
    assert_eq!(faults("let b = [1].mpa((x) => x);\n")[0].help.as_deref(), Some("did you mean `map`?"));
}

#[test]
fn targets_in_patterns_must_be_variables() {
    assert_eq!(places("const a = 1;\n[a] = [2];\n"), [("JS-CONST", 2, 2)]);
    assert_eq!(places("const a = 1;\n({ a } = { a: 2 });\n"), [("JS-CONST", 2, 4)]);
    assert_eq!(places("[b] = [2];\n"), [("JS-NAME", 1, 2)]);
}
