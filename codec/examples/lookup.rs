//! Compile a document, open it, and get one value of it:
//!
//! ```sh
//! cargo run -p coconut-codec --example lookup -- examples/shop.checkpoint.json 'urn:…'
//! ```

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::lookup::Lookup;
use coconut_codec::read::stream::Budget;
use coconut_codec::text::json::{JsonStyle, Printer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(key)) = (arguments.next(), arguments.next()) else {
        return Err("expected a source and a key".into());
    };
    let compiled = compile(&std::fs::read(path)?, &CompileOptions::default())?;
    let file = DocumentFile::from_data(compiled.bytes)?;
    let Lookup::Found(landmark) = file.view().get_unique(&key)? else {
        return Err(format!("no landmark, or more than one, has the key {key}").into());
    };
    let mut printer = Printer::new(std::io::stdout(), JsonStyle::Pretty { indent: 2 }).with_final_newline();
    landmark.value()?.stream(&mut printer, Budget::default())?;
    printer.finish()?;
    Ok(())
}
