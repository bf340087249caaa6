//! Parsing in the sandbox: a batch of replies in, readings out.

use std::time::Duration;

use sandbox::{Limits, OutOfSteps, SandboxTask, Steps};

use crate::parse::{MOST_REPLIES, MOST_REPLY_BYTES, read_batch};

/// Bytes of a batch: the largest bodies, and 64 KiB of head and certificate for each.
const BATCH_BYTES: u32 = (MOST_REPLIES * (MOST_REPLY_BYTES + (64 << 10))) as u32;

/// Parses a batch of replies. A batch of the largest pages takes some seconds in a build without optimization.
pub const READ_REPLIES: SandboxTask = SandboxTask {
    name: "web.replies",
    limits: Limits {
        memory_bytes: 1 << 30,
        cpu_seconds: 20,
        steps: u64::MAX,
        wall: Duration::from_secs(60),
        assignment_bytes: BATCH_BYTES,
        reply_bytes: 64 << 20,
    },
    run: answer,
};

/// Tasks of this crate, to be handed to [`sandbox::enter_if_asked`].
#[must_use]
pub fn sandbox_tasks() -> Vec<SandboxTask> {
    vec![READ_REPLIES]
}

fn answer(batch: &[u8], _: &mut Steps) -> Result<Vec<u8>, OutOfSteps> {
    Ok(read_batch(batch))
}
