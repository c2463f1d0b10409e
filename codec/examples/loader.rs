//! Loads a package through the cache, and prints the properties of its classes:
//!
//! ```sh
//! cargo run -p coconut-codec --example loader -- examples/point.cocopack.json
//! ```
//!
//! With a workspace and a name, it loads the package of that name: `-- WORKSPACE aws`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is the purpose of the example")]

use coconut_codec::{Loader, PackView};
use coconut_format::il::SyntaxKind;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let place = arguments.next().ok_or("expected a file, or a workspace and the name of a package")?;
    let place = Path::new(&place);
    let loader = Loader::for_workspace(place);
    let loaded = match arguments.next() {
        Some(package) => loader.load(&package)?,
        None => loader.load_file(place)?,
    };
    // The reasons why the cache was not used, if any. The document is correct in any case.
    for fallback in &loaded.fallbacks {
        eprintln!("note: {fallback}");
    }
    let package = PackView::of(loaded.document.view()).ok_or("the document is not a package")?;
    for class in package.classes()? {
        let class = class?;
        println!("{}:{}", class.module, class.name);
        for member in class.node.entries("members")? {
            let (name, member) = member?;
            if member.kind() == SyntaxKind::ClassProperty {
                let optional = if member.flag("optional")? { "?" } else { "" };
                println!("  {name}{optional}: {}", member.token("type")?.unwrap_or("any"));
            }
        }
    }
    Ok(())
}
