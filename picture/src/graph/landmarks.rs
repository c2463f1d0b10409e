//! The landmarks of a document as the items of a page.

use super::boxes::module_of;
use super::contents::contents_of;
use super::sizes::Measuring;
use crate::page::{Contents, Item, MOST_BOXES, Sizes};
use coconut_codec::secrets::{HiddenKeys, Redaction};
use coconut_report::failure::Failure;
use coconut_report::place::for_each_landmark;
use coconut_report::select::type_of;
use coconut_report::source::Source;
use std::collections::HashMap;

/// All landmarks, each with the bytes that are in no other one. If there are too many for a page,
/// those of one type are one item.
pub fn landmarks_of(source: Source<'_>, reveal: bool) -> Result<Contents, Failure> {
    let document = source.view;
    let hidden = HiddenKeys::of(document, &Redaction::of_document(document, reveal)?)?;
    let is_joined = document.landmark_count()? as usize > MOST_BOXES;
    let mut contents = contents_of(source);
    let mut measuring = Measuring::of(source);
    // For each landmark, its item and the one around it.
    let mut item_of: Vec<usize> = Vec::new();
    let mut around: Vec<(usize, u64)> = Vec::new();
    let mut joined: HashMap<String, usize> = HashMap::new();
    for_each_landmark::<Failure>(document, |landmark, key, _| {
        let sizes = measuring.sizes_of(landmark.value()?)?;
        if let Some(parent) = landmark.parent()? {
            let parent = item_of.get(parent.ordinal()? as usize).copied();
            around.extend(parent.map(|parent| (parent, sizes.json)));
        }
        let (key, type_name) = (hidden.shown(landmark, key)?, type_of(landmark)?);
        let next = contents.items.len();
        let at = match is_joined {
            true => *joined.entry(type_name.clone()).or_insert(next),
            false => next,
        };
        if at == next {
            let group = module_of(key, &type_name);
            let key = if is_joined { type_name.clone() } else { key.to_owned() };
            let sizes = Sizes::default();
            contents.items.push(Item { name: key.clone(), key, type_name, group, sizes, ..Item::default() });
        }
        if let Some(item) = contents.items.get_mut(at) {
            item.count += 1;
            item.sizes.add(&sizes);
        }
        item_of.push(at);
        Ok(())
    })?;
    for (parent, json) in around {
        if let Some(item) = contents.items.get_mut(parent) {
            item.sizes.json = item.sizes.json.saturating_sub(json);
        }
    }
    contents.parts = measuring.finish(&mut contents.items)?;
    Ok(contents)
}
