//! Resources joined with their instances (§15.4).
//!
//! A reference names a resource, and an edge leads to the outermost landmark of that address. The
//! source of a reference is often an instance inside a resource. So an answer about a resource
//! includes its instances, and an answer about an instance includes its resource.

use super::{EdgeView, LandmarkView, SearchMeter};
use crate::read::file::DocumentView;
use crate::wire::ids::Ordinal;
use coconut_format::error::DecodeError;
use coconut_format::landmark::without_instances;

impl<'a> LandmarkView<'a> {
    /// Returns the landmarks that form one resource with this one, in document order. These are
    /// itself, and those around it and inside it with the same key without instance keys.
    ///
    /// For a landmark without instances, returns only itself. Costs a key read for each landmark
    /// around it and for each one directly inside.
    pub fn joined(&self) -> Result<Vec<LandmarkView<'a>>, DecodeError> {
        if !self.document.has_nested_landmarks()? {
            return Ok(vec![*self]);
        }
        let meter = SearchMeter::of(self.document);
        let key = self.key_within(&meter)?;
        let address = without_instances(&key);
        let is_same = |other: &LandmarkView<'a>| -> Result<bool, DecodeError> {
            Ok(without_instances(&other.key_within(&meter)?) == address)
        };
        let mut joined = Vec::new();
        let mut around = self.parent()?;
        while let Some(parent) = around {
            if !is_same(&parent)? {
                break;
            }
            joined.push(parent);
            around = parent.parent()?;
        }
        joined.reverse();
        joined.push(*self);
        let mut inside = self.children()?;
        inside.reverse();
        while let Some(child) = inside.pop() {
            if is_same(&child)? {
                joined.push(child);
                inside.extend(child.children()?.into_iter().rev());
            }
        }
        Ok(joined)
    }

    /// Returns the outermost landmark that forms one resource with this one.
    pub fn resource(&self) -> Result<LandmarkView<'a>, DecodeError> {
        let Some(mut around) = self.parent()? else { return Ok(*self) };
        let meter = SearchMeter::of(self.document);
        let key = self.key_within(&meter)?;
        let address = without_instances(&key);
        let mut outermost = *self;
        while without_instances(&around.key_within(&meter)?) == address {
            outermost = around;
            match around.parent()? {
                Some(parent) => around = parent,
                None => break,
            }
        }
        Ok(outermost)
    }

    /// Returns the edges that start at it or at a landmark [joined](Self::joined) with it, by
    /// target and kind, each once. So a resource has the dependencies of all its instances.
    pub fn joined_dependencies(&self) -> Result<Vec<EdgeView<'a>>, DecodeError> {
        self.joined_edges(LandmarkView::dependencies)
    }

    /// Returns the edges that lead to it or to a landmark [joined](Self::joined) with it, by source
    /// and kind, each once. So an instance has the dependents of its resource.
    pub fn joined_dependents(&self) -> Result<Vec<EdgeView<'a>>, DecodeError> {
        self.joined_edges(LandmarkView::dependents)
    }

    fn joined_edges(
        &self,
        edges: impl Fn(&LandmarkView<'a>) -> Result<Vec<EdgeView<'a>>, DecodeError>,
    ) -> Result<Vec<EdgeView<'a>>, DecodeError> {
        let mut found: Vec<(u32, EdgeView<'a>)> = Vec::new();
        for landmark in self.joined()? {
            for edge in edges(&landmark)? {
                found.push((edge.landmark.ordinal()?, edge));
            }
            self.document.check_edges_met(found.len())?;
        }
        found.sort_by_key(|(ordinal, edge)| (*ordinal, edge.number));
        found.dedup_by_key(|(ordinal, edge)| (*ordinal, edge.number));
        Ok(found.into_iter().map(|(_, edge)| edge).collect())
    }
}

impl<'a> DocumentView<'a> {
    /// Returns the landmarks that the address of a resource names: those whose full key is
    /// `address`. If there are none, the outermost ones whose full key without instance keys is
    /// `address`.
    ///
    /// Some documents list only instances: `aws_subnet.a[0]`, without an `aws_subnet.a` around it.
    /// If no landmark has the key, this costs a key read for each landmark.
    pub fn get_addressed(&self, address: &str) -> Result<Vec<LandmarkView<'a>>, DecodeError> {
        let exact = self.get_all(address)?;
        if !exact.is_empty() {
            return Ok(exact);
        }
        let mut found: Vec<LandmarkView<'a>> = Vec::new();
        let mut keys = self.keys()?;
        while let Some((landmark, key)) = keys.read_next()? {
            // An equal key would have been found.
            if without_instances(key) == address {
                found.push(landmark);
            }
        }
        outermost(found)
    }
}

