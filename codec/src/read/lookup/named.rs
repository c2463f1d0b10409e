//! User-supplied names of landmarks (§8.5): keys, and short forms for keys.
//!
//! A key always comes first. A short form counts only if no landmark has the name as its key.
//! Nothing is guessed: if a short form means several landmarks, the caller gets all of them.

use super::joined::outermost;
use super::{LandmarkView, key_and_pointer};
use crate::bounded_debug::bounded_debug;
use crate::read::file::DocumentView;
use crate::read::view::{Content, ValueView};
use coconut_format::error::DecodeError;
use coconut_format::landmark::without_instances;
use coconut_format::names::short_tokens;
use coconut_format::pointer::{push_index, push_key};
use coconut_format::suggest::COMPARED;
use coconut_format::urn::Urn;
use std::borrow::Cow;

/// The landmarks that a name means.
#[derive(Clone)]
pub struct Named<'a> {
    /// The landmarks, in document order.
    pub landmarks: Vec<LandmarkView<'a>>,
    /// A JSON pointer from each of them to the named value. Empty for the landmark itself.
    pub pointer: String,
    /// The form of the name.
    pub by: NamedBy,
}

bounded_debug!(Named<'_>, |named| landmarks: named.landmarks.len(), by: named.by);

/// The forms of a name, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamedBy {
    /// Their key.
    Key,
    /// `KEY#2`: the key and a number, from 1, among the landmarks with that key in document order.
    Number,
    /// Their key and the path of an attribute: `aws_vpc.main.tags.Name`.
    Attribute,
    /// Their key without instance keys: `aws_subnet.a` for `aws_subnet.a[0]`.
    Address,
    /// The end of a URN: `Vpc::main`, or `main`.
    End,
    /// A token without the version of its module, or without the part of the module that repeats
    /// the name: `aws:ec2:Vpc` for `aws:ec2/vpc:Vpc`.
    ShortToken,
    /// The name under which a template of CloudFormation exports them.
    Export,
}

/// Candidates for the key in a name. Each is a prefix of it.
const MOST_CANDIDATES: usize = 64;

/// A prefix of a name that may be a key, and the rest of the name.
#[derive(Clone, Copy)]
struct Candidate<'n> {
    key: &'n str,
    rest: Rest<'n>,
}

