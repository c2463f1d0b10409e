//! Puppet catalogs: `puppet-1`.
//!
//! | in the catalog | edge |
//! |---|---|
//! | `edges`: a container and its contents | `owner`, from the contents |
//! | `require` | `require` |
//! | `before` | `require`, from the other resource |
//! | `subscribe` | `subscribe` |
//! | `notify` | `subscribe`, from the other resource |

use super::draft::{Described, Draft};
use super::scalar::{at, string, text_of};
use super::{EdgeKind, ImportError, ImportFindingKind, Missing, World, limits};
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::{push_index, push_key};
use coconut_pcore::is_incomplete_timespan;
use std::collections::HashMap;

/// The container of nearly everything.
const MAIN: &str = "class[main]";

/// The part of a document that contains the resources, and its pointer.
pub(super) fn catalog<'a, N: Node<'a>>(root: N) -> Option<(N, &'static str)> {
    let only = || root.items().next().filter(|_| root.kind() == Kind::List && root.width() == 1);
    let places = [
        (Some(root), ""),
        (root.get("data"), "/data"),
        // An answer of a server, and one of PuppetDB about one node.
        (root.get("catalog"), "/catalog"),
        (only(), "/0"),
    ];
    places.into_iter().find_map(|(node, pointer)| {
        let node = node?;
        let (resources, _) = list(node, "resources")?;
        let is_catalog = ["catalog_format", "classes", "catalog_uuid", "environment"]
            .iter()
            .any(|key| node.get(key).is_some());
        let has_titles = |resource: N| {
            resource.get("type").is_some_and(|kind| kind.kind() == Kind::String)
                && resource.get("title").is_some_and(|title| title.kind() != Kind::Object)
        };
        let first = resources.items().next();
        // An empty catalog still declares its type.
        let is_one = first.map_or(is_catalog && node.get("name").is_some(), has_titles);
        is_one.then_some((node, pointer))
    })
}

/// A list, or the list that a PuppetDB catalog wraps in an object.
fn list<'a, N: Node<'a>>(node: N, key: &str) -> Option<(N, String)> {
    let value = node.get(key)?;
    let (value, pointer) = match value.kind() {
        Kind::Object => (value.get("data")?, format!("/{key}/data")),
        _ => (value, format!("/{key}")),
    };
    (value.kind() == Kind::List).then_some((value, pointer))
}

pub(super) fn import<'a, N: Node<'a>>(
    world: World<'_, N>,
    with_main: bool,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let Some((catalog, base)) = catalog(world.root) else { return Ok(()) };
    let Some((resources, pointer)) = list(catalog, "resources") else { return Ok(()) };
    let name = string(catalog, "name").unwrap_or("catalog");
    let allocation = if world.name.is_empty() { name } else { world.name };
    let pointer = format!("{base}{pointer}");
    let mut titles = Titles::default();
    let mut all = Vec::new();
    for (index, resource) in resources.items().enumerate() {
        let pointer = format!("{pointer}/{index}");
        let title = resource.get("title").and_then(text_of);
        let (Some(kind), Some(title)) = (string(resource, "type"), title) else {
            let what = "something without `type` and `title`";
            draft.finding(ImportFindingKind::NoResource, what, world.number, pointer)?;
            continue;
        };
        let key = format!("{kind}[{title}]");
        let number = draft.resource(Described {
            key: key.clone(),
            pointer: pointer.clone(),
            source: world.number,
            value: resource,
            allocation,
            resource_type: &format!("puppet:{}", kind.replace("::", "/")),
            name: &title,
            id: Some(key),
        })?;
        if let Some(earlier) = titles.exact.insert(canonical(kind, &title), number) {
            draft.replace(earlier, number)?;
        }
        all.push((number, kind, resource, pointer));
    }
    for (number, kind, resource, _) in &all {
        titles.add_aliases(kind, *resource, *number);
    }
    contained(catalog, base, &titles, with_main, draft)?;
    for (number, kind, resource, pointer) in &all {
        let Some(parameters) = resource.get("parameters") else { continue };
        let mut at = format!("{pointer}/parameters");
        find_timespans(parameters, &mut at, world.number, limits::LEVELS, draft)?;
        for (key, edge, is_reversed) in [
            ("require", EdgeKind::Require, false),
            ("before", EdgeKind::Require, true),
            ("subscribe", EdgeKind::Subscribe, false),
            ("notify", EdgeKind::Subscribe, true),
        ] {
            let Some(value) = parameters.get(key) else { continue };
            let at = format!("{pointer}/parameters/{key}");
            let relation = Relation { number: *number, edge, is_reversed };
            relation.follow(value, &at, &titles, limits::LEVELS, draft)?;
        }
        // The value names a stage of a run: the class is in it.
        if kind.eq_ignore_ascii_case("class")
            && let Some(stage) = string(parameters, "stage")
        {
            match titles.exact.get(&canonical("stage", stage)) {
                Some(&stage) => draft.edge(*number, EdgeKind::Owner, stage)?,
                None => {
                    let (name, at) = (format!("Stage[{stage}]"), format!("{pointer}/parameters/stage"));
                    let kind = EdgeKind::Owner;
                    draft.missing(Missing { from: *number, kind, name, at, is_optional: false })?;
                }
            }
        }
    }
    Ok(())
}

