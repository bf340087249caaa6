//! HTTP in, durable log out: the way of a batch from the socket to its acknowledgement.

pub mod limits;
pub mod validate;
