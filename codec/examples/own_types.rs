//! Writes your own types to a file, and reads one record without the others:
//!
//! ```sh
//! cargo run -p coconut-codec --example own_types -- services.coco
//! ```

#![expect(clippy::print_stdout, reason = "printing is the purpose of the example")]

use coconut_codec::serde::from_view;
use coconut_codec::{Document, from_slice, to_vec};
use std::borrow::Cow;
use std::error::Error;

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Service<'a> {
    name: Cow<'a, str>,
    #[serde(flatten)]
    endpoint: Endpoint,
    replicas: Option<u32>,
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "protocol", rename_all = "lowercase")]
enum Endpoint {
    Http { port: u16 },
    Unix { path: String },
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("expected the path of a file to write")?;
    let services: Vec<Service<'_>> = (0..1000u16)
        .map(|number| Service {
            name: format!("service-{number}").into(),
            endpoint: match number % 2 {
                0 => Endpoint::Http { port: 8000 + number },
                _ => Endpoint::Unix { path: format!("/run/{number}.sock") },
            },
            replicas: (number % 3 == 0).then_some(3),
        })
        .collect();
    std::fs::write(&path, to_vec(&services)?)?;

    // Everything, as owned values.
    let all: Vec<Service<'_>> = from_slice(&std::fs::read(&path)?)?;
    assert_eq!(all, services);

    // One record, found by its name, with its text borrowed from the file.
    let file = Document::open_paged(&path)?;
    let one: Service<'_> = from_view(file.require("service-7")?.value()?)?;
    println!("{one:?}, for which {} bytes were read", file.touched_bytes());
    Ok(())
}