/// Reports the durations in rich data (§24.6) whose fraction may lack leading zeros.
fn find_timespans<'a, N: Node<'a>>(
    value: N,
    at: &mut String,
    source: u32,
    levels: u32,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    if levels == 0 || !value.kind().is_container() {
        return Ok(());
    }
    draft.work(1)?;
    let length = at.len();
    if let Some("Timespan") = value.get("__ptype").and_then(Node::as_str)
        && let Some(text) = string(value, "__pvalue").filter(|text| is_incomplete_timespan(text))
    {
        return draft.finding(ImportFindingKind::Timespan, text, source, at.clone());
    }
    for (index, item) in value.items().enumerate() {
        push_index(at, index);
        find_timespans(item, at, source, levels - 1, draft)?;
        at.truncate(length);
    }
    for (key, entry) in value.entries() {
        push_key(at, key);
        find_timespans(entry, at, source, levels - 1, draft)?;
        at.truncate(length);
    }
    Ok(())
}

/// Adds the edges of the list `edges`: a container and its contents, and in PuppetDB also
/// relations.
fn contained<'a, N: Node<'a>>(
    catalog: N,
    base: &str,
    titles: &Titles,
    with_main: bool,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let Some((edges, pointer)) = list(catalog, "edges") else { return Ok(()) };
    for (index, edge) in edges.items().enumerate() {
        draft.work(1)?;
        let ends = ["source", "target"].map(|key| edge.get(key).and_then(reference_of));
        let [Some(source), Some(target)] = ends else { continue };
        let relationship = string(edge, "relationship").unwrap_or("contains");
        let (from, to) = (&target, &source);
        let kind = match relationship {
            "before" | "required-by" => EdgeKind::Require,
            "notifies" | "subscription-of" => EdgeKind::Subscribe,
            _ => EdgeKind::Owner,
        };
        if kind == EdgeKind::Owner && !with_main && canonical_of(to).as_deref() == Some(MAIN) {
            continue;
        }
        let Some(from) = titles.one(from) else { continue };
        match titles.one(to) {
            Some(to) => draft.edge(from, kind, to)?,
            None => {
                let at = format!("{base}{pointer}/{index}/source");
                draft.missing(Missing { from, kind, name: to.clone(), at, is_optional: false })?;
            }
        }
    }
    Ok(())
}

/// A reference as `Type[title]`: a text, or an object with both.
fn reference_of<'a, N: Node<'a>>(node: N) -> Option<String> {
    match node.as_str() {
        Some(text) => Some(text.to_owned()),
        None => {
            let title = at(node, &["title"]).and_then(text_of)?;
            Some(format!("{}[{title}]", string(node, "type")?))
        }
    }
}

/// A parameter of a resource that names other resources.
struct Relation {
    number: u32,
    edge: EdgeKind,
    /// Whether the other resource depends on this one.
    is_reversed: bool,
}

