//! The methods of a provider, as the paths of their requests.

pub(super) const HANDSHAKE: &str = "/pulumirpc.ResourceProvider/Handshake";
pub(super) const ATTACH: &str = "/pulumirpc.ResourceProvider/Attach";
pub(super) const GET_PLUGIN_INFO: &str = "/pulumirpc.ResourceProvider/GetPluginInfo";
pub(super) const GET_SCHEMA: &str = "/pulumirpc.ResourceProvider/GetSchema";
pub(super) const DIFF_CONFIG: &str = "/pulumirpc.ResourceProvider/DiffConfig";
pub(super) const CHECK_CONFIG: &str = "/pulumirpc.ResourceProvider/CheckConfig";
pub(super) const CONFIGURE: &str = "/pulumirpc.ResourceProvider/Configure";
pub(super) const CHECK: &str = "/pulumirpc.ResourceProvider/Check";
pub(super) const DIFF: &str = "/pulumirpc.ResourceProvider/Diff";
pub(super) const CREATE: &str = "/pulumirpc.ResourceProvider/Create";
pub(super) const READ: &str = "/pulumirpc.ResourceProvider/Read";
pub(super) const UPDATE: &str = "/pulumirpc.ResourceProvider/Update";
pub(super) const DELETE: &str = "/pulumirpc.ResourceProvider/Delete";
pub(super) const CANCEL: &str = "/pulumirpc.ResourceProvider/Cancel";
