//! The contents of a page for a browser: the graph, a list, sizes and changes.

use super::boxes::Layer;
use super::changes::{Changes, Noted};
use super::sizes::Measuring;
use crate::page::{Change, Contents, Item, Sizes};
use crate::{Direction, Picture, Vertex};
use coconut_format::error::DecodeError;
use coconut_format::numerals::grouped;
use coconut_report::Failure;
use coconut_report::source::Source;

/// The page of a graph.
pub(super) fn of_graph(
    source: Source<'_>,
    picture: &Picture,
    layers: &[Layer<'_, '_>],
    changes: Option<(&str, &Changes)>,
    direction: Direction,
) -> Result<String, Failure> {
    let mut contents = contents_of(source);
    contents.has_graph = true;
    contents.items = picture.vertices.iter().map(item_of).collect();
    let mut measuring = Measuring::of(source);
    if let (Some(layer), Some(boxes)) = (layers.first(), picture.boxes.first()) {
        for (one, &at) in layer.chosen.iter().zip(boxes) {
            let value = layer.graph.relations.value(layer.graph.node(one.vertex))?;
            if let Some(item) = contents.items.get_mut(at) {
                item.sizes.add(&measuring.sizes_of(value)?);
            }
        }
        if let Some(by) = layer.graph.relations.inferred_by() {
            contents.facts.push(("edges", format!("inferred ({by}); the document does not say them")));
        }
        if let Some((since, changes)) = changes {
            contents.changed_since = Some(since.to_owned());
            contents.changes = changes_of(layers, &picture.boxes, changes)?;
        }
    }
    contents.parts = measuring.finish(&mut contents.items)?;
    contents.links.clone_from(&picture.links);
    contents.hide_other_keys();
    Ok(contents.drawn(direction))
}

fn item_of(vertex: &Vertex) -> Item {
    Item {
        key: vertex.key.clone(),
        name: vertex.name.clone(),
        type_name: vertex.type_name.clone(),
        group: vertex.group.clone(),
        count: vertex.count,
        is_focus: vertex.is_focus,
        change: vertex.change(),
        sizes: Sizes::default(),
    }
}

/// The changes of the boxes in a picture, in their order.
fn changes_of(
    layers: &[Layer<'_, '_>],
    boxes: &[Vec<usize>],
    changes: &Changes,
) -> Result<Vec<Change>, DecodeError> {
    let mut found = Vec::new();
    let (Some(new), Some(of_new)) = (layers.first(), boxes.first()) else { return Ok(found) };
    let old = layers.get(1).zip(boxes.get(1));
    for (one, &item) in new.chosen.iter().zip(of_new) {
        let Some(Noted { moved_from, places, count, .. }) = changes.new.get(&one.vertex) else { continue };
        let moved_from = match (moved_from, old) {
            (Some(vertex), Some((old, _))) => Some(old.graph.name(*vertex)?),
            _ => None,
        };
        found.push(Change { item, moved_from, places: places.clone(), count: *count });
    }
    let gone = old.map_or(&[][..], |(_, boxes)| boxes);
    let change = |&item: &usize| Change { item, moved_from: None, places: Vec::new(), count: 0 };
    found.extend(gone.iter().map(change));
    Ok(found)
}

/// A page about this file, without items.
pub(super) fn contents_of(source: Source<'_>) -> Contents {
    let header = source.view.header();
    let mut facts = vec![("type", header.document_type.to_string())];
    facts.extend(header.dialect.as_deref().map(|dialect| ("dialect", dialect.to_owned())));
    facts.push(("size", format!("{} bytes", grouped(source.size))));
    if source.document_bytes() != source.size {
        facts.push(("compiled", format!("{} bytes", grouped(source.document_bytes()))));
    }
    let title = source.name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    Contents { title, facts, ..Contents::default() }
}