impl Relation {
    /// Follows a reference, or a list of them.
    fn follow<'a, N: Node<'a>>(
        &self,
        value: N,
        at: &str,
        titles: &Titles,
        levels: u32,
        draft: &mut Draft<'a, '_, N>,
    ) -> Result<(), ImportError> {
        draft.work(1)?;
        if value.kind() == Kind::List {
            if levels > 0 {
                for (index, item) in value.items().enumerate() {
                    self.follow(item, &format!("{at}/{index}"), titles, levels - 1, draft)?;
                }
            }
            return Ok(());
        }
        let Some(text) = reference_of(value).filter(|text| !text.is_empty()) else { return Ok(()) };
        let found = match titles.one(&text) {
            Some(number) => vec![Ok(number)],
            None => titles.many(&text),
        };
        for found in found {
            match found {
                Ok(other) if self.is_reversed => draft.edge(other, self.edge, self.number)?,
                Ok(other) => draft.edge(self.number, self.edge, other)?,
                Err(name) => {
                    let (from, kind, at) = (self.number, self.edge, at.to_owned());
                    draft.missing(Missing { from, kind, name, at, is_optional: false })?;
                }
            }
        }
        Ok(())
    }
}

/// Resources by their reference, whose type is in lower case.
#[derive(Default)]
struct Titles {
    exact: HashMap<String, u32>,
    /// Resources by the parameters that name a resource, too.
    aliases: HashMap<String, u32>,
}

impl Titles {
    fn add_aliases<'a, N: Node<'a>>(&mut self, kind: &str, resource: N, number: u32) {
        let Some(parameters) = resource.get("parameters") else { return };
        for key in ["alias", "name", "path"] {
            for (_, value) in parameters.get(key).into_iter().flat_map(super::scalar::one_or_many) {
                if let Some(text) = text_of(value) {
                    self.aliases.entry(canonical(kind, &text)).or_insert(number);
                }
            }
        }
    }

    /// The resource that a text names as a whole.
    fn one(&self, text: &str) -> Option<u32> {
        let text = canonical_of(text)?;
        self.exact.get(&text).or_else(|| self.aliases.get(&text)).copied()
    }

    /// The resources that a text with several titles names: `File[/a, '/b']`. Each missing one is
    /// an error with its reference.
    fn many(&self, text: &str) -> Vec<Result<u32, String>> {
        let Some((kind, inner)) = split(text) else { return vec![Err(text.to_owned())] };
        let titles = titles_in(inner);
        if titles.len() < 2 && titles.first() == Some(&inner) {
            return vec![Err(text.to_owned())];
        }
        let references = titles.into_iter().map(|title| format!("{kind}[{title}]"));
        references.map(|reference| self.one(&reference).ok_or(reference)).collect()
    }
}

/// The type and the text in brackets.
fn split(text: &str) -> Option<(&str, &str)> {
    text.strip_suffix(']')?.split_once('[')
}

/// The normalised form of a reference, in which equal references are identical.
fn canonical_of(text: &str) -> Option<String> {
    split(text).map(|(kind, title)| canonical(kind, title))
}

/// The segments of types ignore case, and so do names of classes.
fn canonical(kind: &str, title: &str) -> String {
    let kind = kind.trim_start_matches("::").to_lowercase();
    match kind.as_str() {
        "class" => format!("class[{}]", title.trim_start_matches("::").to_lowercase()),
        _ => format!("{kind}[{title}]"),
    }
}

/// The titles in a list, separated by commas outside quotes, with their quotes removed.
fn titles_in(text: &str) -> Vec<&str> {
    let mut titles = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (',', None) => {
                titles.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    titles.push(&text[start..]);
    let unquoted = |title: &str| -> Option<(usize, usize)> {
        let inner = ['\'', '"'].iter().find_map(|quote| title.strip_prefix(*quote)?.strip_suffix(*quote));
        inner.map(|inner| (1, 1 + inner.len()))
    };
    let trimmed = titles.into_iter().map(str::trim).map(|title| match unquoted(title) {
        Some((start, end)) => &title[start..end],
        None => title,
    });
    trimmed.filter(|title| !title.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_split_at_commas_outside_of_quotes() {
        assert_eq!(titles_in("/a, '/b,c' ,\"d\""), ["/a", "/b,c", "d"]);
        assert_eq!(titles_in("it's"), ["it's"]);
        assert_eq!(titles_in(""), [""; 0]);
    }

    #[test]
    fn types_are_equal_in_any_case() {
        assert_eq!(canonical("Apt::Source", "A"), canonical("apt::source", "A"));
        assert_ne!(canonical("File", "/A"), canonical("File", "/a"));
        assert_eq!(canonical("Class", "Foo::Bar"), canonical("class", "::foo::bar"));
    }
}
