//! `serve`: a server that keeps states for Terraform and OpenTofu.

mod access;
mod answer;
mod body;
mod connections;
mod interface;
mod journal;
mod page;
mod protocol;
mod removing;
mod routes;
mod states;
mod tokens;

use crate::failure::OrFail;
use crate::named::{entry_now, user};
use clap::{Args, Subcommand};
use coconut_history::{Entry, Unlock};
use coconut_report::safe::visible;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use states::States;
use std::net::SocketAddr;
use std::path::PathBuf;
use tokens::{Right, Token, Tokens};

/// Keep states for Terraform and OpenTofu
///
/// Speaks the protocol of the backend `http`: `address`, `lock_address` and `unlock_address` are
/// `http://HOST/state/NAME`. Each state is a history pack, `NAME.cocohist` in DIR, so `coco
/// history` shows its versions while the server runs. The password of a request is a token, which
/// `serve token add` creates.
///
/// Prints one line of JSON to standard error for each request. Ends after SIGINT or SIGTERM, when
/// the current requests are answered.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Serve {
    #[command(subcommand)]
    command: Option<ServeCommand>,
    #[command(flatten)]
    server: Server,
}

/// The settings of a server.
#[derive(Args, Clone, Debug)]
pub(crate) struct Server {
    /// Folder of the packs; created if it does not exist
    #[arg(long, value_name = "DIR", required = true)]
    root: Option<PathBuf>,
    /// Address and port. Addresses other than those of this machine need TLS
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8733")]
    listen: SocketAddr,
    /// Certificates for TLS (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key for TLS (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Require certificates of clients, issued by one of these (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    client_ca: Option<PathBuf>,
    /// A proxy in front of the server speaks TLS
    #[arg(long)]
    behind_proxy: bool,
    /// A name by which clients know the server (repeatable)
    ///
    /// Requests for other names are refused. Default: the names of this machine, if it only listens
    /// there, otherwise all.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// No tokens: everyone who can connect may do everything. Only on this machine
    #[arg(long)]
    anonymous: bool,
    /// Largest state in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20)]
    max_state: u64,
    /// Refuse writes without a lock
    #[arg(long)]
    require_lock: bool,
    /// Whether a lock can be freed without its ID
    ///
    /// `terraform force-unlock` does not send the ID. The client that held the lock can no longer
    /// write, and the next version gets a label.
    #[arg(long, value_name = "HOW", default_value = "allow")]
    blind_unlock: BlindUnlock,
}

/// Whether a lock can be freed without its ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum BlindUnlock {
    /// By everyone with the right to write
    Allow,
    /// By nobody
    Deny,
}

#[derive(Debug, Subcommand)]
enum ServeCommand {
    /// Create, list and remove tokens
    #[command(subcommand)]
    Token(TokenCommand),
    Unlock(FreeLock),
    Rm(removing::Remove),
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    Add(AddToken),
    Ls(ListTokens),
    Rm(RemoveToken),
}

/// Create a token, and print it
///
/// It is printed once. Only its SHA-256 is stored. A running server knows it at once.
#[derive(Args, Debug)]
struct AddToken {
    /// Folder of the packs
    #[arg(long, value_name = "DIR")]
    root: PathBuf,
    /// The account in logs and events
    name: String,
    /// The highest right
    #[arg(long, value_name = "RIGHT", default_value = "write")]
    right: Right,
    /// Only states whose names begin with this
    #[arg(long, value_name = "PREFIX", default_value = "")]
    path: String,
}

/// List the tokens, without the tokens themselves
#[derive(Args, Debug)]
struct ListTokens {
    /// Folder of the packs
    #[arg(long, value_name = "DIR")]
    root: PathBuf,
}

/// Remove all tokens of an account
#[derive(Args, Debug)]
struct RemoveToken {
    /// Folder of the packs
    #[arg(long, value_name = "DIR")]
    root: PathBuf,
    /// The account
    name: String,
}

/// Free the lock of a state
///
/// Only if it has this ID. The client that held it can no longer write. Works while the server
/// runs.
#[derive(Args, Debug)]
struct FreeLock {
    /// Folder of the packs
    #[arg(long, value_name = "DIR")]
    root: PathBuf,
    /// Name of the state
    state: String,
    /// ID of the lock
    id: String,
}

impl Serve {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self.command {
            None => connections::run(self.server, console),
            Some(ServeCommand::Token(TokenCommand::Add(add))) => add.run(console),
            Some(ServeCommand::Token(TokenCommand::Ls(list))) => list.run(console),
            Some(ServeCommand::Token(TokenCommand::Rm(remove))) => remove.run(),
            Some(ServeCommand::Unlock(unlock)) => unlock.run(console),
            Some(ServeCommand::Rm(remove)) => remove.run(console),
        }
    }
}

impl AddToken {
    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let text = Tokens::add(&self.root, &self.name, self.right, &self.path)?;
        console.line(&text)?;
        Ok(Exit::Good)
    }
}

impl ListTokens {
    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        for Token { name, right, path, .. } in Tokens::read(&self.root)? {
            let path = if path.is_empty() { "all states" } else { &path };
            console.line(&format!("{}  {}  {}", visible(&name), right.name(), visible(path)))?;
        }
        Ok(Exit::Good)
    }
}

impl RemoveToken {
    fn run(self) -> Result<Exit, Failure> {
        match Tokens::remove(&self.root, &self.name)? {
            true => Ok(Exit::Good),
            false => {
                Err(Failure::negative(code::KEY_MISSING, format!("there is no token of `{}`", self.name)))
            }
        }
    }
}

impl FreeLock {
    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let states = States::new(&self.root);
        let wrong = || Failure::usage(format!("`{}` cannot be the name of a state", self.state));
        let file = states.file(&self.state).ok_or_else(wrong)?;
        let mut pack = coconut_history::Pack::open(file).or_fail()?;
        let who = user();
        let entry = Entry { account: who.as_deref(), ..entry_now("file") };
        match pack.unlock(Unlock::Id(&self.id), &entry).or_fail()? {
            Some(_) => console.note("the lock is free"),
            None => console.note("the lock was free already"),
        }
        Ok(Exit::Good)
    }
}
