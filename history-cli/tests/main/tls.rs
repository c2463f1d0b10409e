//! TLS: what a client must trust, and the certificates that it must have.

use crate::client::{Answer, Running, exchange_over, info, state};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A file of certificates or keys. They are of no use outside of these tests: the key of the
/// authority was not kept.
fn pem(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/main/tls").join(format!("{name}.pem"))
}

fn certificate(name: &str) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(pem(name)).unwrap()
}

/// A client that trusts these authorities, and may have a certificate.
fn client(trusted: &[&str], own: Option<&str>) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for name in trusted {
        roots.add(certificate(name)).unwrap();
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.unwrap().with_root_certificates(roots);
    let mut config = match own {
        None => builder.with_no_client_auth(),
        Some(name) => {
            let key = PrivateKeyDer::from_pem_file(pem(&format!("{name}.key"))).unwrap();
            builder.with_client_auth_cert(vec![certificate(name)], key).unwrap()
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Arc::new(config)
}

fn start(arguments: &[&str]) -> Running {
    let [certificate, key] = ["server", "server.key"].map(|name| pem(name).display().to_string());
    Running::start(&[&["--tls-cert", &certificate, "--tls-key", &key], arguments].concat())
}

/// The answer to a request; `None` if the connection fails.
fn send(
    server: &Running,
    config: &Arc<ClientConfig>,
    method: &str,
    path: &str,
    body: &str,
) -> Option<Answer> {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = StreamOwned::new(ClientConnection::new(Arc::clone(config), name).unwrap(), stream);
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    let answer = exchange_over(&mut stream, request.as_bytes())?;
    assert_eq!(stream.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
    Some(answer)
}

#[test]
fn states_are_kept_over_tls() {
    let server = start(&[]);
    let trusting = client(&["ca"], None);
    let status = |method: &str, path: &str, body: &str| {
        send(&server, &trusting, method, path, body).map(|answer| answer.status)
    };
    assert_eq!(status("LOCK", "/state/s", &info("one")), Some(200));
    assert_eq!(status("POST", "/state/s?ID=one", &state(1, "a", 1)), Some(200));
    assert_eq!(status("UNLOCK", "/state/s", &info("one")), Some(200));
    let read = send(&server, &trusting, "GET", "/state/s", "").unwrap();
    assert_eq!(read.text(), state(1, "a", 1));
    // One that does not know the authority sends nothing.
    assert!(send(&server, &client(&["client"], None), "GET", "/state/s", "").is_none());
    // Without TLS, there is no answer of a state.
    let plain = crate::client::try_send(server.address(), "GET", "/state/s", &[], b"");
    assert!(plain.is_none_or(|answer| answer.status != 200));
    assert_eq!(status("GET", "/healthz", ""), Some(200));
}

#[test]
fn clients_need_a_certificate_if_the_server_asks_for_one() {
    let authority = pem("ca").display().to_string();
    let server = start(&["--client-ca", &authority]);
    let status = |config: &Arc<ClientConfig>| {
        send(&server, config, "POST", "/state/s", &state(1, "a", 1)).map(|answer| answer.status)
    };
    assert_eq!(status(&client(&["ca"], None)), None);
    // The certificate of a server is not one of a client.
    assert_eq!(status(&client(&["ca"], Some("server"))), None);
    assert_eq!(status(&client(&["ca"], Some("client"))), Some(200));
}
