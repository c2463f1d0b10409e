//! §15.8 Secret and unknown places of a document.
//!
//! Pulumi marks such values in place. Terraform marks them from outside: beside a value, an object
//! has a *mask* of the same form, in which `true` means "all of this". States have a list of paths
//! into the value instead.
//!
//! A mark may come after its value, so the places are found first. To show the document, carry a
//! [`Place`](super::Place) per level.

mod marks;
mod paths;

pub use marks::secret_words;

use super::path_set::PathSet;
use super::signed_texts::SignedTexts;
use super::special::{SIGNATURE_KEY, Special, UnknownType};
use crate::landmark::{Dialect, Trail};
use crate::node::{Kind, Node};
use marks::{MASKS, MaskForm, Masked, SIGNS, Sign, unknowns_of};
use paths::{Children, children, visit};
use std::collections::HashSet;

/// The places of a document of `dialect` that must not be shown. Costs one walk over the document.
///
/// * In all documents: the contents of values signed as secrets or made by `fn::secret`, of
///   Kubernetes `Secret` objects, and of parameters with `NoEcho`. Also the places marked by
///   `sensitive`, `sensitive_values` and related entries, and the values and defaults of variables
///   declared sensitive. In a list, those of each item.
/// * In Pulumi documents: also the outputs that a resource names as secret, and encrypted
///   configuration.
///
/// A plan also contains such values in the expressions of its configuration, where they are not
/// marked.
pub fn secret_places<'a, N: Node<'a>>(root: N, dialect: &Dialect) -> PathSet {
    find_secrets(root, &[dialect], PathSet::default(), |_| true)
}

/// The same for a document that may be of one of these dialects. Returns `None` if all paths to the
/// places together have more than about `most` steps, where a step to a long key counts as several.
/// A document that shares its parts can have any number of places.
///
/// `has` returns which of the [`secret_words`] are in the document. If there are none, the walk
/// visits only places where marks can be.
///
/// Takes 300 bytes for each step. Repeated steps on the way to the next place also count, 16 of
/// them as one.
#[doc(hidden)]
pub fn secret_places_within<'a, N: Node<'a>>(
    root: N,
    dialects: &[&Dialect],
    most: u64,
    has: impl Fn(&str) -> bool,
) -> Option<PathSet> {
    let places = find_secrets(root, dialects, PathSet::within(most), has);
    (!places.is_cut()).then_some(places)
}

fn find_secrets<'a, N: Node<'a>>(
    root: N,
    dialects: &[&Dialect],
    mut places: PathSet,
    has: impl Fn(&str) -> bool,
) -> PathSet {
    let signs: Vec<&Sign> = SIGNS.iter().filter(|sign| has(sign.word())).collect();
    if !signs.is_empty() {
        mark_signed(root, &signs, &mut places);
    }
    let mark_document = |above: &[Trail<'a>], document: N, places: &mut PathSet| {
        mark(above, document, MASKS, places);
        mark_variables(above, document, places);
        mark_ids(above, document, places);
    };
    if root.kind() == Kind::Object {
        mark_document(&[], root, &mut places);
    }
    // A list may be a list of documents.
    let mut barren = HashSet::new();
    for (index, item) in root.numbered_items().filter(|(_, item)| item.kind() == Kind::Object) {
        let Some((item, stored_once_as)) = unless_barren(item, &barren) else { continue };
        let before = places.steps();
        mark_document(&[Trail::Item(index)], item, &mut places);
        if places.steps() == before {
            barren.extend(stored_once_as);
        }
    }
    for dialect in dialects.iter().filter(|dialect| unknowns_of(dialect).is_none()) {
        mark_secret_outputs(root, dialect, &mut places);
        mark_configuration(root, &mut places);
    }
    places
}

/// The places of a document of `dialect` whose values are not known yet. Costs one walk over the
/// document.
pub fn unknown_places<'a, N: Node<'a>>(root: N, dialect: &Dialect) -> PathSet {
    let mut places = PathSet::default();
    match unknowns_of(dialect) {
        Some(table) => mark(&[], root, table, &mut places),
        None => search(root, &mut HashSet::new(), |path, value| {
            if value.as_str().and_then(UnknownType::of_sentinel).is_none() {
                return Found::Nothing;
            }
            places.insert(path.iter().copied());
            Found::Something
        }),
    }
    places
}

