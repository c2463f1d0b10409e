//! `get`: one value of a document elsewhere, without fetching the document.

use super::network::byte_bar;
use crate::failure::{OrFail, failure_of};
use clap::Args;
use coconut_codec::bytes::expand::{Compression, expanded};
use coconut_codec::bytes::paged::Ranges as _;
use coconut_codec::read::file::DocumentFile;
use coconut_hub::{Found, Hub, HubOptions, LayerCache, Progress, Reference, Remote, limits};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::open::{self, Access, Documents, Opened, Storage, begins_with_media_type, open_source};
use coconut_shell::rules::Rules;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The command `get` of the other tools, for documents elsewhere.
pub(crate) type Get = coco_inspect::Value<Elsewhere>;

/// Documents in registries and stores. Others are files.
#[derive(Args, Debug)]
pub(crate) struct Elsewhere {
    /// Wait so long for an answer; a transfer gets one more second for each 64 KiB
    #[arg(long, value_name = "SECONDS", default_value_t = limits::ANSWER.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=3600), help_heading = "Network")]
    timeout: u64,
    /// Refuse larger documents
    #[arg(long, value_name = "N", default_value_t = limits::LAYER_BYTES, help_heading = "Network")]
    max_document: u64,
    /// Do not use or fill the cache
    #[arg(long, help_heading = "Network")]
    no_cache: bool,
    /// The name of a document in an index
    #[arg(long, help_heading = "Network")]
    name: Option<String>,
    /// The documents that were read in place.
    #[arg(skip)]
    read: Mutex<Vec<Remote>>,
}

/// Runs the command. A failed request is reported instead of what it looks like to a decoder.
pub(crate) fn run(get: Get, console: &mut Console) -> Result<Exit, Failure> {
    get.run(console, |documents, result| {
        let fault = documents.read().iter().find_map(Remote::take_fault);
        match (result, fault) {
            (Err(_), Some(fault)) => Err(failure_of(&fault)),
            (result, _) => result,
        }
    })
}

impl Elsewhere {
    fn read(&self) -> MutexGuard<'_, Vec<Remote>> {
        // An entry is added as a whole.
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hub(&self, progress: Progress) -> Hub {
        Hub::new(HubOptions {
            cache: LayerCache::for_user().filter(|_| !self.no_cache),
            max_bytes: self.max_document,
            patience: Duration::from_secs(self.timeout),
            is_offline: false,
            progress,
        })
    }

    /// A document of a registry or an image layout.
    fn artifact(&self, text: &str, access: Access, console: &mut Console) -> Result<Opened, Failure> {
        let bar = byte_bar(console);
        let moved = bar.clone();
        let hub = self.hub(Progress::new(move |bytes| moved.inc(bytes)));
        let reference = Reference::parse(text).or_fail()?;
        let found = hub.find_one(&reference, self.name.as_deref()).or_fail()?;
        if access != Access::Whole && !has_all(&hub, &found) {
            match hub.remote(&found).or_fail()? {
                Some(remote) => match self.in_place(text, &remote) {
                    Ok(mut opened) => {
                        // All of it is another form.
                        opened.is_replaceable = true;
                        return Ok(opened);
                    }
                    Err(failure) if failure.exit() == Exit::Decode => remote.forget(),
                    Err(failure) => return Err(failure),
                },
                None => console.note("the registry sends no parts, so the whole document is fetched"),
            }
        }
        bar.set_length(found.layer.size);
        let pulled = hub.pull(&found);
        bar.finish_and_clear();
        open::open_checked(Storage::new(pulled.or_fail()?.bytes), text, console.reveal)
    }

    /// An object of a store: a document, or a source, which is read whole.
    fn object(&self, url: &str, access: Access, console: &mut Console) -> Result<Opened, Failure> {
        let remote = self.hub(Progress::default()).object(url).or_fail()?;
        let whole = |remote: &Remote| {
            let read = remote.read(0..remote.len());
            read.map_err(|error| match remote.take_fault() {
                Some(fault) => failure_of(&fault),
                None => Failure::reading(Path::new(url), &error),
            })
        };
        let beginning = remote.read(0..remote.len().min(BEGINNING)).unwrap_or_default();
        if begins_with_media_type(&beginning) {
            return match access {
                Access::Whole => open::open_checked(Storage::new(whole(&remote)?), url, console.reveal),
                Access::Outline | Access::Lookup => self.in_place(url, &remote),
            };
        }
        let bytes = whole(&remote)?;
        let text = match Compression::of(&bytes) {
            Some(_) => expanded(&bytes).map_err(|error| Failure::reading(Path::new(url), &error))?.into(),
            None => bytes,
        };
        let landmarks = Rules::of_process(console)?.landmarks_of(Path::new(url));
        open_source(&text, url, landmarks, console.reveal)
    }

    fn in_place(&self, name: &str, remote: &Remote) -> Result<Opened, Failure> {
        self.read().push(remote.clone());
        match DocumentFile::from_data(remote.file()) {
            Ok(file) => Ok(Opened::of_paged(name, file)),
            Err(error) => Err(match remote.take_fault() {
                Some(fault) => failure_of(&fault),
                None => Failure::from(error).in_file(name),
            }),
        }
    }
}

/// The number of bytes that show whether an object is a document.
const BEGINNING: usize = 16 << 10;

/// Whether all of the document is on this machine.
fn has_all(hub: &Hub, found: &Found) -> bool {
    let cache = hub.options().cache.as_ref();
    let is_cached = cache.is_some_and(|cache| cache.layer_path(found.layer.digest).is_file());
    is_cached || matches!(found.reference.place, coconut_hub::Place::Layout(_))
}

impl Documents for Elsewhere {
    fn open(&self, argument: &Path, access: Access, console: &mut Console) -> Result<Opened, Failure> {
        let text = argument.to_str().unwrap_or_default();
        let is_object = ["s3://", "gs://", "az://", "https://"].iter().any(|scheme| text.starts_with(scheme));
        match (Reference::is_one(text), is_object) {
            (true, _) => {
                if access == Access::Whole {
                    // What was read in place was damaged.
                    self.read().iter().for_each(Remote::forget);
                }
                self.artifact(text, access, console)
            }
            (false, true) => self.object(text, access, console),
            (false, false) => open::open(argument, access, console),
        }
    }
}