#[derive(Clone, Copy)]
enum Rest<'n> {
    /// A JSON pointer, or nothing.
    Pointer(&'n str),
    /// The path of an attribute: `.tags["a b"][0]`.
    Path(&'n str),
}

impl<'a> DocumentView<'a> {
    /// Returns the landmarks that `name` means among those accepted by `is_wanted`; `None` if there
    /// are none. A JSON pointer or the path of an attribute may follow the key.
    ///
    /// A name that begins with `/` is treated only as a key. For a pointer from the root, see
    /// [`ValueView::pointer`].
    ///
    /// Costs a lookup for each part of the name. If that finds no key, costs a key read for each
    /// landmark.
    ///
    /// ```
    /// # #[cfg(feature = "tooling")] {
    /// use coconut_codec::compile::{CompileOptions, compile};
    /// use coconut_codec::read::file::DocumentFile;
    /// use coconut_codec::read::lookup::NamedBy;
    ///
    /// let source = br#"{"version": 3, "deployment": {"resources": [
    ///     {"urn": "urn:pulumi:prod::shop::aws:ec2/vpc:Vpc::main", "type": "aws:ec2/vpc:Vpc",
    ///      "outputs": {"cidrBlock": "10.0.0.0/16"}}]}}"#;
    /// let file = DocumentFile::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let named = file.view().named("Vpc::main.cidrBlock", |_| Ok(true))?.expect("it ends so");
    /// assert_eq!((named.by, &*named.pointer), (NamedBy::End, "/outputs/cidrBlock"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(hidden)]
    pub fn named(
        &self,
        name: &str,
        mut is_wanted: impl FnMut(&LandmarkView<'a>) -> Result<bool, DecodeError>,
    ) -> Result<Option<Named<'a>>, DecodeError> {
        let mut wanted = |landmarks: Vec<LandmarkView<'a>>| -> Result<Vec<LandmarkView<'a>>, DecodeError> {
            let mut wanted = Vec::new();
            for landmark in landmarks {
                if is_wanted(&landmark)? {
                    wanted.push(landmark);
                }
            }
            Ok(wanted)
        };
        for (key, pointer) in key_and_pointer(name) {
            let landmarks = wanted(self.in_order(key)?)?;
            if !landmarks.is_empty() {
                return Ok(Some(Named { landmarks, pointer: pointer.to_owned(), by: NamedBy::Key }));
            }
        }
        if name.starts_with('/') || name.len() > COMPARED {
            return Ok(None);
        }
        let candidates = candidates(name);
        let numbered: Vec<(Candidate<'_>, usize)> = candidates
            .iter()
            .filter_map(|&Candidate { key, rest }| {
                split_number(key).map(|(key, number)| (Candidate { key, rest }, number))
            })
            .collect();
        for &(Candidate { key, rest }, number) in &numbered {
            // The number counts all landmarks with the key, wanted or not.
            if let Some(landmark) = self.in_order(key)?.get(number - 1) {
                let landmarks = wanted(vec![*landmark])?;
                if !landmarks.is_empty() {
                    return self.named_by(NamedBy::Number, landmarks, rest).map(Some);
                }
            }
        }
        for candidate in candidates.iter().filter(|candidate| matches!(candidate.rest, Rest::Path(_))) {
            let landmarks = wanted(self.in_order(candidate.key)?)?;
            if !landmarks.is_empty() {
                return self.named_by(NamedBy::Attribute, landmarks, candidate.rest).map(Some);
            }
        }
        if let Some((by, at, found)) = self.search(&candidates)? {
            let landmarks = wanted(if by == NamedBy::Address { outermost(found)? } else { found })?;
            return match landmarks.is_empty() {
                true => Ok(None),
                false => self.named_by(by, landmarks, candidates[at].rest).map(Some),
            };
        }
        let ends: Vec<Candidate<'_>> = numbered.iter().map(|&(candidate, _)| candidate).collect();
        let Some((by, at, found)) = self.search(&ends)? else { return Ok(None) };
        // The number counts landmarks of one key.
        let Some(first) = found.first().map(LandmarkView::key).transpose()? else { return Ok(None) };
        let (Candidate { rest, .. }, number) = numbered[at];
        let same = self.in_order(&first)?;
        match same.get(number - 1) {
            Some(&landmark) if by != NamedBy::Address && same.len() == found.len() => {
                let landmarks = wanted(vec![landmark])?;
                match landmarks.is_empty() {
                    true => Ok(None),
                    false => self.named_by(NamedBy::Number, landmarks, rest).map(Some),
                }
            }
            _ => Ok(None),
        }
    }

    /// The landmarks with this full key, in document order.
    fn in_order(&self, key: &str) -> Result<Vec<LandmarkView<'a>>, DecodeError> {
        let mut landmarks = self.get_all(key)?;
        // They are sorted already, unless the index is wrong.
        landmarks.sort_by_key(LandmarkView::offset);
        landmarks.dedup_by_key(|landmark| landmark.offset());
        Ok(landmarks)
    }

    /// The landmarks whose keys have one of the candidates as a short form: by the first matching
    /// form, and within it by the first candidate.
    fn search(
        &self,
        candidates: &[Candidate<'_>],
    ) -> Result<Option<(NamedBy, usize, Vec<LandmarkView<'a>>)>, DecodeError> {
        if candidates.is_empty() {
            return Ok(None);
        }
        let mut best: Option<(NamedBy, usize, Vec<LandmarkView<'a>>)> = None;
        let mut keys = self.keys()?;
        while let Some((landmark, key)) = keys.read_next()? {
            let short = short_form(key, candidates);
            let Some((by, at)) = short.map_or_else(|| export(landmark, candidates), |form| Ok(Some(form)))?
            else {
                continue;
            };
            match &mut best {
                Some((best_by, best_at, found)) if (*best_by, *best_at) == (by, at) => found.push(landmark),
                Some((best_by, best_at, _)) if (*best_by, *best_at) < (by, at) => {}
                _ => best = Some((by, at, vec![landmark])),
            }
        }
        Ok(best)
    }

    fn named_by(
        &self,
        by: NamedBy,
        mut landmarks: Vec<LandmarkView<'a>>,
        rest: Rest<'_>,
    ) -> Result<Named<'a>, DecodeError> {
        let path = match rest {
            Rest::Pointer(pointer) => return Ok(Named { landmarks, pointer: pointer.to_owned(), by }),
            Rest::Path(path) => path,
        };
        landmarks = current(landmarks)?;
        // A resource with instances has its attributes in the instances.
        if let [only] = landmarks[..]
            && attribute(only, path)?.is_none()
        {
            let instances = only.joined()?.into_iter().filter(|one| one.offset > only.offset);
            let instances = current(instances.collect())?;
            if let Some(first) = instances.first()
                && attribute(*first, path)?.is_some()
            {
                landmarks = instances;
            }
        }
        let mut pointer = None;
        for landmark in &landmarks {
            pointer = attribute(*landmark, path)?;
            if pointer.is_some() {
                break;
            }
        }
        let pointer = pointer.unwrap_or_else(|| pointers(path).into_iter().next().unwrap_or_default());
        Ok(Named { landmarks, pointer, by })
    }
}

/// A key and the number after it, from 1: `KEY#2`.
fn split_number(name: &str) -> Option<(&str, usize)> {
    let (key, number) = name.rsplit_once('#')?;
    let is_number = !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((key, number.parse().ok().filter(|_| is_number && !key.is_empty())?))
}

/// The prefixes of a name that may be a key, the longest first.
fn candidates(name: &str) -> Vec<Candidate<'_>> {
    let mut candidates: Vec<Candidate<'_>> =
        key_and_pointer(name).map(|(key, pointer)| Candidate { key, rest: Rest::Pointer(pointer) }).collect();
    let paths = name.rmatch_indices(['.', '[']).filter(|&(at, _)| at > 0).map(|(at, _)| name.split_at(at));
    let paths = paths.filter(|(_, path)| !pointers(path).is_empty());
    candidates.extend(paths.map(|(key, path)| Candidate { key, rest: Rest::Path(path) }));
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.key.len()));
    candidates.truncate(MOST_CANDIDATES);
    candidates
}

