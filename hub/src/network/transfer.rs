//! Bodies of requests, which report how much of them was sent.

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// The number of bytes sent at once.
const PIECE: usize = 256 << 10;

/// Is called with the number of bytes that moved since the call before.
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(u64) + Send + Sync>);

impl Progress {
    /// Calls `moved` for every piece.
    pub fn new(moved: impl Fn(u64) + Send + Sync + 'static) -> Progress {
        Progress(Arc::new(moved))
    }

    pub(crate) fn moved(&self, bytes: usize) {
        (self.0)(bytes as u64);
    }
}

impl Default for Progress {
    /// Reports nothing.
    fn default() -> Progress {
        Progress::new(|_| {})
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}

/// Bytes to send.
#[derive(Clone)]
pub(crate) struct Sent {
    bytes: Bytes,
    position: usize,
    progress: Progress,
}

impl Sent {
    pub(crate) fn new(bytes: Bytes, progress: Progress) -> Sent {
        Sent { bytes, position: 0, progress }
    }

    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sent").field("bytes", &self.bytes.len()).finish()
    }
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let end = self.bytes.len().min(self.position + PIECE);
        if self.position == end {
            return Poll::Ready(None);
        }
        let piece = self.bytes.slice(self.position..end);
        self.progress.moved(piece.len());
        self.position = end;
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.position == self.bytes.len()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact((self.bytes.len() - self.position) as u64)
    }
}
