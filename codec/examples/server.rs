//! Answers requests from several threads, while the file is replaced, and once by a damaged one:
//!
//! ```sh
//! cargo run -p coconut-codec --example server
//! ```

#![expect(clippy::print_stdout, reason = "printing is the purpose of the example")]

use coconut_codec::bytes::replace::replace;
use coconut_codec::{CompileOptions, DecodedDocument, Document, IndexedDocument, compile};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::SystemTime;

/// A document and the data kept beside it. It borrows nothing, and a clone shares the bytes.
struct State {
    keys: IndexedDocument<Arc<[u8]>>,
    all: DecodedDocument<Arc<[u8]>>,
    stamp: Stamp,
}

/// The time of the last write of the file, and its length.
type Stamp = (SystemTime, u64);

/// The served file, and its content when it was last opened.
struct Served {
    path: PathBuf,
    current: RwLock<Arc<State>>,
}

impl Served {
    fn open(path: PathBuf) -> Result<Served, Box<dyn Error>> {
        let current = RwLock::new(Arc::new(State::open(&path)?));
        Ok(Served { path, current })
    }

    /// The lock is held for the clone alone. The state lives as long as the request.
    fn state(&self) -> Option<Arc<State>> {
        Some(Arc::clone(&*self.current.read().ok()?))
    }

    /// Opens the file again if it is another one. The old document stays if that fails.
    fn poll(&self) -> Result<bool, Box<dyn Error>> {
        let known = self.state().ok_or("a thread has panicked")?.stamp;
        if stamp(&self.path)? == known {
            return Ok(false);
        }
        let next = Arc::new(State::open(&self.path)?);
        *self.current.write().map_err(|_| "a thread has panicked")? = next;
        Ok(true)
    }
}

impl State {
    fn open(path: &Path) -> Result<State, Box<dyn Error>> {
        // Before the bytes, so that a file which is replaced in between is opened again.
        let stamp = stamp(path)?;
        let file = Document::from_data(Arc::<[u8]>::from(std::fs::read(path)?))?;
        file.view().check_integrity()?;
        Ok(State { keys: file.clone().with_keys()?, all: file.with_tree()?, stamp })
    }
}

fn stamp(path: &Path) -> Result<Stamp, Box<dyn Error>> {
    let facts = std::fs::metadata(path)?;
    Ok((facts.modified()?, facts.len()))
}

/// One request: the generation of a vertex, by its key and in the decoded document.
fn answer(served: &Served, key: &str) -> Option<u64> {
    let state = served.state()?;
    let by_key = state.keys.get(key).ok()??.value().ok()?.field("generation").ok()??.as_u64().ok()??;
    let tree = state.all.tree();
    let vertex = tree.root().get("vertices")?.get(key)?;
    assert_eq!(vertex.get("generation")?.to_value(), by_key.into(), "both are of one document");
    Some(by_key)
}

fn document(generation: u64) -> Result<Vec<u8>, Box<dyn Error>> {
    let vertices: Vec<String> =
        (0..1000).map(|number| format!(r#""v{number}": {{"generation": {generation}}}"#)).collect();
    let text = format!(r#"{{"vertices": {{{}}}}}"#, vertices.join(","));
    Ok(compile(text.as_bytes(), &CompileOptions::default())?.bytes)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("coconut-server-{}.coco", std::process::id()));
    std::fs::write(&path, document(0)?)?;
    let served = Served::open(path.clone())?;
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut latest = None;
                    for n in 0.. {
                        latest = latest.max(answer(&served, &format!("v{}", n % 1000)));
                        if is_over.load(Ordering::Relaxed) && n >= 1000 {
                            break;
                        }
                    }
                    latest
                })
            })
            .collect();
        let replaced = (1..=3).try_for_each(|generation| {
            let mut bytes = document(generation)?;
            if generation == 2 {
                bytes.truncate(bytes.len() / 2);
            }
            replace(&path, &bytes)?;
            match served.poll() {
                Ok(is_new) => {
                    println!("generation {generation}: {}", if is_new { "opened" } else { "as before" });
                }
                Err(error) => println!("generation {generation}: {error}"),
            }
            Ok::<(), Box<dyn Error>>(())
        });
        is_over.store(true, Ordering::Relaxed);
        for thread in threads {
            let latest = thread.join().map_err(|_| "a thread has panicked")?;
            println!("the latest generation that it met: {latest:?}");
        }
        replaced
    })?;
    std::fs::remove_file(path)?;
    Ok(())
}