/// The best form in which one of the candidates is short for `key`.
fn short_form(key: &str, candidates: &[Candidate<'_>]) -> Option<(NamedBy, usize)> {
    let position =
        |is_it: &dyn Fn(&str) -> bool| candidates.iter().position(|candidate| is_it(candidate.key));
    if key.contains('[') {
        let address = without_instances(key);
        // An instance key after an address names an instance, and never an attribute.
        let is_it = |of: &Candidate<'_>| {
            of.key == address && !matches!(of.rest, Rest::Path(path) if path.starts_with('['))
        };
        if address.len() < key.len()
            && let Some(at) = candidates.iter().position(is_it)
        {
            return Some((NamedBy::Address, at));
        }
    }
    if key.starts_with("urn:") {
        let name = Urn::parse(key).ok()?.name();
        return position(&|end| is_end(key, name, end)).map(|at| (NamedBy::End, at));
    }
    if key.contains(':') {
        let short = short_tokens(key);
        return position(&|name| short.iter().any(|short| short == name)).map(|at| (NamedBy::ShortToken, at));
    }
    None
}

/// The same for the name under which a template exports an output. Only a literal name is known.
fn export(
    landmark: LandmarkView<'_>,
    candidates: &[Candidate<'_>],
) -> Result<Option<(NamedBy, usize)>, DecodeError> {
    let is_output = landmark.document.header().dialect.as_deref() == Some("cloudformation")
        && landmark.parent()?.is_some();
    let Some(name) = (if is_output { landmark.value()?.pointer("/Export/Name")? } else { None }) else {
        return Ok(None);
    };
    let Content::String(name) = name.content()? else { return Ok(None) };
    Ok(candidates.iter().position(|of| of.key == name).map(|at| (NamedBy::Export, at)))
}

/// Whether `end` is the name of a URN, or ends it with the name and whole parts of the type.
fn is_end(urn: &str, name: &str, end: &str) -> bool {
    let Some(before) = urn.strip_suffix(end) else { return false };
    let is_more =
        end.strip_suffix(name).is_some_and(|front| front.len() > "::".len() && front.ends_with("::"));
    (end == name || is_more) && before.ends_with([':', '/', '$'])
}

/// The place of the attributes of the only instance.
const OF_INSTANCE: &str = "/instances/*/attributes";

/// The places where the attributes of a resource can be, in the order in which they are tried. The
/// last is the resource itself.
const ATTRIBUTES: [&str; 11] = [
    "/attributes",
    OF_INSTANCE,
    "/primary/attributes",
    "/values",
    "/change/after",
    "/change/before",
    "/outputs",
    "/inputs",
    "/properties",
    "/Properties",
    "",
];

/// The pointer from a landmark to its attribute at `path`.
fn attribute(landmark: LandmarkView<'_>, path: &str) -> Result<Option<String>, DecodeError> {
    let value = landmark.value()?;
    let is_graph = landmark.document.header().document_type == "cocogl";
    for place in ATTRIBUTES.iter().filter(|place| is_graph || place.is_empty()) {
        let place = match *place {
            OF_INSTANCE => match only_instance(value)? {
                Some(index) => Cow::Owned(format!("/instances/{index}/attributes")),
                None => continue,
            },
            place => Cow::Borrowed(place),
        };
        let Some(attributes) = value.pointer(&place)? else { continue };
        for pointer in pointers(path) {
            if attributes.pointer(&pointer)?.is_some() {
                return Ok(Some(format!("{place}{pointer}")));
            }
        }
    }
    Ok(None)
}

/// The index of the only instance of a resource, or of the only current one. Of several, none is
/// preferred.
fn only_instance(value: ValueView<'_>) -> Result<Option<usize>, DecodeError> {
    let Some(instances) = value.pointer("/instances")? else { return Ok(None) };
    let Content::List(list) = instances.content()? else { return Ok(None) };
    if list.len() == 1 {
        return Ok(Some(0));
    }
    let mut only = None;
    for (index, instance) in list.into_iter().enumerate() {
        if !is_replaced(instance?)? && only.replace(index).is_some() {
            return Ok(None);
        }
    }
    Ok(only)
}

/// The landmarks that are not only waiting to be deleted, or all of them if there are no others.
fn current(landmarks: Vec<LandmarkView<'_>>) -> Result<Vec<LandmarkView<'_>>, DecodeError> {
    if landmarks.len() < 2 {
        return Ok(landmarks);
    }
    let mut current = Vec::new();
    for landmark in &landmarks {
        if !is_replaced(landmark.value()?)? {
            current.push(*landmark);
        }
    }
    Ok(if current.is_empty() { landmarks } else { current })
}

/// Whether an object of a resource was replaced and is only waiting to be deleted: a deposed one of
/// Terraform, or one with `delete` of Pulumi.
fn is_replaced(value: ValueView<'_>) -> Result<bool, DecodeError> {
    for key in ["/deposed", "/deposed_key"] {
        if let Some(deposed) = value.pointer(key)?
            && matches!(deposed.content()?, Content::String(text) if !text.is_empty())
        {
            return Ok(true);
        }
    }
    match value.pointer("/delete")? {
        Some(delete) => Ok(matches!(delete.content()?, Content::Bool(true))),
        None => Ok(false),
    }
}

/// The JSON pointers that an attribute path can mean: step by step, and as one key, as in states of
/// version 3 (`tags.Name`). Empty if it is not a path.
fn pointers(path: &str) -> Vec<String> {
    let (mut steps, mut flat, mut rest) = (String::new(), Vec::new(), path);
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('.') {
            Some(after) => {
                let end = after.find(['.', '[']).unwrap_or(after.len());
                (after[..end].to_owned(), &after[end..])
            }
            None => match bracket(rest) {
                Some(bracket) => bracket,
                None => return Vec::new(),
            },
        };
        if step.is_empty() {
            return Vec::new();
        }
        match step.parse::<usize>() {
            Ok(index) => push_index(&mut steps, index),
            Err(_) => push_key(&mut steps, &step),
        }
        flat.push(step);
        rest = after;
    }
    let mut pointers = vec![steps];
    if flat.len() > 1 {
        let mut one = String::new();
        push_key(&mut one, &flat.join("."));
        pointers.push(one);
    }
    pointers
}

/// The index or key in the brackets at the start of `rest`, and the text after them.
fn bracket(rest: &str) -> Option<(String, &str)> {
    let inner = rest.strip_prefix('[')?;
    match inner.strip_prefix('"') {
        Some(string) => {
            let (mut key, mut characters) = (String::new(), string.char_indices());
            while let Some((at, c)) = characters.next() {
                match c {
                    '"' => return Some((key, string[at + 1..].strip_prefix(']')?)),
                    '\\' => key.push(characters.next()?.1),
                    c => key.push(c),
                }
            }
            None
        }
        None => {
            let (digits, after) = inner.split_once(']')?;
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| (digits.to_owned(), after))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;

    /// The keys, the pointer and the form that a name leads to.
    fn named(text: &str, name: &str) -> Option<(Vec<String>, String, NamedBy)> {
        let compiled = compile(text.as_bytes(), &CompileOptions::default()).unwrap();
        let file = DocumentFile::from_data(&compiled.bytes[..]).unwrap();
        let named = file.view().named(name, |_| Ok(true)).unwrap()?;
        let keys = named.landmarks.iter().map(|landmark| landmark.key().unwrap().into_owned());
        Some((keys.collect(), named.pointer, named.by))
    }

    #[track_caller]
    fn check(text: &str, name: &str, keys: &[&str], pointer: &str, by: NamedBy) {
        let keys = keys.iter().map(|&key| key.to_owned()).collect();
        assert_eq!(named(text, name), Some((keys, pointer.to_owned(), by)), "{name}");
    }

    const STACK: &str = r#"{"version": 3, "deployment": {"resources": [
        {"urn": "urn:pulumi:p::s::aws:ec2/vpc:Vpc::main", "type": "aws:ec2/vpc:Vpc",
         "inputs": {"cidr": "10", "tags": {"Na.me": "n"}}, "outputs": {"id": "vpc-1"}},
        {"urn": "urn:pulumi:p::s::my:x:C$aws:ec2/subnet:Subnet::main", "type": "aws:ec2/subnet:Subnet"},
        {"urn": "urn:pulumi:p::s::aws:ec2/subnet:Subnet::a/b.c", "type": "aws:ec2/subnet:Subnet"},
        {"urn": "urn:pulumi:p::s::aws:ec2/subnet:Subnet::twice", "type": "aws:ec2/subnet:Subnet", "id": "1"},
        {"urn": "urn:pulumi:p::s::aws:ec2/subnet:Subnet::twice", "type": "aws:ec2/subnet:Subnet", "id": "2",
         "delete": true}]}}"#;

    #[test]
    fn the_end_of_a_urn_is_its_name_and_whole_parts_of_its_type() {
        const VPC: &str = "urn:pulumi:p::s::aws:ec2/vpc:Vpc::main";
        const SUBNET: &str = "urn:pulumi:p::s::my:x:C$aws:ec2/subnet:Subnet::main";
        const OTHER: &str = "urn:pulumi:p::s::aws:ec2/subnet:Subnet::a/b.c";
        check(STACK, VPC, &[VPC], "", NamedBy::Key);
        check(STACK, "main", &[VPC, SUBNET], "", NamedBy::End);
        check(STACK, "Vpc::main", &[VPC], "", NamedBy::End);
        check(STACK, "vpc:Vpc::main/outputs/id", &[VPC], "/outputs/id", NamedBy::End);
        check(STACK, "aws:ec2/subnet:Subnet::main", &[SUBNET], "", NamedBy::End);
        check(STACK, "a/b.c", &[OTHER], "", NamedBy::End);
        check(STACK, "Subnet::a/b.c", &[OTHER], "", NamedBy::End);
        for none in ["b.c", "c", "ain", "pc::main", "vpc::main", "Main", "::main", "", "Vpc::"] {
            assert_eq!(named(STACK, none), None, "{none}");
        }
    }

    #[test]
    fn a_path_leads_to_an_attribute() {
        const VPC: &str = "urn:pulumi:p::s::aws:ec2/vpc:Vpc::main";
        check(STACK, &format!("{VPC}.id"), &[VPC], "/outputs/id", NamedBy::Attribute);
        check(STACK, &format!("{VPC}.cidr"), &[VPC], "/inputs/cidr", NamedBy::Attribute);
        check(STACK, r#"Vpc::main.tags["Na.me"]"#, &[VPC], "/inputs/tags/Na.me", NamedBy::End);
        let state = r#"{"version": 4, "terraform_version": "1", "resources": [
            {"mode": "managed", "type": "t", "name": "a", "instances": [
                {"attributes": {"tags": {"Name": "n"}, "list": [{"x": 1}]}}]},
            {"mode": "managed", "type": "t", "name": "b", "instances": [
                {"index_key": 0, "attributes": {"id": "i0"}}, {"index_key": 1, "attributes": {"id": "i1"}}]}]}"#;
        check(state, "t.a.tags.Name", &["t.a"], "/instances/0/attributes/tags/Name", NamedBy::Attribute);
        check(state, "t.a.list[0].x", &["t.a"], "/instances/0/attributes/list/0/x", NamedBy::Attribute);
        check(state, "t.a.list.0.x", &["t.a"], "/instances/0/attributes/list/0/x", NamedBy::Attribute);
        check(state, "t.a.type", &["t.a"], "/type", NamedBy::Attribute);
        check(state, "t.a.none.x", &["t.a"], "/none/x", NamedBy::Attribute);
        check(state, "t.b[1].id", &["t.b[1]"], "/attributes/id", NamedBy::Attribute);
        check(state, "t.b.id", &["t.b[0]", "t.b[1]"], "/attributes/id", NamedBy::Attribute);
        let flat = r#"{"version": 3, "modules": [{"path": ["root"], "resources": {
            "t.a": {"type": "t", "primary": {"attributes": {"tags.Name": "n"}}}}}]}"#;
        check(flat, "t.a.tags.Name", &["t.a"], "/primary/attributes/tags.Name", NamedBy::Attribute);
    }

    #[test]
    fn an_attribute_is_that_of_the_current_object() {
        let state = r#"{"version": 4, "terraform_version": "1", "resources": [
            {"mode": "managed", "type": "t", "name": "a", "instances": [
                {"deposed": "0a", "attributes": {"id": "old"}}, {"attributes": {"id": "new"}}]},
            {"mode": "managed", "type": "t", "name": "b", "instances": [
                {"index_key": 0, "attributes": {"id": "new"}},
                {"index_key": 0, "deposed": "0b", "attributes": {"id": "old"}}]},
            {"mode": "managed", "type": "t", "name": "c", "instances": [
                {"deposed": "0c", "attributes": {"id": "old"}}]}]}"#;
        check(state, "t.a.id", &["t.a"], "/instances/1/attributes/id", NamedBy::Attribute);
        check(state, "t.b[0].id", &["t.b[0]"], "/attributes/id", NamedBy::Attribute);
        check(state, "t.b.id", &["t.b"], "/instances/0/attributes/id", NamedBy::Attribute);
        check(state, "t.b[0]", &["t.b[0]", "t.b[0]"], "", NamedBy::Key);
        check(state, "t.c.id", &["t.c"], "/instances/0/attributes/id", NamedBy::Attribute);
        let shown = r#"{"format_version": "1.0", "values": {"root_module": {"resources": [
            {"address": "t.a", "type": "t", "deposed_key": "0a", "values": {"id": "old"}},
            {"address": "t.a", "type": "t", "values": {"id": "new"}}]}}}"#;
        check(shown, "t.a.id", &["t.a"], "/values/id", NamedBy::Attribute);
        let stack = r#"{"deployment": {"resources": [
            {"urn": "urn:pulumi:s::p::x:y:Z::a", "type": "x:y:Z", "delete": true, "outputs": {"id": "old"}},
            {"urn": "urn:pulumi:s::p::x:y:Z::a", "type": "x:y:Z", "outputs": {"id": "new"}}]}}"#;
        check(stack, "Z::a.id", &["urn:pulumi:s::p::x:y:Z::a"], "/outputs/id", NamedBy::End);
    }

    #[test]
    fn an_output_has_the_name_of_its_export() {
        let template = r#"{"Resources": {"Vpc": {"Type": "AWS::EC2::VPC", "Export": {"Name": "n"}}}, "Outputs": {
            "Vpc": {"Value": {"Ref": "Vpc"}, "Export": {"Name": "net-vpc"}},
            "Url": {"Value": "x", "Export": {"Name": {"Fn::Sub": "${AWS::StackName}-url"}}}}}"#;
        check(template, "net-vpc", &["Outputs/Vpc"], "", NamedBy::Export);
        check(template, "net-vpc.Value", &["Outputs/Vpc"], "/Value", NamedBy::Export);
        check(template, "Outputs/Vpc", &["Outputs/Vpc"], "", NamedBy::Key);
        check(template, "Outputs/Vpc/Export", &["Outputs/Vpc"], "/Export", NamedBy::Key);
        check(template, "Vpc", &["Vpc"], "", NamedBy::Key);
        for none in ["n", "url", "${AWS::StackName}-url"] {
            assert_eq!(named(template, none), None, "{none}");
        }
    }

    #[test]
    fn an_address_means_all_its_instances() {
        let show = r#"{"format_version": "1.0", "values": {"root_module": {"resources": [
            {"address": "t.a[0]", "type": "t", "values": {"id": "0"}},
            {"address": "t.a[1]", "type": "t", "values": {"id": "1"}}]}}}"#;
        check(show, "t.a", &["t.a[0]", "t.a[1]"], "", NamedBy::Address);
        check(show, "t.a.id", &["t.a[0]", "t.a[1]"], "/values/id", NamedBy::Address);
        check(show, "t.a/values", &["t.a[0]", "t.a[1]"], "/values", NamedBy::Address);
        check(show, "t.a[1]", &["t.a[1]"], "", NamedBy::Key);
        for none in ["t.a[2]", "t.a[2].id", r#"t.a["x"]"#] {
            assert_eq!(named(show, none), None, "{none}");
        }
    }

    #[test]
    fn one_of_several_with_a_key_has_a_number() {
        const TWICE: &str = "urn:pulumi:p::s::aws:ec2/subnet:Subnet::twice";
        check(STACK, TWICE, &[TWICE, TWICE], "", NamedBy::Key);
        let compiled = compile(STACK.as_bytes(), &CompileOptions::default()).unwrap();
        let file = DocumentFile::from_data(&compiled.bytes[..]).unwrap();
        for (name, ordinal, pointer) in [
            (format!("{TWICE}#1"), 3, ""),
            (format!("{TWICE}#2"), 4, ""),
            (format!("{TWICE}#2/id"), 4, "/id"),
        ] {
            let named = file.view().named(&name, |_| Ok(true)).unwrap().unwrap();
            assert_eq!((named.by, &*named.pointer), (NamedBy::Number, pointer));
            assert_eq!(named.landmarks[0].ordinal(), Ok(ordinal));
            assert_eq!(named.landmarks.len(), 1);
        }
        for none in [
            format!("{TWICE}#0"),
            format!("{TWICE}#3"),
            format!("{TWICE}#02"),
            format!("{TWICE}#"),
            "twice#3".to_owned(),
            "main#1".to_owned(),
        ] {
            assert!(file.view().named(&none, |_| Ok(true)).unwrap().is_none(), "{none}");
        }
    }

    #[test]
    fn a_token_has_shorter_forms() {
        let entries: Vec<String> = (0..20).map(|n| format!(r#""t{n}": {{}}"#)).collect();
        let text = format!(
            r#"{{"resources": {{"kubernetes:apps/v1:Deployment": {{}}, "aws:ec2/vpc:Vpc": {{}}, {}}}}}"#,
            entries.join(",")
        );
        check(
            &text,
            "kubernetes:apps:Deployment",
            &["kubernetes:apps/v1:Deployment"],
            "",
            NamedBy::ShortToken,
        );
        check(&text, "aws:ec2:Vpc", &["aws:ec2/vpc:Vpc"], "", NamedBy::ShortToken);
        assert_eq!(named(&text, "aws:EC2:Vpc"), None, "the case counts");
    }
}
