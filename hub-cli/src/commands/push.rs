//! `push`: publishes documents.

use super::network::{NetworkOptions, byte_bar};
use crate::failure::OrFail;
use clap::Args;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_format::numerals::grouped;
use coconut_hub::{Annotations, Publication, PublishedSource, Reference};
use coconut_report::json::{list, number, object, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::open::{is_document, name_of, read};
use std::path::{Path, PathBuf};

/// Publish documents under a tag
///
/// One document is published as a manifest. Several are published together as an index: a provider
/// schema and its packages, for example. Sources in JSON and YAML are compiled first. Documents are
/// verified before anything is sent, and the tag is set last.
///
/// The digest depends on the documents and annotations alone, so publishing again gives the same
/// digest. The time is annotated only if `SOURCE_DATE_EPOCH` is set.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/push.trycmd"))]
pub(crate) struct Push {
    /// Documents or their sources, then the reference
    #[arg(required = true, num_args = 2.., value_names = ["FILE", "REF"])]
    files_and_reference: Vec<PathBuf>,
    /// Publish this source with the one document
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
    /// An annotation; `version` and `source` are short for `org.opencontainers.image.…`
    #[arg(long = "annotation", value_name = "NAME=TEXT", value_parser = annotation)]
    annotations: Vec<(String, String)>,
    #[command(flatten)]
    network: NetworkOptions,
}

impl Push {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let Some((reference, files)) = self.files_and_reference.split_last() else {
            return Err(Failure::usage("a file and a reference are required"));
        };
        let reference = Reference::parse(&reference.to_string_lossy()).or_fail()?;
        if self.source.is_some() && files.len() != 1 {
            return Err(Failure::usage("`--source` is for one document"));
        }
        let mut publications =
            files.iter().map(|file| publication(file, console.reveal)).collect::<Result<Vec<_>, _>>()?;
        if let Some(source) = &self.source {
            publications[0].source = Some(source_of(source)?);
        }
        check_titles(&publications)?;
        let mut annotations: Annotations = self.annotations.into_iter().collect();
        if let Some(time) = source_date()? {
            annotations.insert("org.opencontainers.image.created".to_owned(), time);
        }
        let bytes = |publication: &Publication| {
            publication.document.len() + publication.source.as_ref().map_or(0, |source| source.bytes.len())
        };
        let bar = byte_bar(console);
        bar.set_length(publications.iter().map(|publication| bytes(publication) as u64).sum());
        let pushed = self.network.hub(&bar).push(publications, &reference, &annotations);
        bar.finish_and_clear();
        let pushed = pushed.or_fail()?;
        if console.json {
            let documents = list(&pushed.documents, |(title, digest, layer)| {
                object([
                    ("title", text(title.as_str())),
                    ("manifest", text(digest.to_string())),
                    ("layer", text(layer.digest.to_string())),
                    ("bytes", number(layer.size)),
                ])
            });
            let members = [("reference", text(pushed.reference.to_string())), ("documents", documents)];
            console.print_json(&report("hub push", members))?;
            return Ok(Exit::Good);
        }
        for (title, _, layer) in &pushed.documents {
            console.note(&format!("{title}: {} bytes", grouped(layer.size)));
        }
        console.line(&pushed.reference.to_string())?;
        Ok(Exit::Good)
    }
}

/// Reads a document, or compiles its source.
fn publication(file: &Path, reveal: bool) -> Result<Publication, Failure> {
    let (bytes, name) = (read(file)?, name_of(file));
    let title = file.file_name().map(|title| title.to_string_lossy().into_owned());
    let title = title.ok_or_else(|| Failure::usage(format!("`{name}` is not the name of a file")))?;
    if is_document(&name, &bytes) {
        return Ok(Publication { title, document: bytes.to_vec(), source: None });
    }
    let compiled = compile(&bytes, &CompileOptions::default())
        .map_err(|error| Failure::compiling(&name, &bytes, &error, reveal))?;
    let stem = Path::new(&title).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Publication { title: format!("{stem}.coco"), document: compiled.bytes, source: None })
}

fn source_of(file: &Path) -> Result<PublishedSource, Failure> {
    let title = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let media_type = match file.extension().and_then(|extension| extension.to_str()) {
        Some("yaml" | "yml") => "application/yaml",
        _ => "application/json",
    };
    Ok(PublishedSource { title, media_type, bytes: read(file)?.to_vec() })
}

/// Documents of an index are chosen by their names.
fn check_titles(publications: &[Publication]) -> Result<(), Failure> {
    let mut titles: Vec<&str> = publications.iter().map(|publication| publication.title.as_str()).collect();
    titles.sort_unstable();
    match titles.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Failure::usage(format!("two documents have the name `{}`", pair[0]))),
        None => Ok(()),
    }
}

fn annotation(text: &str) -> Result<(String, String), String> {
    let (name, text) = text.split_once('=').ok_or_else(|| "expected NAME=TEXT".to_owned())?;
    let name = match name {
        "version" | "source" | "description" | "licenses" => format!("org.opencontainers.image.{name}"),
        "" => return Err("expected NAME=TEXT".to_owned()),
        name => name.to_owned(),
    };
    Ok((name, text.to_owned()))
}

/// The time in `SOURCE_DATE_EPOCH`, as annotations have it.
fn source_date() -> Result<Option<String>, Failure> {
    let Some(value) = std::env::var_os("SOURCE_DATE_EPOCH") else { return Ok(None) };
    let seconds = value.to_str().and_then(|value| value.parse::<u64>().ok()).filter(|time| *time < 1 << 37);
    let seconds =
        seconds.ok_or_else(|| Failure::usage("`SOURCE_DATE_EPOCH` is not a number of seconds since 1970"))?;
    Ok(Some(time_text(seconds)))
}

/// A time of RFC 3339 in UTC, from seconds since 1970.
fn time_text(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March, so that a leap day is the last one. Eras have 400 years.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::time_text;

    #[test]
    fn seconds_are_a_time_of_rfc_3339() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_700_000_000, "2023-11-14T22:13:20Z"),
            (4_102_444_799, "2099-12-31T23:59:59Z"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(time_text(seconds), expected);
        }
    }
}
