//! `pulumirpc.Engine`: the service that providers call.

use super::messages::{Empty, LogRequest, RootResource};
use crate::grpc::runtime;
use crate::log::Severity;
use crate::process::Outlet;
use http::{Request, Response};
use prost::Message;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::task::JoinHandle;
use tonic::Status;
use tonic::body::Body;
use tonic::server::{Grpc, UnaryService};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic_prost::ProstCodec;

/// The running service. It ends when it is dropped.
pub(crate) struct Engine {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Engine {
    /// Serves on a free port that only this machine reaches.
    pub(crate) fn start(outlet: Outlet) -> io::Result<Engine> {
        let runtime = runtime()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let _context = runtime.enter();
        let incoming = TcpIncoming::from(tokio::net::TcpListener::from_std(listener)?);
        let service = Service { root: Arc::default(), outlet };
        let serving = Server::builder().serve_with_incoming(service, incoming);
        // Without this service a provider has no place for its log; its calls work.
        let task = runtime.spawn(async { drop(serving.await) });
        Ok(Engine { address, task })
    }

    /// `HOST:PORT`, the argument of providers.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[derive(Clone)]
struct Service {
    root: Arc<Mutex<String>>,
    outlet: Outlet,
}

impl Service {
    fn log(&self, line: &LogRequest) {
        let severity = match line.severity {
            0 => Severity::Debug,
            1 => Severity::Info,
            2 => Severity::Warning,
            _ => Severity::Error,
        };
        let text = match line.urn.is_empty() {
            true => line.message.clone(),
            false => format!("{}: {}", line.urn, line.message),
        };
        self.outlet.log.line(severity, &text, &self.outlet.redaction);
    }
}

impl tower_service::Service<Request<Body>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let root = || service.root.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(match request.uri().path() {
                "/pulumirpc.Engine/Log" => {
                    let log = |line: LogRequest| {
                        service.log(&line);
                        Empty {}
                    };
                    answer(request, log).await
                }
                "/pulumirpc.Engine/GetRootResource" => {
                    answer(request, |_: Empty| RootResource { urn: root().clone() }).await
                }
                "/pulumirpc.Engine/SetRootResource" => {
                    let set = |new: RootResource| {
                        *root() = new.urn;
                        Empty {}
                    };
                    answer(request, set).await
                }
                method => Status::unimplemented(format!("the engine has no `{method}`")).into_http(),
            })
        })
    }
}

/// Decodes a request, and encodes its answer.
async fn answer<M, R, F>(request: Request<Body>, handle: F) -> Response<Body>
where
    M: Message + Default + 'static,
    R: Message + 'static,
    F: FnMut(M) -> R,
{
    Grpc::new(ProstCodec::<R, M>::default()).unary(Handler(handle), request).await
}

struct Handler<F>(F);

impl<M, R, F: FnMut(M) -> R> UnaryService<M> for Handler<F> {
    type Response = R;
    type Future = Ready<Result<tonic::Response<R>, Status>>;

    fn call(&mut self, request: tonic::Request<M>) -> Self::Future {
        ready(Ok(tonic::Response::new((self.0)(request.into_inner()))))
    }
}
