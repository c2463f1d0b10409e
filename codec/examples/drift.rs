//! Compares the resources of two states, and prints the differences:
//!
//! ```sh
//! cargo run -p coconut-codec --example drift -- before.tfstate after.tfstate
//! ```

#![expect(clippy::print_stdout, reason = "printing is the purpose of the example")]

use coconut_codec::{CompileOptions, Document, GraphView, compile};
use std::error::Error;

fn open(path: &str) -> Result<Document<Vec<u8>>, Box<dyn Error>> {
    Ok(Document::from_data(compile(&std::fs::read(path)?, &CompileOptions::default())?.bytes)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(before), Some(after)) = (arguments.next(), arguments.next()) else {
        return Err("expected two states".into());
    };
    let (before, after) = (open(&before)?, open(&after)?);
    if before.header().digest == after.header().digest {
        println!("no difference");
        return Ok(());
    }
    // Each lookup takes the time of a hash map.
    let (before, after) = (before.with_keys()?, after.with_keys()?);
    for resource in GraphView::of(after.view()).ok_or("the second document is not a graph")?.resources()? {
        let resource = resource?;
        let key = resource.key()?;
        match before.keys().get_all(&key).first() {
            None => println!("+ {key}"),
            Some(old) if old.value()?.equals(&resource.value()?)? => {}
            Some(_) => println!("~ {key}"),
        }
    }
    for resource in GraphView::of(before.view()).ok_or("the first document is not a graph")?.resources()? {
        let key = resource?.key()?.into_owned();
        if after.keys().get_all(&key).is_empty() {
            println!("- {key}");
        }
    }
    Ok(())
}
