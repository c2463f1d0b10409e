//! Writes rows from an iterator, without building a tree of values:
//!
//! ```sh
//! cargo run --release -p coconut-codec --example stream -- 100000 rows.coco
//! ```
//!
//! Memory is that of the distinct values and of the file, some 170 bytes a row here.

#![expect(clippy::print_stdout, reason = "printing is the purpose of the example")]

use coconut_codec::compile::{CompileOptions, compile_document};
use coconut_codec::event::EventSink;
use coconut_codec::serde::to_events;
use coconut_codec::write::interner::Interner;
use std::error::Error;

#[derive(serde::Serialize)]
struct Row {
    name: String,
    value: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(count), Some(path)) = (arguments.next(), arguments.next()) else {
        return Err("expected a number of rows and the path of a file to write".into());
    };
    let mut interner = Interner::new();
    interner.begin_list()?;
    for number in 0..count.parse::<u32>()? {
        let row = Row { name: format!("row {number}"), value: f64::from(number).sqrt() };
        to_events(&row, &mut interner)?;
    }
    interner.end_list()?;
    let compiled = compile_document(&interner.finish()?, &CompileOptions::default())?;
    std::fs::write(&path, &compiled.bytes)?;
    println!("{} bytes, {} landmarks", compiled.bytes.len(), compiled.landmarks);
    Ok(())
}
