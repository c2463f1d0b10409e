//! The program in `README.md` stands here, too, and runs.

use std::error::Error;
use std::path::Path;

/// What the program prints. Between the two lines that say so stands what the README shows, but for line breaks.
fn the_library_in_ten_lines() -> Result<Vec<String>, Box<dyn Error>> {
    let mut printed = Vec::new();
    macro_rules! println {
        ($($text:tt)*) => { printed.push(format!($($text)*)) };
    }

    // README: from here
    use coconut_codec::compile::{CompileOptions, compile};
    use coconut_codec::read::file::DocumentFile;
    use coconut_codec::read::lookup::Lookup;

    let source = std::fs::read("examples/shop.checkpoint.json")?;
    let compiled = compile(&source, &CompileOptions::default())?;
    let file = DocumentFile::from_data(compiled.bytes)?; // or read a file on demand: DocumentFile::open_paged(path)?
    if let Lookup::Found(vpc) =
        file.view().get_unique("urn:pulumi:production::shop::shop:network:Network$aws:ec2/vpc:Vpc::vpc")?
    {
        for edge in vpc.dependents()? {
            println!("{} depends on it ({})", edge.landmark.key()?, edge.kind);
        }
    }
    // README: to here
    Ok(printed)
}

/// The only test in this file: it changes the working directory of the process.
#[test]
fn the_program_of_the_readme_runs() {
    let between = |text: &str, start: &str, end: &str| {
        let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no `{start}`"));
        let (found, _) = rest.split_once(end).unwrap_or_else(|| panic!("no `{end}` behind it"));
        found.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let shown = between(include_str!("../../README.md"), "```rust\n", "```");
    let here = between(include_str!("readme.rs"), "// README: from here\n", "// README: to here\n");
    assert_eq!(shown, here);

    std::env::set_current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).expect("it is there");
    let printed = the_library_in_ten_lines().expect("it finds what it looks up");
    let first = "aws:ec2/internetGateway:InternetGateway::gateway depends on it (dependency)";
    assert!(printed.first().is_some_and(|line| line.ends_with(first)), "{printed:#?}");
    assert_eq!(include_str!("../../README.md").matches("```rust").count(), 1, "one program is compared");
}
