//! Codes of failures that concern the command or the system, not a document.
//!
//! They are stable, for machines. The codes of documents are in
//! `spec/format/registry/errors.tsv`. Codes that callers of the library need, too, are in the
//! format crate. `explain` has a text for each.

pub use coconut_format::code::{
    FILE_READ, FILE_WRITE, KEY_AMBIGUOUS, KEY_MISSING, OUTPUT, PATH_MISSING, SOURCE, USAGE,
};

/// A file changes while it is read.
pub const IO_CHANGED: &str = "IO-CHANGED";
/// Git cannot be run, or reports an error.
pub const GIT: &str = "GIT";
/// The document is of a kind that has no edges.
pub const NO_EDGES: &str = "NO-EDGES";
/// The picture would have more boxes or arrows than can be drawn.
pub const GRAPH_SIZE: &str = "GRAPH-SIZE";
/// The value for `--raw` is a list or an object.
pub const NOT_A_STRING: &str = "NOT-A-STRING";
/// The value for `--raw` is secret.
pub const SECRET: &str = "SECRET";
/// The document differs from the result of its source.
pub const SOURCE_DIFFERS: &str = "SOURCE-DIFFERS";
/// The output would overwrite a file that cannot be created again.
pub const FILE_EXISTS: &str = "FILE-EXISTS";
/// Binary output would go to a terminal.
pub const TERMINAL: &str = "TERMINAL";
/// No error and no rule has the code.
pub const CODE_MISSING: &str = "CODE-MISSING";
/// An output is missing, or differs from the result of its source.
pub const STALE: &str = "STALE";
/// The original text cannot be reproduced from the document.
pub const NO_ORIGINAL: &str = "NO-ORIGINAL";

/// A merge patch cannot express that an entry is null.
pub const PATCH_NULL: &str = "PATCH-NULL";
/// A merge patch can only create an object.
pub const PATCH_ROOT: &str = "PATCH-ROOT";
/// A patch cannot be applied to the document.
pub const PATCH: &str = "PATCH";
/// A plan would delete or replace a protected resource.
pub const PLAN_PROTECTED: &str = "PLAN-PROTECTED";

/// The text of a filter cannot be read.
pub const QUERY_SYNTAX: &str = "QUERY-SYNTAX";
/// A filter uses an undefined name.
pub const QUERY_NAME: &str = "QUERY-NAME";
/// A filter failed on the values it received.
pub const QUERY_ERROR: &str = "QUERY-ERROR";
/// A filter ended in an unexpected way.
pub const QUERY_ENDED: &str = "QUERY-ENDED";
/// A filter took too many steps.
pub const QUERY_STEPS: &str = "LIM-QUERY-STEPS";
/// A filter needed too much memory.
pub const QUERY_MEMORY: &str = "LIM-QUERY-MEMORY";
/// A filter called itself too deeply.
pub const QUERY_STACK: &str = "LIM-QUERY-STACK";
/// A filter took too long.
pub const QUERY_TIME: &str = "LIM-QUERY-TIME";

