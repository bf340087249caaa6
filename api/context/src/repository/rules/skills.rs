//! Rules that hold for the instructions of skills alone, which an agent follows step by step.

use super::Class::{Ask, Fresh, Heed, Papers, Retrieve, Seed, Send, Web};
use super::{Rule, rule};
use crate::artifact::{Severity, ThreatType};

pub(in crate::repository) static OF_SKILLS: [Rule; 3] = [
    // Steps that change after the review. A page of documentation that is read when needed is none.
    rule(
        "takes steps from an address, which may change them at any time",
        (&[Retrieve, Web, Heed, Fresh], 50),
        ThreatType::PromptInjection,
        None,
        Some(Severity::High),
    ),
    rule(
        "asks for the seed of a wallet",
        (&[Ask, Seed], 8),
        ThreatType::CredentialHarvesting,
        None,
        Some(Severity::High),
    ),
    rule(
        "asks to send papers of the user to an address",
        (&[Send, Web, Papers], 24),
        ThreatType::Exfiltration,
        None,
        Some(Severity::High),
    ),
];
