//! Real daemons under real attacks, on loopback: the lines of sshd and nginx, sent by widely used
//! senders, become the incidents that a person reading the logs would expect. Prerequisites
//! and results are in `real_input/README.md`.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "other processes are waited for on the wall clock")]
#![expect(dead_code, reason = "the support is shared with the other whole-system tests")]

#[path = "support/http.rs"]
mod http;
#[path = "support/python.rs"]
mod python;
#[path = "support/server.rs"]
mod server;
#[path = "support/servers.rs"]
mod servers;
#[path = "support/skip.rs"]
mod skip;

#[path = "real_input/machine.rs"]
mod machine;
#[path = "real_input/nginx.rs"]
mod nginx;
#[path = "real_input/nginx_attacks.rs"]
mod nginx_attacks;
#[path = "real_input/senders.rs"]
mod senders;
#[path = "real_input/sshd.rs"]
mod sshd;
#[path = "real_input/sshd_attacks.rs"]
mod sshd_attacks;
#[path = "real_input/verdict.rs"]
mod verdict;
