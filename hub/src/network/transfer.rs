//! Bodies of requests, which report how much of them was sent.

use super::pipe::{Beginnings, PIECE};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::mpsc::Receiver;

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

/// Bytes to send, as often as a request has to be sent.
#[derive(Clone)]
pub(crate) struct Sent {
    content: Content,
    length: u64,
    progress: Progress,
}

#[derive(Clone)]
enum Content {
    Memory(Bytes),
    Pipe(Beginnings),
}

/// A body on its way.
pub(super) struct Sending {
    pieces: Pieces,
    left: u64,
    progress: Progress,
}

enum Pieces {
    Memory(Bytes),
    Pipe(Receiver<Bytes>),
}

impl Sent {
    pub(crate) fn new(bytes: Bytes, progress: Progress) -> Sent {
        Sent { length: bytes.len() as u64, content: Content::Memory(bytes), progress }
    }

    /// So many bytes that another thread produces, again for each time that they are sent.
    pub(crate) fn piped(length: u64, beginnings: Beginnings) -> Sent {
        Sent { length, content: Content::Pipe(beginnings), progress: Progress::default() }
    }

    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// The body, from its first byte.
    pub(super) fn begin(&self) -> Sending {
        let pieces = match &self.content {
            Content::Memory(bytes) => Pieces::Memory(bytes.clone()),
            Content::Pipe(beginnings) => Pieces::Pipe(beginnings.begin()),
        };
        Sending { pieces, left: self.length, progress: self.progress.clone() }
    }
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sent").field("bytes", &self.length).finish()
    }
}

impl Body for Sending {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let piece = match &mut self.pieces {
            Pieces::Memory(bytes) => bytes.split_to(bytes.len().min(PIECE)),
            Pieces::Pipe(receiver) => match receiver.poll_recv(context) {
                Poll::Ready(Some(piece)) => piece,
                // The other thread has failed, and says why. The request must not end as a whole
                // one.
                Poll::Ready(None) => return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into()))),
                Poll::Pending => return Poll::Pending,
            },
        };
        self.left = self.left.saturating_sub(piece.len() as u64);
        self.progress.moved(piece.len());
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
