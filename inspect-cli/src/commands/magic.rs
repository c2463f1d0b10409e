//! `magic`: prints rules by which other programs recognise documents.

use clap::{Args, ValueEnum};
use coconut_report::failure::{Exit, Failure};
use coconut_shell::console::Console;
use std::io::Write as _;

/// Print rules that let other programs recognise documents
///
/// `file` is a rule for file(1): append it to ~/.magic, or pass its file with `file -m`. `mime` is
/// a package for the shared MIME database, which desktops and file managers use. Save it and pass
/// it to `xdg-mime install`.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/magic.trycmd"))]
pub struct Magic {
    /// The program that uses the rules
    #[arg(default_value = "file")]
    program: Program,
}

/// The program that recognises documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Program {
    /// file(1)
    File,
    /// The shared MIME database
    Mime,
}

/// §2.1 An envelope begins with the media type. The document type follows in its canonical form.
const FILE: &str = r"# Coconut documents
0	string	application/vnd.coconut+msgpack	Coconut compiled document,
!:mime	application/vnd.coconut+msgpack
!:ext	coco
>31	regex/200	document-type=[A-Za-z0-9.-]+	%s,
>31	regex/200	version=[0-9]+	%s
0	string	application/vnd.coconut+json	Coconut document as text,
!:mime	application/vnd.coconut+json
!:ext	coco
>28	regex/200	document-type=[A-Za-z0-9.-]+	%s,
>28	regex/200	version=[0-9]+	%s
";

const MIME: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/vnd.coconut+msgpack">
    <comment>Coconut compiled document</comment>
    <magic priority="80">
      <match type="string" offset="0" value="application/vnd.coconut+msgpack"/>
    </magic>
    <glob pattern="*.coco"/>
  </mime-type>
  <mime-type type="application/vnd.coconut+json">
    <sub-class-of type="text/plain"/>
    <comment>Coconut document as text</comment>
    <magic priority="80">
      <match type="string" offset="0" value="application/vnd.coconut+json"/>
    </magic>
  </mime-type>
</mime-info>
"#;

impl Magic {
    pub(super) fn run(&self, console: &mut Console) -> Result<Exit, Failure> {
        let rules = match self.program {
            Program::File => FILE,
            Program::Mime => MIME,
        };
        console.write_all(rules.as_bytes())?;
        Ok(Exit::Good)
    }
}