/// The program that compiles is not installed.
pub const COMPILER_MISSING: &str = "COMPILER-MISSING";
/// The program of histories is not installed.
pub const HISTORY_MISSING: &str = "HISTORY-MISSING";
/// The program of assistants is not installed.
pub const MCP_MISSING: &str = "MCP-MISSING";
/// The serial number of a state is not larger than that of the newest version.
pub const HIST_STALE: &str = "HIST-STALE";
/// A state has another lineage than the newest version.
pub const HIST_LINEAGE: &str = "HIST-LINEAGE";
/// A lock is held by another client, or not held any more.
pub const HIST_LOCKED: &str = "HIST-LOCKED";
/// The newest version is not the expected one.
pub const HIST_CHANGED: &str = "HIST-CHANGED";
/// A later tool has written the history pack.
pub const HIST_NEWER: &str = "HIST-NEWER";
/// The chain of digests of a history pack is broken.
pub const HIST_CHAIN: &str = "HIST-CHAIN";
/// Parts of a history pack cannot be read.
pub const HIST_DAMAGED: &str = "HIST-DAMAGED";
/// The file is not a history pack.
pub const HIST_PACK: &str = "HIST-PACK";
/// There is no room on the disk for a history pack.
pub const HIST_FULL: &str = "HIST-FULL";
/// Another process writes to the history pack.
pub const HIST_BUSY: &str = "HIST-BUSY";
/// The history pack is on a file system of a network.
pub const HIST_NETFS: &str = "HIST-NETFS";
/// No version, or more than one, has the name.
pub const HIST_REV: &str = "HIST-REV";
/// A text is longer than a history pack accepts.
pub const HIST_TEXT: &str = "HIST-TEXT";
/// The text is not a state.
pub const HIST_STATE: &str = "HIST-STATE";
/// The program of registries is not installed.
pub const HUB_MISSING: &str = "HUB-MISSING";
/// A reference to a registry is malformed.
pub const HUB_REFERENCE: &str = "HUB-REFERENCE";
/// A registry does not have the tag or layer.
pub const HUB_ABSENT: &str = "HUB-ABSENT";
/// A registry refuses access.
pub const HUB_DENIED: &str = "HUB-DENIED";
/// Stored credentials cannot be used.
pub const HUB_CREDENTIALS: &str = "HUB-CREDENTIALS";
/// A registry cannot be reached.
pub const HUB_UNREACHABLE: &str = "HUB-UNREACHABLE";
/// A registry did not answer in time.
pub const HUB_TIME: &str = "HUB-TIME";
/// A registry asks to wait.
pub const HUB_BUSY: &str = "HUB-BUSY";
/// A registry gives an unexpected answer.
pub const HUB_ANSWER: &str = "HUB-ANSWER";
/// Bytes of a registry have another digest.
pub const HUB_DIGEST: &str = "HUB-DIGEST";
/// A layer has another size than its manifest says.
pub const HUB_SIZE: &str = "HUB-SIZE";
/// A layer or an answer of a registry is too large.
pub const HUB_LIMIT: &str = "HUB-LIMIT";
/// A redirect of a registry is not followed.
pub const HUB_REDIRECT: &str = "HUB-REDIRECT";
/// A manifest is not that of one document.
pub const HUB_ARTIFACT: &str = "HUB-ARTIFACT";
/// A document is not of the profile for registries.
pub const HUB_PROFILE: &str = "HUB-PROFILE";
/// The layer of a registry is not a valid document.
pub const HUB_DOCUMENT: &str = "HUB-DOCUMENT";
/// A directory is not an image layout.
pub const HUB_LAYOUT: &str = "HUB-LAYOUT";
/// The lock file is malformed.
pub const HUB_LOCK_FILE: &str = "HUB-LOCK-FILE";
/// A reference is not the locked one.
pub const HUB_LOCKED: &str = "HUB-LOCKED";
/// Off line, the cache does not have the document.
pub const HUB_OFFLINE: &str = "HUB-OFFLINE";
/// No signature of the key is valid.
pub const HUB_SIGNATURE: &str = "HUB-SIGNATURE";
/// The program of deployments is not installed.
pub const DEPLOY_MISSING: &str = "DEPLOY-MISSING";
/// There is no such environment.
pub const DEPLOY_ENV: &str = "DEPLOY-ENV";
/// The settings of an environment are malformed.
pub const DEPLOY_SETTINGS: &str = "DEPLOY-SETTINGS";
/// Another process works on the environment.
pub const DEPLOY_LOCKED: &str = "DEPLOY-LOCKED";
/// A document is not a state, or a state still has resources.
pub const DEPLOY_STATE: &str = "DEPLOY-STATE";
/// A record of a journal is damaged.
pub const DEPLOY_JOURNAL: &str = "DEPLOY-JOURNAL";
/// A later version has written the journal.
pub const DEPLOY_NEWER: &str = "DEPLOY-NEWER";
/// A journal continues another snapshot.
pub const DEPLOY_BASE: &str = "DEPLOY-BASE";
/// A journal cannot be written.
pub const DEPLOY_WRITE: &str = "DEPLOY-WRITE";
/// The rounds of a program contradict each other.
pub const DEPLOY_PROGRAM: &str = "DEPLOY-PROGRAM";
/// No provider has a type.
pub const DEPLOY_PROVIDER: &str = "DEPLOY-PROVIDER";
/// A provider refuses its configuration.
pub const DEPLOY_CONFIGURE: &str = "DEPLOY-CONFIGURE";
/// A value is secret, and there is no key.
pub const DEPLOY_SECRET: &str = "DEPLOY-SECRET";
/// No operation on a resource is unresolved.
pub const DEPLOY_RESOLVED: &str = "DEPLOY-RESOLVED";
/// A provider cannot read a resource.
pub const DEPLOY_READ: &str = "DEPLOY-READ";
/// The state already has the resource.
pub const DEPLOY_EXISTS: &str = "DEPLOY-EXISTS";
/// The key of an environment cannot be used.
pub const DEPLOY_KEY: &str = "DEPLOY-KEY";
/// Steps of a deployment failed.
pub const DEPLOY_STEPS: &str = "DEPLOY-STEPS";
/// The outcome of operations is not known.
pub const DEPLOY_UNRESOLVED: &str = "DEPLOY-UNRESOLVED";
/// A request has no token with the right.
pub const SRV_AUTH: &str = "SRV-AUTH";
/// A request names another host or an unknown address.
pub const SRV_ADDR: &str = "SRV-ADDR";
/// No state can have the name.
pub const SRV_NAME: &str = "SRV-NAME";
/// The body of a request is not complete or not what it must be.
pub const SRV_BODY: &str = "SRV-BODY";
/// A state has no such method.
pub const SRV_METHOD: &str = "SRV-METHOD";
/// The server has a fault.
pub const SRV_PANIC: &str = "SRV-PANIC";
/// A file of landmark rules is malformed.
pub const RULES: &str = "RULES";

