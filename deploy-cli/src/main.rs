//! `coco-deploy`: environments and their deployments.

#![forbid(unsafe_code)]

use coconut_deploy::Providers;
use std::process::ExitCode;

fn main() -> ExitCode {
    coco_deploy::main(Providers::new())
}