/// The configured values of an environment and of a checkpoint.
const CONFIGURATION: [&str; 3] =
    ["/config/*", "/checkpoint/config/*", "/origin/document/checkpoint/config/*"];

/// Calls `each` with every value at or below `root` and its path, parents first, without recursion.
pub(crate) fn visit_all<'a, N: Node<'a>>(root: N, mut each: impl FnMut(&[Trail<'a>], N)) {
    search(root, &mut HashSet::new(), |path, value| {
        each(path, value);
        Found::Something
    });
}

/// The result of a search at one value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Nothing,
    Something,
    /// Ends the search.
    Enough,
}

/// An open container of a search.
struct Searched<'a, N> {
    values: Children<'a, N>,
    stored_once_as: Option<usize>,
    /// Whether it has no findings so far.
    is_barren: bool,
}

/// Like [`visit_all`], but does not search a stored value again if it had no findings. `barren`
/// contains the numbers of such values.
fn search<'a, N: Node<'a>>(
    root: N,
    barren: &mut HashSet<usize>,
    mut each: impl FnMut(&[Trail<'a>], N) -> Found,
) {
    let mut path: Vec<Trail<'a>> = Vec::new();
    let mut open: Vec<Searched<'a, N>> = Vec::new();
    let mut next = Some(root);
    loop {
        // Reading a container may cost as much as its width, so a barren one is not read again.
        if let Some((value, stored_once_as)) = next.take().and_then(|value| unless_barren(value, barren)) {
            let found = each(&path, value);
            if found == Found::Enough {
                return;
            }
            let is_barren = found == Found::Nothing;
            if let Some(values) = children(value) {
                open.push(Searched { values, stored_once_as, is_barren });
            }
            if let Some(around) = open.last_mut().filter(|_| !is_barren) {
                around.is_barren = false;
            }
        }
        let Some(innermost) = open.last_mut() else { return };
        match innermost.values.next() {
            Some((trail, value)) => {
                path.truncate(open.len() - 1);
                path.push(trail);
                next = Some(value);
            }
            None => {
                let Searched { stored_once_as, is_barren, .. } = open.pop().expect("it is the last one");
                match (is_barren, stored_once_as, open.last_mut()) {
                    (true, Some(number), _) => drop(barren.insert(number)),
                    (false, _, Some(around)) => around.is_barren = false,
                    _ => {}
                }
            }
        }
    }
}

/// The value and its stored number, unless the container with that number had no findings.
fn unless_barren<'a, N: Node<'a>>(value: N, barren: &HashSet<usize>) -> Option<(N, Option<usize>)> {
    let stored_once_as = value.kind().is_container().then(|| value.stored_once_as()).flatten();
    let is_barren = stored_once_as.is_some_and(|number| barren.contains(&number));
    (!is_barren).then_some((value, stored_once_as))
}

/// Inserts the contents of objects that are marked as secrets themselves, and texts that contain
/// such objects. A sign never occurs by chance, so it counts in documents of every dialect: a
/// Terraform state can contain the outputs of a Pulumi stack.
fn mark_signed<'a, N: Node<'a>>(root: N, signs: &[&Sign], places: &mut PathSet) {
    let mut texts = signs.iter().any(|sign| sign.key == SIGNATURE_KEY).then(SignedTexts::default);
    search(root, &mut HashSet::new(), |path, value| {
        let mut found = Found::Nothing;
        if let (Some(texts), Some(text)) = (&mut texts, value.as_str())
            && texts.holds_secret(text)
        {
            places.insert(path.iter().copied());
            found = Found::Something;
        }
        for sign in signs.iter().filter(|sign| sign.is_of(value)) {
            for hidden in sign.hides {
                // Of any kind: a malformed secret is not public either.
                for way in ways_to(value, hidden) {
                    places.insert(path.iter().copied().chain(way));
                    found = Found::Something;
                }
            }
        }
        if places.is_cut() { Found::Enough } else { found }
    });
}

/// The paths from `value` to the values reached by a path of keys. Ends early at a `*` in a value
/// that is neither a list nor an object.
fn ways_to<'a, N: Node<'a>>(value: N, path: &'static [&'static str]) -> Vec<Vec<Trail<'a>>> {
    let mut ways = vec![(Vec::new(), value)];
    for &key in path {
        let mut next: Vec<(Vec<Trail<'a>>, N)> = Vec::new();
        for (way, value) in ways {
            let after = |trail| way.iter().copied().chain([trail]).collect();
            match (key, value.kind()) {
                ("*", Kind::Object) => {
                    next.extend(value.entries().map(|(key, value)| (after(Trail::Entry(key)), value)));
                }
                ("*", Kind::List) => {
                    let items = (0..).zip(value.items());
                    next.extend(items.map(|(index, value)| (after(Trail::Item(index)), value)));
                }
                ("*", _) => next.push((way, value)),
                _ => next.extend(value.get(key).map(|value| (after(Trail::Entry(key)), value))),
            }
        }
        ways = next;
    }
    ways.into_iter().map(|(way, _)| way).collect()
}

/// Inserts the places marked by the masks of these objects. `above` is the path of the document.
fn mark<'a, N: Node<'a>>(above: &[Trail<'a>], root: N, table: &[Masked], places: &mut PathSet) {
    let mut barren = HashSet::new();
    visit(root, table.iter().map(|masked| masked.path), &mut |path, object, row| {
        let Masked { pairs, form, .. } = table[row];
        for (value, mask) in pairs {
            let Some(mask) = object.get(mask) else { continue };
            let place = above.iter().chain(path).copied().chain([Trail::Entry(value)]);
            match form {
                MaskForm::Tree => search(mask, &mut barren, |below, mark| {
                    if mark.as_bool() != Some(true) {
                        return Found::Nothing;
                    }
                    places.insert(place.clone().chain(below.iter().copied()));
                    if places.is_cut() { Found::Enough } else { Found::Something }
                }),
                MaskForm::Flag if is_true(mask) => places.insert(place),
                MaskForm::Flag => {}
                MaskForm::Paths => mark_listed(mask, object.get(value), place, places),
                MaskForm::Names => {
                    for name in mask.items() {
                        match name.as_str() {
                            Some(name) => places.insert(place.clone().chain([Trail::Entry(name)])),
                            // A malformed list makes nothing public.
                            None => places.insert(place.clone()),
                        }
                    }
                }
                MaskForm::Text if mask.as_str().is_some_and(|text| text != NULL_IN_BASE64) => {
                    places.insert(place);
                }
                MaskForm::Text => {}
            }
        }
    });
}

const NULL_IN_BASE64: &str = "bnVsbA==";

/// Whether the value is `true`, or the text `true`.
fn is_true<'a, N: Node<'a>>(value: N) -> bool {
    let is_said = || value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"));
    value.as_bool().unwrap_or_else(is_said)
}

/// Inserts each place that a state lists as a path of `{"type": "get_attr", "value": "name"}` and
/// `{"type": "index", "value": {"type": "number", "value": 0}}`.
///
/// If a path continues in an unknown form, everything from there on is marked. A path does not
/// count that a dynamic value is stored as `{"value": value, "type": type}`.
fn mark_listed<'a, N: Node<'a>>(
    list: N,
    root: Option<N>,
    place: impl Iterator<Item = Trail<'a>> + Clone,
    places: &mut PathSet,
) {
    let mut left = MOST_LOOKED_AT;
    for listed in list.items() {
        let steps: Vec<Trail<'a>> = listed.items().map_while(path_step).collect();
        places.insert(place.clone().chain(steps.iter().copied()));
        let (mut way, mut value) = (Vec::with_capacity(steps.len()), root);
        let mut is_dynamic = false;
        for step in &steps {
            if let Some(inner) = value.and_then(wrapped) {
                way.push(Trail::Entry("value"));
                (value, is_dynamic) = (Some(inner), true);
            }
            way.push(*step);
            // Finding a key may cost the width of its object. The rest is then secret as a whole.
            let Some(rest) = left.checked_sub(value.map_or(0, Node::width)) else {
                places.insert(place);
                return;
            };
            left = rest;
            value = value.and_then(|value| match step {
                Trail::Root => Some(value),
                Trail::Entry(key) => value.get(key),
                Trail::Item(index) => value.items().nth(*index),
            });
        }
        if is_dynamic {
            places.insert(place.clone().chain(way));
        }
    }
}

/// The maximum number of keys and items passed to follow the paths of one list.
const MOST_LOOKED_AT: usize = 1 << 24;

/// The value of an object that has the form of a dynamic value, at the cost of a look at it.
fn wrapped<'a, N: Node<'a>>(value: N) -> Option<N> {
    if value.kind() != Kind::Object || value.width() != 2 {
        return None;
    }
    let of_type = value.get("type")?;
    let word = of_type.as_str().or_else(|| of_type.items().next()?.as_str())?;
    let words = ["string", "number", "bool", "dynamic", "list", "set", "map", "tuple", "object"];
    value.get("value").filter(|_| words.contains(&word))
}

/// The value inside `{"value": value, "type": type}`, the form of a dynamic value in a state of
/// Terraform. Costs a visit of the value.
#[doc(hidden)]
pub fn dynamic_value<'a, N: Node<'a>>(value: N) -> Option<N> {
    let inner = wrapped(value)?;
    is_type(value.get("type")?, inner, TYPE_LEVELS).then_some(inner)
}

/// The maximum nesting of a type. Terraform writes types as deep as their values.
const TYPE_LEVELS: usize = 512;

/// Whether `of_type` is a type of Terraform, and `value` a value of it.
fn is_type<'a, N: Node<'a>>(of_type: N, value: N, levels: usize) -> bool {
    let is_null = value.kind() == Kind::Null;
    if let Some(word) = of_type.as_str() {
        return match word {
            "string" => is_null || value.kind() == Kind::String,
            "number" => is_null || matches!(value.kind(), Kind::Integer | Kind::Float | Kind::String),
            "bool" => is_null || value.kind() == Kind::Bool,
            "dynamic" => true,
            _ => false,
        };
    }
    let mut parts = of_type.items();
    let (Some(word), Some(of), None, true) =
        (parts.next().and_then(Node::as_str), parts.next(), parts.next(), levels > 0)
    else {
        return false;
    };
    match (word, of.kind()) {
        ("list" | "set", _) => {
            is_null || value.kind() == Kind::List && value.items().all(|item| is_type(of, item, levels - 1))
        }
        ("map", _) => {
            is_null
                || value.kind() == Kind::Object
                    && value.entries().all(|(_, item)| is_type(of, item, levels - 1))
        }
        ("tuple", Kind::List) => {
            is_null
                || value.kind() == Kind::List
                    && value.width() == of.width()
                    && of.items().zip(value.items()).all(|(of, item)| is_type(of, item, levels - 1))
        }
        ("object", Kind::Object) => {
            is_null
                || value.kind() == Kind::Object
                    && of
                        .entries()
                        .all(|(key, of)| value.get(key).is_some_and(|item| is_type(of, item, levels - 1)))
        }
        _ => false,
    }
}

fn path_step<'a, N: Node<'a>>(step: N) -> Option<Trail<'a>> {
    let value = step.get("value")?;
    let value = value.get("value").unwrap_or(value);
    match value.as_str() {
        Some(key) => Some(Trail::Entry(key)),
        None => Some(Trail::Item(value.as_integer()?.as_u64()?.try_into().ok()?)),
    }
}

/// The places where the configuration of a plan declares variables, in all modules.
const VARIABLES: &str = "/configuration/root_module(/module_calls/*/module)*/variables/*";

/// Inserts the values of variables that the plan's configuration declares sensitive, and their
/// defaults.
fn mark_variables<'a, N: Node<'a>>(above: &[Trail<'a>], root: N, places: &mut PathSet) {
    let declared =
        ["configuration", "root_module", "variables"].iter().try_fold(root, |node, key| node.get(key));
    for (name, variable) in declared.into_iter().flat_map(Node::entries) {
        if is_declared_sensitive(variable) {
            let way = [Trail::Entry("variables"), Trail::Entry(name), Trail::Entry("value")];
            places.insert(above.iter().copied().chain(way));
        }
    }
    let Some(_) = root.get("configuration") else { return };
    visit(root, [VARIABLES].into_iter(), &mut |path, variable, _| {
        if is_declared_sensitive(variable) {
            places.insert(above.iter().chain(path).copied().chain([Trail::Entry("default")]));
        }
    });
}

fn is_declared_sensitive<'a, N: Node<'a>>(variable: N) -> bool {
    variable.get("sensitive").and_then(Node::as_bool) == Some(true)
}

/// Inserts the outputs that a resource lists in `additionalSecretOutputs`. The id of a resource
/// whose output `id` is secret is the same text, so it is also secret.
fn mark_secret_outputs<'a, N: Node<'a>>(root: N, dialect: &Dialect, places: &mut PathSet) {
    // A resource without its key field is not a landmark, but still names its secrets.
    let paths = dialect.patterns.iter().map(|pattern| pattern.split('[').next().unwrap_or(pattern));
    visit(root, paths, &mut |path, resource, _| {
        if resource.kind() != Kind::Object {
            return;
        }
        let is_secret_in = |key| {
            let id = resource.get(key).and_then(|values: N| values.get("id"));
            id.is_some_and(|id| matches!(Special::of(id), Some(Special::Secret(_))))
        };
        let mut is_id_secret = is_secret_in("outputs") || is_secret_in("inputs");
        let listed = resource.get("additionalSecretOutputs");
        for name in listed.into_iter().flat_map(Node::items).filter_map(Node::as_str) {
            places.insert(path.iter().copied().chain([Trail::Entry("outputs"), Trail::Entry(name)]));
            is_id_secret |= name == "id";
        }
        if is_id_secret && resource.get("id").is_some() {
            places.insert(path.iter().copied().chain([Trail::Entry("id")]));
        }
    });
}

/// The places of an id below a resource of a graph that was made from another document.
const IDS: [&[&str]; 5] = [
    &["properties", "id"],
    &["properties", "attributes", "id"],
    &["properties", "values", "id"],
    &["properties", "change", "before", "id"],
    &["properties", "change", "after", "id"],
];

/// Inserts the id of a resource of a Coconut 2017 graph if the same attribute is secret.
fn mark_ids<'a, N: Node<'a>>(above: &[Trail<'a>], root: N, places: &mut PathSet) {
    if places.is_empty() || root.get("resources").is_none_or(|list| list.kind() != Kind::Object) {
        return;
    }
    visit(root, ["/resources/*"].into_iter(), &mut |path, resource, _| {
        let below = |keys: &[&'static str]| {
            let keys = keys.iter().map(|&key| Trail::Entry(key));
            above.iter().chain(path).copied().chain(keys).collect::<Vec<_>>()
        };
        let is_there = resource.get("id").is_some_and(|id| id.kind() == Kind::String);
        if is_there && IDS.iter().any(|keys| places.has(&below(keys))) {
            places.insert(below(&["id"]));
        }
    });
}

/// Inserts encrypted configuration, `{"secure": text}`, of a checkpoint or environment: a
/// configured value or a part of one.
fn mark_configuration<'a, N: Node<'a>>(root: N, places: &mut PathSet) {
    let mut barren = HashSet::new();
    visit(root, CONFIGURATION.into_iter(), &mut |path, configured, _| {
        search(configured, &mut barren, |below, value| {
            if value.get("secure").is_none() {
                return Found::Nothing;
            }
            places.insert(path.iter().chain(below).copied().chain([Trail::Entry("secure")]));
            if places.is_cut() { Found::Enough } else { Found::Something }
        });
    });
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::graph::SIGNATURE_KEY;
    use crate::landmark::DIALECTS;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn object(entries: &[(&str, Value)]) -> Value {
        Value::Object(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    /// An object that is signed as a secret.
    fn secret() -> Value {
        object(&[(SIGNATURE_KEY, text("1b47061264138c4ac30d75fd1eb44270")), ("plaintext", text("x"))])
    }

    #[test]
    fn what_terraform_hides_stays_hidden_in_an_import() {
        let mask = |key: &'static str| object(&[(key, Value::Bool(true))]);
        let step = object(&[("type", text("get_attr")), ("value", text("c"))]);
        let values = object(&[("a", text("x")), ("b", text("x")), ("c", text("x"))]);
        let properties = object(&[
            ("values", values.clone()),
            ("sensitive_values", mask("a")),
            ("attributes", values.clone()),
            ("sensitive_attributes", Value::List(vec![Value::List(vec![step])])),
            (
                "change",
                object(&[("after", values), ("after_sensitive", mask("b")), ("after_unknown", mask("c"))]),
            ),
        ]);
        let resource = object(&[("type", text("t")), ("properties", properties)]);
        let document = object(&[
            ("origin", object(&[("inference", text("plan-1"))])),
            ("resources", object(&[("u", resource)])),
        ]);
        let dialect = Dialect::of(&document).unwrap();
        assert_eq!(dialect.name, "coconut-import");
        let secret = secret_places(&document, dialect);
        let hidden = |place: &str| secret.contains(&format!("/resources/u/properties/{place}"));
        let places = ["values/a", "attributes/c", "change/after/b"];
        assert_eq!(places.map(hidden), [true; 3]);
        let shown = ["values/b", "values/c", "attributes/a", "change/after/a", "change/after/c"];
        assert_eq!(shown.map(hidden), [false; 5]);
        let unknown = unknown_places(&document, dialect);
        assert!(unknown.contains("/resources/u/properties/change/after/c"));
    }

    #[test]
    fn what_puppet_marks_is_secret() {
        let sensitive = |key: &'static str, value: &'static str| {
            object(&[(key, text("Sensitive")), (value, object(&[("k", text("x"))]))])
        };
        let parameters = object(&[
            ("pw", text("x")),
            ("shown", text("x")),
            ("s", Value::List(vec![sensitive("__ptype", "__pvalue")])),
            ("old", sensitive("__pcore_type__", "__pcore_value__")),
            ("no", object(&[("__ptype", text("Regexp")), ("__pvalue", text("x"))])),
        ]);
        let names = Value::List(vec![text("pw")]);
        let resource = object(&[("parameters", parameters), ("sensitive_parameters", names)]);
        let resources = Value::List(vec![resource]);
        let document = object(&[("catalog", object(&[("resources", resources)]))]);
        let secret = secret_places(&document, &DIALECTS[0]);
        let hidden = |place: &str| secret.contains(&format!("/catalog/resources/0/parameters/{place}"));
        let places = ["pw", "s/0/__pvalue", "old/__pcore_value__"];
        assert_eq!(places.map(hidden), [true; 3]);
        assert_eq!(["shown", "s/0/__ptype", "no/__pvalue"].map(hidden), [false; 3]);
    }

    #[test]
    fn a_path_leads_into_a_dynamic_value() {
        let step = |name: &str| object(&[("type", text("get_attr")), ("value", text(name))]);
        let of_object = object(&[("p", text("string")), ("q", text("string"))]);
        let dynamic = object(&[
            ("value", object(&[("p", text("x")), ("q", text("y"))])),
            ("type", Value::List(vec![text("object"), of_object])),
        ]);
        let own = object(&[("value", text("x")), ("type", text("A"))]);
        let instance = object(&[
            ("attributes", object(&[("input", dynamic.clone()), ("record", own.clone())])),
            (
                "sensitive_attributes",
                Value::List(vec![
                    Value::List(vec![step("input"), step("p")]),
                    Value::List(vec![step("record"), step("value")]),
                ]),
            ),
        ]);
        let resource = object(&[("instances", Value::List(vec![instance]))]);
        let document = object(&[("resources", Value::List(vec![resource]))]);
        let places = secret_places(&document, Dialect::named("terraform-state-4").unwrap());
        let hidden = |place: &str| places.contains(&format!("/resources/0/instances/0/attributes/{place}"));
        assert_eq!(["input/value/p", "record/value"].map(hidden), [true; 2]);
        assert_eq!(["input/value/q", "input/type", "record/type"].map(hidden), [false; 3]);
        assert!(dynamic_value(&dynamic).is_some() && dynamic_value(&own).is_none());
        let wrong = object(&[("value", text("x")), ("type", text("bool"))]);
        assert!(dynamic_value(&wrong).is_none());
    }

    #[test]
    fn a_signed_secret_is_secret_in_documents_of_every_dialect() {
        let outputs = object(&[("o", object(&[("value", secret()), ("sensitive", Value::Bool(false))]))]);
        let document = object(&[("outputs", outputs), ("list", Value::List(vec![Value::Null, secret()]))]);
        for dialect in DIALECTS {
            let places = secret_places(&document, dialect);
            for (pointer, is_secret) in [
                ("/outputs/o/value/plaintext", true),
                ("/list/1/plaintext", true),
                ("/outputs/o/value", false),
                ("/outputs/o/sensitive", false),
                ("/list/0", false),
            ] {
                assert_eq!(places.contains(pointer), is_secret, "{pointer} in a {}", dialect.name);
            }
        }
    }

    #[test]
    fn defaults_of_sensitive_variables_are_secret_in_all_modules() {
        let declared = |is_sensitive| {
            object(&[
                ("default", text("x")),
                ("description", text("y")),
                ("sensitive", Value::Bool(is_sensitive)),
            ])
        };
        let variables = || object(&[("s", declared(true)), ("o", declared(false))]);
        let inner = object(&[("variables", variables())]);
        let call = object(&[("module", inner), ("source", text("./m"))]);
        let root = object(&[("module_calls", object(&[("m", call)])), ("variables", variables())]);
        let given = object(&[("s", object(&[("value", text("x"))])), ("o", object(&[("value", text("x"))]))]);
        let document = object(&[("variables", given), ("configuration", object(&[("root_module", root)]))]);
        let places = secret_places(&document, Dialect::named("terraform-plan").unwrap());
        let module = "/configuration/root_module";
        for (pointer, is_secret) in [
            ("/variables/s/value".to_owned(), true),
            ("/variables/o/value".to_owned(), false),
            (format!("{module}/variables/s/default"), true),
            (format!("{module}/variables/s/description"), false),
            (format!("{module}/variables/o/default"), false),
            (format!("{module}/module_calls/m/module/variables/s/default"), true),
            (format!("{module}/module_calls/m/module/variables/o/default"), false),
        ] {
            assert_eq!(places.contains(&pointer), is_secret, "{pointer}");
        }
    }

    #[test]
    fn outputs_of_a_resource_without_a_key_are_secret_too() {
        let names = Value::List(vec![text("p")]);
        let outputs = object(&[("p", text("x")), ("q", text("y"))]);
        let resource = object(&[("outputs", outputs), ("additionalSecretOutputs", names)]);
        let deployment = object(&[("resources", Value::List(vec![resource]))]);
        let document = object(&[("deployment", deployment)]);
        let places = secret_places(&document, Dialect::named("pulumi-export").unwrap());
        let outputs = "/deployment/resources/0/outputs";
        assert!(places.contains(&format!("{outputs}/p")) && !places.contains(&format!("{outputs}/q")));
    }

    #[test]
    fn encrypted_parts_of_a_configured_value_are_secret() {
        let secure = object(&[("secure", text("v1:x"))]);
        let list =
            object(&[("servers", Value::List(vec![text("a"), secure.clone()])), ("key", secure.clone())]);
        let config = object(&[("a:plain", text("b")), ("a:secret", secure.clone()), ("a:data", list)]);
        for around in ["", "/checkpoint"] {
            let document = object(&[("config", config.clone()), ("secure", secure.clone())]);
            let document = if around.is_empty() {
                document
            } else {
                object(&[("checkpoint", document), ("x", Value::Null)])
            };
            let places = secret_places(&document, &DIALECTS[0]);
            for (pointer, is_secret) in [
                ("/config/a:secret/secure", true),
                ("/config/a:data/servers/1/secure", true),
                ("/config/a:data/key/secure", true),
                ("/config/a:data/servers/0", false),
                ("/config/a:plain", false),
                ("/secure/secure", false),
            ] {
                let pointer = format!("{around}{pointer}");
                assert_eq!(places.contains(&pointer), is_secret, "{pointer}");
            }
        }
    }

    #[test]
    fn all_that_a_secret_holds_is_secret() {
        let signature = (SIGNATURE_KEY, text("1b47061264138c4ac30d75fd1eb44270"));
        let parts = object(&[("x", text("y"))]);
        for members in [
            &[("ciphertext", text("")), ("plaintext", text("y"))][..],
            &[("ciphertext", text("v1:x")), ("plaintext", text("y"))],
            &[("plaintext", parts.clone())],
            &[("value", parts.clone())],
            &[("ciphertext", Value::List(vec![parts]))],
        ] {
            let secret = object(&[&[signature.clone(), ("hash", text("z"))], members].concat());
            let places = secret_places(&object(&[("a", secret)]), &DIALECTS[0]);
            for member in ["ciphertext", "plaintext", "value", "hash"] {
                let is_there = members.iter().any(|(key, _)| *key == member);
                assert_eq!(places.contains(&format!("/a/{member}")), is_there, "{member} of {members:?}");
            }
        }
    }
}
