//! The protocol between parent and worker: frames of a length (four bytes, little endian) and a body, whose first byte
//! is its kind. The worker sends `Ready` or `Missing`; the parent sends the assignment; the worker sends one outcome
//! and exits. Pure.

use nix::errno::Errno;
use thiserror::Error;

use crate::error::{Feature, Missing};

/// Bytes of a frame's length.
pub(crate) const LENGTH_BYTES: usize = 4;
/// Bytes that a body has beside its payload: the kind, and the steps of an assignment.
pub(crate) const OVERHEAD_BYTES: u32 = 1 + 8;
/// Bytes of a frame of `Ready` or `Missing` at most.
pub(crate) const GREETING_BYTES: u32 = 16;

const READY: u8 = 1;
const MISSING: u8 = 2;
const ASSIGNMENT: u8 = 3;
const REPLY: u8 = 4;
const OUT_OF_STEPS: u8 = 5;
const PANICKED: u8 = 6;

/// Layers in force around a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// `None` when the worker has user, mount, process, network and IPC namespaces of its own, otherwise why not.
    pub namespaces_refused: Option<Errno>,
    /// Version of Landlock's interface in the kernel, at least 1.
    pub landlock: u8,
}

/// First message of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Greeting {
    /// Restricted, and waiting for its assignment.
    Ready(Isolation),
    /// A restriction could not be applied.
    Missing(Missing),
}

/// Second and last message of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The task's reply.
    Reply(Vec<u8>),
    /// It spent all steps.
    OutOfSteps,
    /// It panicked.
    Panicked,
}

/// A message that is not of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MalformedReply {
    /// Longer than permitted.
    #[error("{bytes} bytes, permitted are {limit}")]
    TooLong {
        /// Its length.
        bytes: u32,
        /// The limit.
        limit: u32,
    },
    /// It has no kind, or one that is not expected here, or a wrong form.
    #[error("unknown form")]
    Form,
    /// The child sent bytes after its reply.
    #[error("bytes after the end")]
    Trailing,
}

/// A frame with this body.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    let mut frame = Vec::with_capacity(LENGTH_BYTES + body.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(body);
    frame
}

/// Length of a body, at most `limit`.
pub(crate) const fn body_length(head: [u8; LENGTH_BYTES], limit: u32) -> Result<usize, MalformedReply> {
    let bytes = u32::from_le_bytes(head);
    if bytes > limit { Err(MalformedReply::TooLong { bytes, limit }) } else { Ok(bytes as usize) }
}

/// Number of a reason; 0 is none. `UnknownErrno` is 0 too, and must not read as none.
pub(crate) fn reason_number(reason: Option<Errno>) -> i32 {
    match reason {
        None => 0,
        Some(Errno::UnknownErrno) => -1,
        Some(errno) => errno as i32,
    }
}

/// Reverse of [`reason_number`].
pub(crate) fn numbered_reason(number: i32) -> Option<Errno> {
    (number != 0).then(|| Errno::from_raw(number))
}

impl Greeting {
    pub(crate) fn encode(self) -> Vec<u8> {
        match self {
            Self::Ready(isolation) => {
                let reason = reason_number(isolation.namespaces_refused);
                [&[READY, isolation.landlock][..], &reason.to_le_bytes()].concat()
            }
            Self::Missing(missing) => {
                let reason = reason_number(Some(missing.reason));
                [&[MISSING, number(missing.feature)][..], &reason.to_le_bytes()].concat()
            }
        }
    }

    pub(crate) fn decode(body: &[u8]) -> Result<Self, MalformedReply> {
        let [kind, value, reason @ ..] = body else { return Err(MalformedReply::Form) };
        let reason = i32::from_le_bytes(reason.try_into().map_err(|_| MalformedReply::Form)?);
        match *kind {
            READY => {
                Ok(Self::Ready(Isolation { namespaces_refused: numbered_reason(reason), landlock: *value }))
            }
            MISSING => {
                Ok(Self::Missing(Missing { feature: feature(*value)?, reason: Errno::from_raw(reason) }))
            }
            _ => Err(MalformedReply::Form),
        }
    }
}

const fn number(feature: Feature) -> u8 {
    match feature {
        Feature::NoNewPrivileges => 1,
        Feature::ResourceLimits => 2,
        Feature::Landlock => 3,
        Feature::Seccomp => 4,
        Feature::Execution => 5,
    }
}

const fn feature(number: u8) -> Result<Feature, MalformedReply> {
    match number {
        1 => Ok(Feature::NoNewPrivileges),
        2 => Ok(Feature::ResourceLimits),
        3 => Ok(Feature::Landlock),
        4 => Ok(Feature::Seccomp),
        5 => Ok(Feature::Execution),
        _ => Err(MalformedReply::Form),
    }
}

/// The body of an assignment.
pub(crate) fn encode_assignment(steps: u64, input: &[u8]) -> Vec<u8> {
    [&[ASSIGNMENT][..], &steps.to_le_bytes(), input].concat()
}

/// Steps and input of an assignment.
pub(crate) fn decode_assignment(body: &[u8]) -> Option<(u64, &[u8])> {
    let (steps, input) = body.strip_prefix(&[ASSIGNMENT])?.split_first_chunk()?;
    Some((u64::from_le_bytes(*steps), input))
}

impl Outcome {
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Reply(reply) => [&[REPLY][..], reply].concat(),
            Self::OutOfSteps => vec![OUT_OF_STEPS],
            Self::Panicked => vec![PANICKED],
        }
    }

    pub(crate) fn decode(mut body: Vec<u8>) -> Result<Self, MalformedReply> {
        match *body.as_slice() {
            [REPLY, ..] => Ok(Self::Reply(body.split_off(1))),
            [OUT_OF_STEPS] => Ok(Self::OutOfSteps),
            [PANICKED] => Ok(Self::Panicked),
            _ => Err(MalformedReply::Form),
        }
    }
}

#[cfg(test)]
mod tests;
