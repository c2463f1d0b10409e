//! Blobs on their way from a store to a registry: a thread reads while another one sends.
//!
//! ```text
//! source ──► PipeEnd ──► four pieces at most ──► Sending ──► registry
//! ```
//!
//! Memory does not grow with a blob. The last piece is held back until the source has proved its
//! digest, so a registry never receives all of a blob with another content.

use super::{Network, time_for};
use crate::error::HubError;
use bytes::{Bytes, BytesMut};
use std::io::{self, Write};
use std::panic;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The number of bytes sent at once.
pub(super) const PIECE: usize = 256 << 10;

/// The maximum number of pieces that wait to be sent.
const PIECES: usize = 4;

/// Starts the source for each body that is sent: a request may have to be sent again.
#[derive(Clone)]
pub(crate) struct Beginnings(mpsc::Sender<Sender<Bytes>>);

impl Beginnings {
    pub(super) fn begin(&self) -> Receiver<Bytes> {
        let (sender, receiver) = channel(PIECES);
        // Without a source, the body fails for its missing bytes.
        let _ = self.0.send(sender);
        receiver
    }
}

impl Network {
    /// Sends so many bytes in a request of `send`, while `fill` writes them on another thread. The
    /// body of the request is [`Sent::piped`](super::Sent::piped).
    ///
    /// `fill` is called again if the request is sent again. Its error goes before that of `send`,
    /// which only knows that bytes are missing.
    pub(crate) fn pipe<T>(
        &self,
        size: u64,
        fill: impl Fn(&mut dyn Write) -> Result<(), HubError> + Send,
        send: impl FnOnce(Beginnings) -> Result<T, HubError>,
    ) -> Result<T, HubError> {
        let (begin, beginnings) = mpsc::channel();
        // The request ends before that, and then the receiver is gone.
        let patience = 2 * self.patience() + time_for(size);
        thread::scope(|scope| {
            let filling = scope.spawn(move || {
                let mut failed = None;
                for sender in beginnings {
                    let mut end = PipeEnd { network: self, sender, piece: BytesMut::new(), patience };
                    failed = match fill(&mut end) {
                        Ok(()) => {
                            // Without a receiver, the request has failed by itself.
                            let _ = end.send();
                            None
                        }
                        Err(_) if end.sender.is_closed() => None,
                        Err(error) => Some(error),
                    };
                }
                failed
            });
            // It drops the last beginning, which ends the thread.
            let sent = send(Beginnings(begin));
            match (sent, filling.join().unwrap_or_else(|panic| panic::resume_unwind(panic))) {
                (Err(_), Some(failed)) => Err(failed),
                (sent, _) => sent,
            }
        })
    }
}

/// The end of a pipe into which a source writes.
struct PipeEnd<'n> {
    network: &'n Network,
    sender: Sender<Bytes>,
    /// The last bytes, up to [`PIECE`] of them.
    piece: BytesMut,
    patience: Duration,
}

impl PipeEnd<'_> {
    fn send(&mut self) -> io::Result<()> {
        let piece = self.piece.split().freeze();
        // Waiting drives the connection of the receiver, which may be about to give up.
        let sending = async { tokio::time::timeout(self.patience, self.sender.send(piece)).await };
        match self.network.run(sending) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl Write for PipeEnd<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.piece.len() >= PIECE {
            self.send()?;
        }
        let taken = bytes.len().min(PIECE - self.piece.len());
        self.piece.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
