//! The signals that end a deployment.

use crate::providers;
use coconut_deploy::Interrupt;
use std::process;
use std::thread;
use tokio::runtime::Builder;
use tokio::signal::ctrl_c;

/// The exit code of a process that a second interrupt ends, as shells have it.
const INTERRUPTED: i32 = 130;

/// A request that the first interrupt of this process makes. The second one ends the process at
/// once: the journal keeps the operations that have begun.
pub(crate) fn of_process() -> Interrupt {
    let interrupt = Interrupt::default();
    let requested = interrupt.clone();
    // Without the thread or the runtime, an interrupt ends the process at once.
    let _ = thread::Builder::new().spawn(move || {
        let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            while ctrl_c().await.is_ok() {
                if requested.is_requested() {
                    providers::stop_all();
                    process::exit(INTERRUPTED);
                }
                requested.request();
            }
        });
    });
    interrupt
}
