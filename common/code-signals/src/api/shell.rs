//! Variables of the shell. Commands are judged by `shell.rs` beside the interpretation.

use super::{Effect, Rows};

pub(super) const NAMES: Rows = &[
    (Effect::Home, "HOME USERPROFILE ~"),
    (Effect::Temporary, "TMPDIR TEMP TMP"),
    (Effect::Identity, "HOSTNAME USER LOGNAME"),
    (Effect::Text("."), "PWD OLDPWD BASH_SOURCE"),
    (Effect::Text("bash"), "SHELL BASH"),
];
