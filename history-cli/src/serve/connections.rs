//! Connections of a server: addresses, TLS, limits, and its end.

use super::Server;
use super::access::Access;
use super::routes::{Shared, answer};
use super::states::States;
use super::tokens::Tokens;
use axum::Router;
use axum::extract::Request;
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// The time for the head of a request, and between requests.
const HEAD: Duration = Duration::from_secs(30);

/// The time for the beginning of TLS.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The time for the last requests after a signal.
const LAST: Duration = Duration::from_secs(10);

/// The most bytes of a head.
const HEAD_BYTES: usize = 32 << 10;

/// The most open connections, if the system allows so many files.
const CONNECTIONS: usize = 4096;

/// Serves until a signal.
pub(super) fn run(server: Server, console: &mut Console) -> Result<Exit, Failure> {
    let Some(root) = server.root.clone() else { return Err(Failure::usage("`--root` is missing")) };
    check_address(&server)?;
    fs::create_dir_all(&root).map_err(|error| Failure::writing(&root, &error))?;
    #[cfg(unix)]
    let _ = fs::set_permissions(&root, std::os::unix::fs::PermissionsExt::from_mode(0o700));
    if !server.anonymous && Tokens::read(&root)?.is_empty() {
        let hint = "create one with `serve token add --root DIR NAME`, or use `--anonymous`";
        return Err(Failure::usage("there are no tokens").with_hint(hint));
    }
    let tls = tls(&server)?;
    let access = Access { tokens: (!server.anonymous).then(|| Tokens::new(&root)), hosts: hosts(&server) };
    let runtime = tokio::runtime::Builder::new_multi_thread().max_blocking_threads(64).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::usage(format!("cannot start threads: {error}")))?;
    let listen = server.listen;
    let shared = Arc::new(Shared::new(server, States::new(&root), access));
    let failed = |error: io::Error| Failure::usage(format!("cannot listen on {listen}: {error}"));
    runtime.block_on(async {
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        console.line(&format!("{scheme}://{address}/state/NAME"))?;
        console.flush_output()?;
        accept(&listener, tls, &shared).await
    })?;
    runtime.shutdown_timeout(LAST);
    shared.states.close();
    Ok(Exit::Good)
}

/// Refuses to send tokens and states over a network without TLS.
fn check_address(server: &Server) -> Result<(), Failure> {
    let is_local = server.listen.ip().is_loopback();
    if !is_local && server.tls_cert.is_none() && !server.behind_proxy {
        let failure =
            Failure::usage(format!("{} is not only on this machine, and there is no TLS", server.listen));
        return Err(failure.with_hint("give `--tls-cert` and `--tls-key`, or `--behind-proxy`"));
    }
    if server.anonymous && (!is_local || server.behind_proxy) {
        return Err(Failure::usage("`--anonymous` is only for addresses of this machine"));
    }
    Ok(())
}

/// The names by which clients know the server.
fn hosts(server: &Server) -> Vec<String> {
    let is_local = server.listen.ip().is_loopback() && !server.behind_proxy;
    let own = ["localhost", "127.0.0.1", "[::1]"];
    let own = own.into_iter().filter(|_| is_local).map(str::to_owned);
    own.chain(server.host.iter().cloned()).collect()
}

fn tls(server: &Server) -> Result<Option<TlsAcceptor>, Failure> {
    let (Some(certificates), Some(key)) = (&server.tls_cert, &server.tls_key) else { return Ok(None) };
    let wrong = |file: &Path, error: String| {
        Failure::reading(file, &io::Error::new(io::ErrorKind::InvalidData, error))
    };
    let read = |file: &Path| -> Result<Vec<CertificateDer<'static>>, Failure> {
        let found = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let found = found.map_err(|error| wrong(file, error.to_string()))?;
        if found.is_empty() { Err(wrong(file, "it has no certificate".to_owned())) } else { Ok(found) }
    };
    let chain = read(certificates)?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| wrong(certificates, error.to_string()))?;
    let builder = match &server.client_ca {
        None => builder.with_no_client_auth(),
        Some(file) => {
            let mut roots = RootCertStore::empty();
            for root in read(file)? {
                roots.add(root).map_err(|error| wrong(file, error.to_string()))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.map_err(|error| wrong(file, error.to_string()))?)
        }
    };
    let mut config =
        builder.with_single_cert(chain, secret).map_err(|error| wrong(key, error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}

/// Accepts connections until a signal, and then answers the last requests. A second signal ends the
/// program at once.
async fn accept(
    listener: &TcpListener,
    tls: Option<TlsAcceptor>,
    shared: &Arc<Shared>,
) -> Result<(), Failure> {
    let connections = Arc::new(Semaphore::new(most_connections()));
    let ending = GracefulShutdown::new();
    let mut signals = Signals::new()?;
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { break };
        let (stream, address) = tokio::select! {
            () = signals.next() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // Mostly a lack of file numbers, which ends with other connections.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let (shared, tls, watcher) = (Arc::clone(shared), tls.clone(), ending.watcher());
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            match tls {
                None => converse(stream, address, shared, watcher).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = timeout(HANDSHAKE, tls.accept(stream)).await {
                        converse(stream, address, shared, watcher).await;
                    }
                }
            }
            drop(permit);
        });
    }
    tokio::select! {
        _ = timeout(LAST, ending.shutdown()) => Ok(()),
        () = signals.next() => Ok(()),
    }
}

/// Answers the requests of one connection.
async fn converse<S>(
    stream: S,
    address: SocketAddr,
    shared: Arc<Shared>,
    watcher: hyper_util::server::graceful::Watcher,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let router =
        Router::new().fallback(move |request: Request| answer(Arc::clone(&shared), address, request));
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES).half_close(true);
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    // A client that goes away is no fault of the server.
    let _ = watcher.watch(connection).await;
}

/// The signals that end a server.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    fn new() -> Result<Signals, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let failed = |error: io::Error| Failure::usage(format!("cannot wait for signals: {error}"));
        Ok(Signals {
            terminate: signal(SignalKind::terminate()).map_err(failed)?,
            interrupt: signal(SignalKind::interrupt()).map_err(failed)?,
        })
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    fn new() -> Result<Signals, Failure> {
        Ok(Signals {})
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Half of the files that this process may have open are for connections.
#[cfg(unix)]
fn most_connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let files = getrlimit(Resource::Nofile).current.and_then(|files| usize::try_from(files).ok());
    (files.unwrap_or(usize::MAX) / 2).clamp(16, CONNECTIONS)
}

#[cfg(not(unix))]
fn most_connections() -> usize {
    CONNECTIONS
}
