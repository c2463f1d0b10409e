//! Calls over gRPC, and what a failed one says about its effect.

use http::uri::PathAndQuery;
use prost::Message;
use std::error::Error;
use std::io;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tonic::client::Grpc;
use tonic::transport::Channel;
use tonic::{Code, ConnectError, Request, Status};
use tonic_prost::ProstCodec;

/// Schemas of large providers have 100 MB.
const LARGEST_MESSAGE: usize = 400 << 20;

/// The failure of a call.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) reach: Reach,
    pub(crate) code: Code,
    pub(crate) message: String,
    /// The encoded `google.rpc.Status`, or nothing.
    pub(crate) details: Vec<u8>,
}

/// The way that a failed call went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// There was no connection.
    NotSent,
    /// It was sent, and the connection ended or the time was over.
    NoAnswer,
    /// The provider has answered with an error.
    Answered,
}

impl Failure {
    pub(crate) fn is_unimplemented(&self) -> bool {
        self.code == Code::Unimplemented
    }

    /// Whether the call may have changed something. Providers answer with these codes for faults
    /// of their own, after a change as well as before it.
    pub(crate) fn may_have_effect(&self) -> bool {
        let is_vague = matches!(
            self.code,
            Code::Unknown
                | Code::Internal
                | Code::DataLoss
                | Code::Unavailable
                | Code::Cancelled
                | Code::DeadlineExceeded
        );
        match self.reach {
            Reach::NotSent => false,
            Reach::NoAnswer => true,
            Reach::Answered => is_vague,
        }
    }

    fn of(status: &Status) -> Failure {
        // Only errors of the own side have a source.
        let mut reach = if status.source().is_some() { Reach::NoAnswer } else { Reach::Answered };
        let mut source = status.source();
        while let Some(error) = source {
            if error.is::<ConnectError>() {
                reach = Reach::NotSent;
            }
            source = error.source();
        }
        let details = status.details().to_vec();
        Failure { reach, code: status.code(), message: status.message().to_owned(), details }
    }
}

/// The runtime of all connections. It is made with the first one.
pub(crate) fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    Ok(RUNTIME.get_or_init(|| runtime))
}

/// Calls a method, and waits for the answer at most this long.
pub(crate) async fn unary<M, R>(
    channel: &Channel,
    path: &'static str,
    message: M,
    time: Duration,
) -> Result<R, Failure>
where
    M: Message + 'static,
    R: Message + Default + 'static,
{
    let call = async {
        let mut grpc = Grpc::new(channel.clone())
            .max_decoding_message_size(LARGEST_MESSAGE)
            .max_encoding_message_size(LARGEST_MESSAGE);
        grpc.ready().await.map_err(|error| Failure {
            reach: Reach::NotSent,
            code: Code::Unavailable,
            message: error.to_string(),
            details: Vec::new(),
        })?;
        let path = PathAndQuery::from_static(path);
        let answer = grpc.unary(Request::new(message), path, ProstCodec::<M, R>::default()).await;
        answer.map(tonic::Response::into_inner).map_err(|status| Failure::of(&status))
    };
    tokio::time::timeout(time, call).await.unwrap_or_else(|_| {
        let message = format!("no answer within {time:?}");
        Err(Failure { reach: Reach::NoAnswer, code: Code::DeadlineExceeded, message, details: Vec::new() })
    })
}
