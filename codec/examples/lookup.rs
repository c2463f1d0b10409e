//! Compile a document, open it, and get one value of it:
//!
//! ```sh
//! cargo run -p coconut-codec --example lookup -- examples/shop.checkpoint.json 'urn:…'
//! ```

#![expect(clippy::print_stdout, reason = "printing is the purpose of the example")]

use coconut_codec::{CompileOptions, Document, compile};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(key)) = (arguments.next(), arguments.next()) else {
        return Err("expected a source and a key".into());
    };
    let compiled = compile(&std::fs::read(path)?, &CompileOptions::default())?;
    let file = Document::from_data(compiled.bytes)?;
    println!("{}", file.require(&key)?.value()?.to_json()?);
    Ok(())
}
