//! Answers requests from several threads, while the document is replaced:
//!
//! ```sh
//! cargo run -p coconut-codec --example server
//! ```

#![expect(clippy::print_stdout, reason = "it is what the example is for")]

use coconut_codec::{CompileOptions, Document, IndexedDocument, compile};
use std::error::Error;
use std::sync::{Arc, RwLock};
use std::thread;

type Current = RwLock<Arc<IndexedDocument<Vec<u8>>>>;

fn opened(generation: u64) -> Result<Arc<IndexedDocument<Vec<u8>>>, Box<dyn Error>> {
    let vertices: Vec<String> =
        (0..1000).map(|number| format!(r#""v{number}": {{"generation": {generation}}}"#)).collect();
    let text = format!(r#"{{"vertices": {{{}}}}}"#, vertices.join(","));
    let bytes = compile(text.as_bytes(), &CompileOptions::default())?.bytes;
    Ok(Arc::new(Document::from_data(bytes)?.with_keys()?))
}

/// The answer to one request: the generation of a vertex.
fn answer(current: &Current, key: &str) -> Option<u64> {
    // The lock is held for the clone alone. The document lives as long as the request.
    let document = Arc::clone(&*current.read().ok()?);
    document.get(key).ok()??.value().ok()?.field("generation").ok()??.as_u64().ok()?
}

fn main() -> Result<(), Box<dyn Error>> {
    let current = RwLock::new(opened(0)?);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| (0..100_000).filter_map(|n| answer(&current, &format!("v{}", n % 1000))).max())
            })
            .collect();
        for generation in 1..=3 {
            let next = opened(generation)?;
            *current.write().map_err(|_| "a thread has panicked")? = next;
        }
        for thread in threads {
            let latest = thread.join().map_err(|_| "a thread has panicked")?;
            println!("the latest generation that it met: {latest:?}");
        }
        Ok(())
    })
}
