//! Classes of phrases, of which rules are made.

/// Classes of phrases, in the order of [`NAMES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::repository) enum Class {
    Secret,
    Token,
    Take,
    Read,
    Send,
    Web,
    Conceal,
    Quiet,
    Load,
    Follow,
    Write,
    Config,
    Keys,
    Lasting,
    Bypass,
    Run,
    Talk,
    Program,
    Code,
    Must,
    Others,
    Shift,
    Whole,
    Agent,
    Command,
    Give,
    Retrieve,
    Heed,
    Fresh,
    Ask,
    Seed,
    Papers,
}

pub(in crate::repository) const CLASSES: usize = Class::Papers as usize + 1;
pub(in crate::repository) const NAMES: [&str; CLASSES] = [
    "secret", "token", "take", "read", "send", "web", "conceal", "quiet", "load", "follow", "write",
    "config", "keys", "lasting", "bypass", "run", "talk", "program", "code", "must", "others", "shift",
    "whole", "agent", "command", "give", "retrieve", "heed", "fresh", "ask", "seed", "papers",
];
