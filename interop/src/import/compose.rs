//! Compose files: `compose-1`.
//!
//! Services, networks, volumes, secrets, configs and models are vertices. Variables in strings are
//! not replaced.

use super::draft::{Described, Draft};
use super::scalar::{one_or_many, string};
use super::{Edge, EdgeKind, ImportError, ImportFindingKind, Missing, Source};
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::{Pointer, push_key};
use std::collections::HashMap;

/// The sections of a file whose entries are vertices, each with the word used in their type.
const SECTIONS: &[(&str, &str)] = &[
    ("services", "service"),
    ("networks", "network"),
    ("volumes", "volume"),
    ("secrets", "secret"),
    ("configs", "config"),
    ("models", "model"),
];

/// A network that every project has.
const DEFAULT_NETWORK: &str = "default";

pub(super) fn import<'a, N: Node<'a>>(
    sources: &[Source<'_, N>],
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let mut known: HashMap<(&str, &str), u32> = HashMap::new();
    let mut services = Vec::new();
    let first_file_of = first_files(sources);
    for (source, root) in (0..).zip(sources.iter().map(|source| source.root)) {
        let project = string(root, "name").unwrap_or("project");
        for (section, word) in SECTIONS {
            for (name, value) in root.get(section).into_iter().flat_map(Node::entries) {
                if first_file_of.get(&(*section, name)).is_some_and(|&first| source < first) {
                    continue;
                }
                let mut pointer = format!("/{section}");
                push_key(&mut pointer, name);
                let value = match Merge::of(value) {
                    Some(Merge::Reset) => continue,
                    Some(Merge::Override(inner)) => {
                        pointer.push_str("/override");
                        inner
                    }
                    None => value,
                };
                let number = draft.resource(Described {
                    key: name.to_owned(),
                    pointer: pointer.clone(),
                    source,
                    value,
                    allocation: project,
                    resource_type: &format!("compose:{word}"),
                    name,
                    id: None,
                })?;
                if let Some(earlier) = known.insert((section, name), number) {
                    draft.replace(earlier, number)?;
                }
                if *section == "services" {
                    services.push((number, value, pointer, name));
                }
            }
        }
        for (index, include) in root.get("include").into_iter().flat_map(one_or_many) {
            let paths = if include.kind() == Kind::Object { include.get("path") } else { Some(include) };
            for (_, path) in paths.into_iter().flat_map(one_or_many) {
                let at = index.map_or("/include".to_owned(), |index| format!("/include/{index}"));
                if let Some(path) = path.as_str() {
                    draft.finding(ImportFindingKind::Include, path, source, at)?;
                }
            }
        }
    }
    // The fields that later files take away or replace.
    let mut replaced: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut replaced_later = Vec::with_capacity(services.len());
    for (_, value, _, name) in services.iter().rev() {
        let of_name = replaced.entry(name).or_default();
        replaced_later.push(of_name.clone());
        of_name.extend(value.entries().filter(|(_, value)| Merge::of(*value).is_some()).map(|(key, _)| key));
    }
    for ((number, value, pointer, _), replaced) in services.into_iter().zip(replaced_later.into_iter().rev())
    {
        let at = Pointer::root();
        Service { number, value, pointer, replaced, at, known: &known, draft: &mut *draft }.edges()?;
    }
    Ok(())
}

/// The number of the first file that counts for a vertex, if that is not the first one: a later
/// file takes the vertex away or replaces it as a whole.
fn first_files<'a, N: Node<'a>>(sources: &[Source<'_, N>]) -> HashMap<(&'static str, &'a str), u32> {
    let mut first = HashMap::new();
    for (source, root) in (0..).zip(sources.iter().map(|source| source.root)) {
        for (section, _) in SECTIONS {
            let entries = root.get(section).into_iter().flat_map(Node::entries);
            let whole = entries.filter(|(_, value)| Merge::of(*value).is_some());
            first.extend(whole.map(|(name, _)| ((*section, name), source)));
        }
    }
    first
}

struct Service<'s, 'a, 'o, N> {
    number: u32,
    value: N,
    pointer: String,
    /// The fields that a later file takes away or replaces.
    replaced: Vec<&'a str>,
    /// The place of the reference, below the service.
    at: Pointer,
    known: &'s HashMap<(&'s str, &'a str), u32>,
    draft: &'s mut Draft<'a, 'o, N>,
}

impl<'a, N: Node<'a>> Service<'_, 'a, '_, N> {
    fn edges(&mut self) -> Result<(), ImportError> {
        let service = "services";
        self.names("depends_on", |this, name, settings| {
            let required = settings.and_then(|settings| settings.get("required"));
            let is_optional = required.and_then(Node::as_bool) == Some(false);
            this.lead(EdgeKind::DependsOn, service, name, is_optional)
        })?;
        self.names("links", |this, link, _| {
            let name = link.split(':').next().unwrap_or_default();
            this.lead(EdgeKind::Reference, service, name, false)
        })?;
        self.names("volumes_from", |this, text, _| match text.split_once(':') {
            // The name is any container on the machine.
            Some(("container", _)) => Ok(()),
            Some((name, _)) => this.lead(EdgeKind::Reference, service, name, false),
            None => this.lead(EdgeKind::Reference, service, text, false),
        })?;
        for key in ["network_mode", "ipc", "pid", "uts"] {
            if let Some(name) = string(self.value, key).and_then(|mode| mode.strip_prefix("service:")) {
                self.at.push_key(key);
                let kind = if key == "network_mode" { EdgeKind::Network } else { EdgeKind::Reference };
                self.lead(kind, service, name, false)?;
                self.at.pop();
            }
        }
        self.extends()?;
        self.build()?;
        self.networks()?;
        self.volumes()?;
        self.sources_of("secrets", EdgeKind::Secret, "secrets")?;
        self.sources_of("configs", EdgeKind::ConfigMap, "configs")?;
        self.names("models", |this, name, _| this.lead(EdgeKind::Reference, "models", name, false))
    }

    /// Goes to a field of the service.
    fn enter(&mut self, field: &str) -> Option<N> {
        let value = self.value.get(field).filter(|_| !self.replaced.contains(&field))?;
        self.at.push_key(field);
        match Merge::of(value) {
            Some(Merge::Reset) => None,
            Some(Merge::Override(inner)) => {
                self.at.push_key("override");
                Some(inner)
            }
            None => Some(value),
        }
    }

    /// Visits the names in a list of strings, or in an object whose values are settings.
    fn names(
        &mut self,
        key: &str,
        mut each: impl FnMut(&mut Self, &str, Option<N>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let names = self.enter(key);
        for (index, item) in names.into_iter().flat_map(Node::items).enumerate() {
            self.at.push_index(index);
            if let Some(name) = item.as_str() {
                each(self, name, None)?;
            }
            self.at.pop();
        }
        for (name, settings) in names.into_iter().flat_map(Node::entries) {
            self.at.push_key(name);
            each(self, name, Some(settings))?;
            self.at.pop();
        }
        self.at.truncate(0);
        Ok(())
    }

    fn extends(&mut self) -> Result<(), ImportError> {
        if let Some(extends) = self.enter("extends")
            && let Some(name) = extends.as_str().or_else(|| string(extends, "service"))
        {
            match string(extends, "file") {
                // A service of another file is not the service of this project with the same name.
                Some(file) => self.missing(EdgeKind::Reference, &format!("{file}#{name}"), false)?,
                None => self.lead(EdgeKind::Reference, "services", name, false)?,
            }
        }
        self.at.truncate(0);
        Ok(())
    }

    fn build(&mut self) -> Result<(), ImportError> {
        let build = self.enter("build");
        let contexts = build.and_then(|build| build.get("additional_contexts"));
        self.at.push_key("additional_contexts");
        for (index, item) in contexts.into_iter().flat_map(Node::items).enumerate() {
            self.at.push_index(index);
            let value = item.as_str().and_then(|text| text.split_once('=')).map(|(_, value)| value);
            self.context(value)?;
            self.at.pop();
        }
        for (name, value) in contexts.into_iter().flat_map(Node::entries) {
            self.at.push_key(name);
            self.context(value.as_str())?;
            self.at.pop();
        }
        self.at.pop();
        self.at.push_key("secrets");
        let secrets = build.and_then(|build| build.get("secrets"));
        for (index, secret) in secrets.into_iter().flat_map(Node::items).enumerate() {
            self.at.push_index(index);
            if let Some(name) = secret.as_str().or_else(|| string(secret, "source")) {
                self.lead(EdgeKind::Secret, "secrets", name, false)?;
            }
            self.at.pop();
        }
        self.at.truncate(0);
        Ok(())
    }

    fn context(&mut self, value: Option<&str>) -> Result<(), ImportError> {
        match value.and_then(|value| value.strip_prefix("service:")) {
            Some(name) => self.lead(EdgeKind::Reference, "services", name, false),
            None => Ok(()),
        }
    }

    /// Adds the networks of a service. A service without networks is in `default`, unless it has
    /// another mode. There is a vertex for it only if the file declares that network.
    fn networks(&mut self) -> Result<(), ImportError> {
        if self.replaced.contains(&"networks") {
            return Ok(());
        }
        let named = self.enter("networks").filter(|networks| networks.width() > 0);
        self.at.truncate(0);
        if named.is_some() {
            return self.names("networks", |this, name, _| match this.known.get(&("networks", name)) {
                None if name == DEFAULT_NETWORK => Ok(()),
                _ => this.lead(EdgeKind::Network, "networks", name, false),
            });
        }
        let own = self.known.get(&("networks", DEFAULT_NETWORK));
        match own.filter(|_| self.value.get("network_mode").is_none()) {
            Some(&network) => self.draft.edge(self.number, EdgeKind::Network, network),
            None => Ok(()),
        }
    }

    fn volumes(&mut self) -> Result<(), ImportError> {
        let volumes = self.enter("volumes");
        for (index, volume) in volumes.into_iter().flat_map(Node::items).enumerate() {
            self.at.push_index(index);
            let name = match volume.as_str() {
                Some(text) => named_volume(text),
                None => {
                    let is_named = matches!(string(volume, "type"), None | Some("volume" | "cluster"));
                    string(volume, "source").filter(|_| is_named)
                }
            };
            if let Some(name) = name {
                self.lead(EdgeKind::Volume, "volumes", name, false)?;
            }
            self.at.pop();
        }
        self.at.truncate(0);
        Ok(())
    }

    /// The names in a list whose items are strings or objects with `source`.
    fn sources_of(&mut self, key: &str, kind: EdgeKind, section: &str) -> Result<(), ImportError> {
        let listed = self.enter(key);
        for (index, item) in listed.into_iter().flat_map(Node::items).enumerate() {
            self.at.push_index(index);
            if let Some(name) = item.as_str().or_else(|| string(item, "source")) {
                self.lead(kind, section, name, false)?;
            }
            self.at.pop();
        }
        self.at.truncate(0);
        Ok(())
    }

    fn lead(
        &mut self,
        kind: EdgeKind,
        section: &str,
        name: &str,
        is_optional: bool,
    ) -> Result<(), ImportError> {
        match self.known.get(&(section, name)) {
            Some(&to) => {
                let edge = Edge { from: self.number, kind, to, is_optional, is_assumed: false };
                self.draft.edge_with(edge)
            }
            None => self.missing(kind, name, is_optional),
        }
    }

    fn missing(&mut self, kind: EdgeKind, name: &str, is_optional: bool) -> Result<(), ImportError> {
        let at = format!("{}{}", self.pointer, self.at);
        self.draft.missing(Missing { from: self.number, kind, name: name.to_owned(), at, is_optional })
    }
}

/// A tag (§17.1) that states how a value is laid over that of an earlier file.
enum Merge<N> {
    /// `!reset`: the value is taken away.
    Reset,
    /// `!override`: this value replaces the other.
    Override(N),
}

impl<'a, N: Node<'a>> Merge<N> {
    fn of(value: N) -> Option<Merge<N>> {
        let has_one = value.kind() == Kind::Object && value.width() == 1;
        match value.entries().next().filter(|_| has_one)? {
            ("reset", inner) if inner.width() == 0 => Some(Merge::Reset),
            ("override", inner) if inner.kind().is_container() => Some(Merge::Override(inner)),
            _ => None,
        }
    }
}

/// The volume in the short form `name:/path:mode`; `None` for a path on the machine, and for a
/// volume without a name.
fn named_volume(text: &str) -> Option<&str> {
    let (source, target) = text.split_once(':')?;
    let is_path = source.is_empty() || source.starts_with(['.', '/', '~', '$', '\\']);
    // `C:\data:/data` is a Windows path.
    let is_drive = source.len() == 1 && target.starts_with(['\\', '/']) && target.contains(':');
    (!is_path && !is_drive).then_some(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_is_a_volume() {
        let texts =
            ["db:/var/lib/db", "db:/var:ro", "./x:/y", "/x:/y", "~/x:/y", "/y", r"C:\x:/y", "${V}:/y"];
        let names = texts.map(named_volume);
        assert_eq!(names, [Some("db"), Some("db"), None, None, None, None, None, None]);
    }
}