/// The codes that are not in the format crate.
pub const CODES: &[&str] = &[
    IO_CHANGED,
    GIT,
    NO_EDGES,
    GRAPH_SIZE,
    NOT_A_STRING,
    SECRET,
    SOURCE_DIFFERS,
    FILE_EXISTS,
    TERMINAL,
    CODE_MISSING,
    STALE,
    NO_ORIGINAL,
    PATCH_NULL,
    PATCH_ROOT,
    PATCH,
    PLAN_PROTECTED,
    QUERY_SYNTAX,
    QUERY_NAME,
    QUERY_ERROR,
    QUERY_ENDED,
    QUERY_STEPS,
    QUERY_MEMORY,
    QUERY_STACK,
    QUERY_TIME,
    COMPILER_MISSING,
    HISTORY_MISSING,
    MCP_MISSING,
    HIST_STALE,
    HIST_LINEAGE,
    HIST_LOCKED,
    HIST_CHANGED,
    HIST_NEWER,
    HIST_CHAIN,
    HIST_DAMAGED,
    HIST_PACK,
    HIST_FULL,
    HIST_BUSY,
    HIST_NETFS,
    HIST_REV,
    HIST_TEXT,
    HIST_STATE,
    HUB_MISSING,
    HUB_REFERENCE,
    HUB_ABSENT,
    HUB_DENIED,
    HUB_CREDENTIALS,
    HUB_UNREACHABLE,
    HUB_TIME,
    HUB_BUSY,
    HUB_ANSWER,
    HUB_DIGEST,
    HUB_SIZE,
    HUB_LIMIT,
    HUB_REDIRECT,
    HUB_ARTIFACT,
    HUB_PROFILE,
    HUB_DOCUMENT,
    HUB_LAYOUT,
    HUB_LOCK_FILE,
    HUB_LOCKED,
    HUB_OFFLINE,
    HUB_SIGNATURE,
    DEPLOY_MISSING,
    DEPLOY_ENV,
    DEPLOY_SETTINGS,
    DEPLOY_LOCKED,
    DEPLOY_STATE,
    DEPLOY_JOURNAL,
    DEPLOY_NEWER,
    DEPLOY_BASE,
    DEPLOY_WRITE,
    DEPLOY_PROGRAM,
    DEPLOY_PROVIDER,
    DEPLOY_CONFIGURE,
    DEPLOY_SECRET,
    DEPLOY_RESOLVED,
    DEPLOY_READ,
    DEPLOY_EXISTS,
    DEPLOY_KEY,
    DEPLOY_STEPS,
    DEPLOY_UNRESOLVED,
    SRV_AUTH,
    SRV_ADDR,
    SRV_NAME,
    SRV_BODY,
    SRV_METHOD,
    SRV_PANIC,
    RULES,
];
