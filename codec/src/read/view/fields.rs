//! Reads the same fields from many objects (§6.2).

use super::ValueView;
use super::object::{Keys, ObjectView, SoughtKey};
use super::shape::ShapeHeader;
use crate::read::file::DocumentView;
use crate::wire::ids::ShapeId;
use crate::wire::shapes::SlotKind;
use coconut_format::error::DecodeError;
use std::fmt;

/// Reads the same fields of many objects.
///
/// Remembers the positions of the fields in records of the last eight shapes. Objects with the same
/// keys are mostly records of one shape, so reading one of them compares no keys and only steps
/// over the values between the fields. [`ObjectView::get_many`] compares the keys in memory, from
/// the seventeenth record of a shape on.
///
/// Instructions for three of the ten fields of an object, among 10,000 (`examples/fields.rs`):
///
/// | `get` three times | `get_many` | `Fields` | `from_view` into types with three fields |
/// |---|---|---|---|
/// | 3,060 | 2,910 | 2,420 | 2,030 |
///
/// ```
/// use coconut_codec::{CompileOptions, Document, compile};
///
/// let source = br#"[{"name": "a", "size": 1, "at": 0.5}, {"name": "b", "size": 2, "at": 1.5}]"#;
/// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
/// let mut fields = file.view().fields(["name", "size"]);
/// let mut total = 0;
/// for row in file.root().as_list()?.expect("it is a list") {
///     let [name, size] = fields.of(row?.as_object()?.expect("a row is an object"))?;
///     assert!(name.is_some());
///     total += size.expect("each row has a size").as_u64()?.expect("it is a number");
/// }
/// assert_eq!(total, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Fields<'a, 'k, const N: usize> {
    document: DocumentView<'a>,
    keys: [&'k str; N],
    /// The last shapes, the latest first.
    plans: Vec<Plan>,
}

impl<const N: usize> fmt::Debug for Fields<'_, '_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fields").field("keys", &N).field("shapes", &self.plans.len()).finish()
    }
}

/// The positions of the fields in the records of a shape.
#[derive(Clone)]
struct Plan {
    shape: ShapeId,
    /// End of the part of shapes, which contains constants.
    end: usize,
    /// In the order of the values.
    steps: Vec<Step>,
}

#[derive(Clone)]
struct Step {
    /// The number of the key.
    key: usize,
    /// The number of values to skip after the start of the previous step's value.
    skipped: u32,
    kind: SlotKind,
}

/// The number of remembered shapes.
const PLANS: usize = 8;

impl<'a> DocumentView<'a> {
    /// Returns a reader of these fields of objects in this document.
    pub fn fields<'k, const N: usize>(&self, keys: [&'k str; N]) -> Fields<'a, 'k, N> {
        Fields { document: *self, keys, plans: Vec::new() }
    }
}

impl<'a, const N: usize> Fields<'a, '_, N> {
    /// Returns the values under the keys, in the order of the keys.
    ///
    /// An object that is not a record, or is in another document, costs as much as with
    /// [`ObjectView::get_many`].
    pub fn of(&mut self, object: ObjectView<'a>) -> Result<[Option<ValueView<'a>>; N], DecodeError> {
        let shape = match object.keys {
            Keys::Shape(shape) if std::ptr::eq(object.first.document.frame, self.document.frame) => shape,
            _ => return object.get_many(self.keys),
        };
        let known = self.plans.iter().position(|plan| plan.shape == shape.id);
        match known {
            Some(0) => {}
            Some(place) => self.plans[..=place].rotate_right(1),
            None => {
                let plan = self.plan(shape, object.first.position)?;
                self.plans.truncate(PLANS - 1);
                self.plans.insert(0, plan);
            }
        }
        let mut found = [None; N];
        let Some(plan) = self.plans.first() else { return Ok(found) };
        let mut cursor = object.first.cursor();
        for step in &plan.steps {
            cursor.skip(step.skipped.into())?;
            let value = object.first.in_slot(cursor.position(), step.kind, plan.end);
            if let Some(place) = found.get_mut(step.key) {
                *place = Some(value);
            }
        }
        Ok(found)
    }

    /// Reads the slots of a shape up to the last of the keys. The record at `at` has the shape.
    fn plan(&self, shape: ShapeHeader<'a>, at: usize) -> Result<Plan, DecodeError> {
        let mut plan = Plan { shape: shape.id, end: shape.cursor.end(), steps: Vec::new() };
        let mut sought = self.keys.map(SoughtKey::new);
        let mut is_found = [false; N];
        let mut skipped = 0u32;
        for slot in shape.slots() {
            let slot = slot?;
            for (key, (sought, is_found)) in sought.iter_mut().zip(&mut is_found).enumerate() {
                if !*is_found && sought.compare(slot.key, self.document)?.is_some() {
                    *is_found = true;
                    plan.steps.push(Step { key, skipped: std::mem::take(&mut skipped), kind: slot.kind });
                }
            }
            if plan.steps.len() == N {
                break;
            }
            skipped = skipped.saturating_add(self.document.slot_width(slot.kind, at)?);
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;
    use crate::wire::header::Profile;

    #[test]
    fn fields_of_objects_of_any_shape_are_those_that_get_finds() {
        // Rows of two shapes with nested objects, integers and constants, and rows without a shape.
        let rows: Vec<String> = (0..60)
            .map(|n| match n % 5 {
                0..3 => format!(
                    r#"{{"id": {n}, "kind": "constant", "at": {{"x": {n}, "y": "t{n}"}}, "name": "n{n}", "list": [{n}]}}"#
                ),
                3 => format!(r#"{{"name": "n{n}", "id": "t{n}", "other": null}}"#),
                _ => format!(r#"{{"key{n}": {n}, "name": {n}}}"#),
            })
            .collect();
        let text = format!("[{}]", rows.join(","));
        for profile in Profile::ALL {
            let options = CompileOptions { profile, ..CompileOptions::default() };
            let file = DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap();
            let keys = ["list", "id", "kind", "at", "absent", "name", "id"];
            let mut fields = file.view().fields(keys);
            for row in file.view().root().as_list().unwrap().unwrap() {
                let object = row.unwrap().as_object().unwrap().unwrap();
                let found = fields.of(object).unwrap();
                let many = object.get_many(keys).unwrap();
                for (key, (found, many)) in keys.into_iter().zip(found.into_iter().zip(many)) {
                    let shown = |value: Option<crate::read::view::ValueView<'_>>| {
                        value.map(|value| value.to_value().unwrap())
                    };
                    let expected = shown(object.get(key).unwrap());
                    assert_eq!((shown(found), shown(many)), (expected.clone(), expected), "{key}");
                }
            }
            assert!(fields.plans.len() <= super::PLANS);
        }
    }
}
