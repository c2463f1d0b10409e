//! Loads a package by name, through the cache, and prints the properties of its classes:
//!
//! ```sh
//! cargo run -p coconut-codec --example loader -- examples shop
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is the purpose of the example")]

use coconut_codec::{Loader, PackView};
use coconut_format::il::SyntaxKind;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(workspace), Some(package)) = (arguments.next(), arguments.next()) else {
        return Err("expected a workspace and the name of a package".into());
    };
    let loaded = Loader::for_workspace(Path::new(&workspace)).load(&package)?;
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
