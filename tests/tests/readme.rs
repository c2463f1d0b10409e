//! Runs the program shown in `README.md`.

use std::error::Error;
use std::path::Path;
use std::process::Command;

/// The output of the program. The README shows the lines between the two marks, with other line
/// breaks.
fn the_library_in_ten_lines() -> Result<Vec<String>, Box<dyn Error>> {
    let mut printed = Vec::new();
    macro_rules! println {
        ($($text:tt)*) => { printed.push(format!($($text)*)) };
    }

    // README: from here
    use coconut_codec::{CompileOptions, Document, compile};

    let source = std::fs::read("examples/shop.checkpoint.json")?;
    let compiled = compile(&source, &CompileOptions::default())?;
    let file = Document::from_data(compiled.bytes)?; // or read a file on demand: Document::open_paged(path)?
    let vpc = file.require("urn:pulumi:production::shop::shop:network:Network$aws:ec2/vpc:Vpc::vpc")?;
    for edge in vpc.dependents()? {
        println!("{} depends on it ({})", edge.landmark.key()?, edge.kind);
    }
    println!("{}", vpc.value()?.to_json()?);
    // README: to here
    Ok(printed)
}

#[test]
fn the_readme_shows_the_program_that_runs_here() {
    let between = |text: &str, start: &str, end: &str| {
        let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no `{start}`"));
        let (found, _) = rest.split_once(end).unwrap_or_else(|| panic!("no `{end}` after it"));
        found.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let shown = between(include_str!("../../README.md"), "```rust\n", "```");
    let here = between(include_str!("readme.rs"), "// README: from here\n", "// README: to here\n");
    assert_eq!(shown, here);
    assert_eq!(include_str!("../../README.md").matches("```rust").count(), 1, "one program is compared");
}

/// Runs in a separate process, whose working directory is the root of the repository.
#[test]
fn the_program_of_the_readme_runs() {
    const THERE: &str = "COCONUT_TEST_README";
    if std::env::var_os(THERE).is_some() {
        let printed = the_library_in_ten_lines().expect("it finds what it looks up");
        let first = "aws:ec2/internetGateway:InternetGateway::gateway depends on it (dependency)";
        assert!(printed.first().is_some_and(|line| line.ends_with(first)), "{printed:#?}");
        return;
    }
    let output = Command::new(std::env::current_exe().expect("this program is a file"))
        .args(["--exact", "readme::the_program_of_the_readme_runs"])
        .env(THERE, "1")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .expect("this program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
