//! The binary `palisade`.
fn main() {}
