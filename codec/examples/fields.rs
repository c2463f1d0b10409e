//! Reads three fields of 10,000 objects, in each of the available ways.
//!
//! ```sh
//! cargo build --profile dist -p coconut-codec --example fields
//! valgrind --tool=callgrind target/dist/examples/fields get
//! ```
//!
//! The ways are `get`, `get_many`, `fields` and `serde`. With `none`, nothing is read. Subtract its
//! instructions from those of the others to compare them.

#![expect(clippy::print_stdout, reason = "printing is the purpose of the example")]

use coconut_codec::serde::from_view;
use coconut_codec::{DecodeError, Document, ObjectView, to_vec};
use std::error::Error;

/// A row of ten fields.
#[derive(serde::Serialize)]
struct Row {
    id: String,
    name: String,
    region: &'static str,
    size: u64,
    load: f64,
    is_on: bool,
    owner: String,
    tags: Vec<&'static str>,
    zone: u8,
    digest: String,
}

/// The fields of a row that are read.
#[derive(serde::Deserialize)]
struct Three<'a> {
    #[serde(borrow)]
    name: &'a str,
    size: u64,
    zone: u64,
}

fn row(number: u64) -> Row {
    Row {
        id: format!("r-{number:08x}"),
        name: format!("row {number}"),
        region: if number.is_multiple_of(2) { "north" } else { "south" },
        size: number * 17,
        load: number as f64 / 16.0,
        is_on: number.is_multiple_of(2),
        owner: format!("owner {}", number % 100),
        tags: vec!["a", "b"],
        zone: u8::try_from(number % 7).unwrap_or_default(),
        digest: format!("{:064x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
    }
}

/// A number that depends on all three fields.
fn sum(name: Option<&str>, size: Option<u64>, zone: Option<u64>) -> u64 {
    name.map_or(0, str::len) as u64 + size.unwrap_or_default() + zone.unwrap_or_default()
}

fn sum_of(
    objects: impl Iterator<Item = Result<ObjectView<'static>, DecodeError>>,
    mut read: impl FnMut(ObjectView<'static>) -> Result<u64, DecodeError>,
) -> Result<u64, DecodeError> {
    let mut total = 0;
    for object in objects {
        total += read(object?)?;
    }
    Ok(total)
}

fn main() -> Result<(), Box<dyn Error>> {
    let way = std::env::args().nth(1).unwrap_or_else(|| "fields".to_owned());
    let rows: Vec<Row> = (0..10_000).map(row).collect();
    // Kept to the end of the program, as in a server.
    let file: &'static Document<Vec<u8>> = Box::leak(Box::new(Document::from_data(to_vec(&rows)?)?));
    let list = file.root().as_list()?.ok_or("the root is a list")?;
    let objects = list.items().map(|row| Ok(row?.as_object()?.expect("a row is an object")));
    let total = match &*way {
        "none" => 0,
        "get" => sum_of(objects, |object| {
            let [name, size, zone] = [object.get("name")?, object.get("size")?, object.get("zone")?]
                .map(|value| value.expect("it exists"));
            Ok(sum(name.as_str()?, size.as_u64()?, zone.as_u64()?))
        })?,
        "get_many" => sum_of(objects, |object| {
            let [name, size, zone] =
                object.get_many(["name", "size", "zone"])?.map(|value| value.expect("it exists"));
            Ok(sum(name.as_str()?, size.as_u64()?, zone.as_u64()?))
        })?,
        "fields" => {
            let mut fields = file.view().fields(["name", "size", "zone"]);
            sum_of(objects, |object| {
                let [name, size, zone] = fields.of(object)?.map(|value| value.expect("it exists"));
                Ok(sum(name.as_str()?, size.as_u64()?, zone.as_u64()?))
            })?
        }
        "serde" => {
            let rows: Vec<Three<'_>> = from_view(file.root())?;
            rows.iter().map(|row| sum(Some(row.name), Some(row.size), Some(row.zone))).sum()
        }
        other => return Err(format!("`{other}` is not a way to read").into()),
    };
    println!("{way}: {total}");
    Ok(())
}
