//! §25.4 The request to end a deployment in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to end a deployment, from another thread or a signal handler.
///
/// Running calls are asked to end and are finished, and no step begins afterwards.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Requests the end.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the end was requested.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
