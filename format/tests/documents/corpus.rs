//! The corpus of real documents, which is not in the repository.

use std::path::PathBuf;

use coconut_format::il::PackageDialect;
use coconut_format::{Package, Value};
use coconut_testing::oracle;

/// The columns of a row of the corpus index that the tests use.
pub(crate) struct Row {
    /// The path below the corpus.
    pub(crate) file: String,
    /// The kind of the file: `pack`, `yaml-source`, ...
    pub(crate) kind: String,
    /// The parse result.
    pub(crate) parse: String,
    dialect: String,
    /// The diagnosis of the original toolchain; empty for a good file.
    pub(crate) expected_error: String,
    root: PathBuf,
}

impl Row {
    /// The dialect of the compiler that wrote the file; `None` for a text extracted from a
    /// document.
    pub(crate) fn dialect(&self) -> Option<PackageDialect> {
        use PackageDialect::{P1, P2, P3, P4, P5, P6};
        [P1, P2, P3, P4, P5, P6].into_iter().find(|dialect| dialect.to_string() == self.dialect)
    }

    /// The content of the file.
    pub(crate) fn read(&self) -> Value {
        let text = std::fs::read(self.root.join(&self.file)).expect("a file of the index");
        oracle::read(&text).unwrap_or_else(|error| panic!("{}: {error}", self.file))
    }

    /// The content of the file as a package.
    pub(crate) fn package(&self) -> Package {
        Package::from_value(self.read()).unwrap_or_else(|_| panic!("{}: not an object", self.file))
    }
}

/// The rows that are packages in JSON. Empty without a corpus.
pub(crate) fn packages() -> Vec<Row> {
    let Some(root) = coconut_testing::corpus() else { return Vec::new() };
    let index = std::fs::read_to_string(root.join("INDEX.tsv")).expect("a corpus has an index");
    let mut lines = index.lines();
    let header: Vec<&str> = lines.next().expect("a header").split('\t').collect();
    let column = |name: &str| header.iter().position(|cell| *cell == name).expect(name);
    let columns = ["file", "kind", "dialect", "parse", "expected_error"].map(column);
    let rows = lines.map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, kind, dialect, parse, expected_error] = columns.map(|index| cells[index].to_owned());
        Row { file, kind, dialect, parse, expected_error, root: root.clone() }
    });
    rows.filter(|row| row.kind == "pack" && row.parse == "json-ok").collect()
}