/// The landmarks that are not inside another one of these. They are in document order.
pub(super) fn outermost(found: Vec<LandmarkView<'_>>) -> Result<Vec<LandmarkView<'_>>, DecodeError> {
    let mut outer: Vec<LandmarkView<'_>> = Vec::new();
    for landmark in found {
        let is_inside = match outer.last() {
            Some(last) => {
                landmark.document.is_within(Ordinal(landmark.ordinal()?), Ordinal(last.ordinal()?))?
            }
            None => false,
        };
        if !is_inside {
            outer.push(landmark);
        }
    }
    Ok(outer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;

    /// Two instances inside a resource; one is referenced elsewhere by its own key.
    const STATE: &str = r#"{"version": 4, "terraform_version": "1.11.4", "resources": [
        {"mode": "managed", "type": "t", "name": "vpc", "instances": [{"attributes": {}}]},
        {"mode": "managed", "type": "t", "name": "subnet", "instances": [
            {"index_key": "a", "attributes": {}, "dependencies": ["t.vpc"]},
            {"index_key": "b", "attributes": {}, "dependencies": ["t.vpc"]}]},
        {"mode": "managed", "type": "t", "name": "web", "instances": [
            {"attributes": {}, "dependencies": ["t.subnet", "t.vpc"]}]}]}"#;

    const SHOW: &str = r#"{"format_version": "1.0", "values": {"root_module": {"resources": [
        {"address": "t.vpc", "type": "t", "values": {}},
        {"address": "t.subnet[0]", "type": "t", "values": {}, "depends_on": ["t.vpc"]},
        {"address": "t.subnet[1]", "type": "t", "values": {}, "depends_on": ["t.vpc"]}]}}}"#;

    fn with<T>(text: &str, ask: impl FnOnce(DocumentView<'_>) -> T) -> T {
        let compiled = compile(text.as_bytes(), &CompileOptions::default()).unwrap();
        ask(DocumentFile::from_data(&compiled.bytes[..]).unwrap().view())
    }

    fn keys(landmarks: &[LandmarkView<'_>]) -> Vec<String> {
        landmarks.iter().map(|landmark| landmark.key().unwrap().into_owned()).collect()
    }

    fn ends(edges: &[EdgeView<'_>]) -> Vec<String> {
        edges.iter().map(|edge| edge.landmark.key().unwrap().into_owned()).collect()
    }

    #[test]
    fn a_resource_has_the_dependencies_of_its_instances() {
        with(STATE, |document| {
            let subnet = document.get_all("t.subnet").unwrap()[0];
            assert_eq!(subnet.dependencies().unwrap().len(), 0);
            assert_eq!(ends(&subnet.joined_dependencies().unwrap()), ["t.vpc"]);
            assert_eq!(keys(&subnet.joined().unwrap()), ["t.subnet", r#"t.subnet["a"]"#, r#"t.subnet["b"]"#]);
        });
    }

    #[test]
    fn an_instance_has_the_dependents_of_its_resource() {
        with(STATE, |document| {
            let instance = document.get_all(r#"t.subnet["b"]"#).unwrap()[0];
            assert_eq!(instance.dependents().unwrap().len(), 0);
            assert_eq!(ends(&instance.joined_dependents().unwrap()), ["t.web"]);
            assert_eq!(keys(&instance.joined().unwrap()), ["t.subnet", r#"t.subnet["b"]"#]);
            assert_eq!(instance.resource().unwrap().key().unwrap(), "t.subnet");
            let vpc = document.get_all("t.vpc").unwrap()[0];
            assert_eq!(keys(&vpc.joined().unwrap()), ["t.vpc"]);
            assert_eq!(vpc.resource().unwrap().key().unwrap(), "t.vpc");
        });
    }

    #[test]
    fn an_address_names_all_instances_of_a_flat_document() {
        with(SHOW, |document| {
            let named = |address| keys(&document.get_addressed(address).unwrap());
            assert_eq!(named("t.subnet"), ["t.subnet[0]", "t.subnet[1]"]);
            assert_eq!(named("t.subnet[1]"), ["t.subnet[1]"]);
            assert_eq!(named("t.none"), [""; 0]);
        });
        with(STATE, |document| {
            assert_eq!(keys(&document.get_addressed("t.subnet").unwrap()), ["t.subnet"]);
        });
    }

    #[test]
    fn modules_and_their_members_are_not_joined() {
        let package =
            r#"{"name": "p", "modules": {"m": {"kind": "Module", "members": {"f": {"kind": "V"}}}}}"#;
        with(package, |document| {
            let module = document.get_all("p:m").unwrap()[0];
            assert_eq!(keys(&module.joined().unwrap()), ["p:m"]);
        });
    }
}
