//! Settings of context scans, with defaults. Nothing is read from the environment here.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Settings of context scans.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Host names of the mail relays of the operator, as their `Received` lines state them after `by`. SPF is checked for mails that
    /// they accepted. Default none.
    pub mail_relays: Vec<String>,
    /// Domains of intermediaries, for example mailing lists, whose ARC seals are trusted. Default none.
    pub arc_sealers: Vec<String>,
    /// URL of the list of RDAP servers (RFC 9224). Default that of the IANA.
    pub rdap_bootstrap_url: String,
    /// Directory of lists of names of the operator: allowed, blocked, well-known and private ones, by kind (docs/context.md). Read at
    /// the start. Default none.
    pub lists_dir: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mail_relays: Vec::new(),
            arc_sealers: Vec::new(),
            rdap_bootstrap_url: "https://data.iana.org/rdap/dns.json".to_owned(),
            lists_dir: None,
        }
    }
}
