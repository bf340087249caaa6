//! Words of a context result (specification, Context artifact result): origins, dimensions, severities, threats, verdicts.

use common::words;

words! {
    /// Kind of content.
    Origin {
        /// A web page, by host and path.
        WebPage = "web_page",
        /// A mail.
        Email = "email",
        /// A message of a chat or another channel.
        Message = "message",
        /// A file behind a URL.
        File = "file",
        /// A skill of an agent.
        Skill = "skill",
        /// Repository of an MCP server.
        Mcp = "mcp",
        /// A package of a registry.
        Package = "package",
    }
}

impl Origin {
    /// Whether the content belongs to the organization that sent it, so that no other organization reads its result.
    #[must_use]
    pub fn is_private(self) -> bool {
        matches!(self, Self::Email | Self::Message | Self::File)
    }

    /// Number in keys. Stored.
    #[must_use]
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::WebPage => 0,
            Self::Email => 1,
            Self::Message => 2,
            Self::File => 3,
            Self::Skill => 4,
            Self::Mcp => 5,
            Self::Package => 6,
        }
    }
}

words! {
    /// Part of the score.
    Dimension {
        /// Who is behind the content. Starts at 50; trust is earned.
        Identity = "identity",
        /// Effects of the content: links, requests, scripts. Starts at 100.
        Behavior = "behavior",
        /// The text itself. Starts at 100.
        Content = "content",
    }
}

words! {
    /// Severity of a threat, the least severe first.
    Severity {
        /// Worth a note.
        Low = "low",
        /// Worth a review.
        Medium = "medium",
        /// An attack is likely.
        High = "high",
        /// An attack that the content hides or executes.
        Critical = "critical",
    }
}

impl Severity {
    /// The severity lowered by a number of levels, at least low.
    #[must_use]
    pub(crate) fn lowered(self, levels: usize) -> Self {
        let place = Self::ALL.iter().position(|one| *one == self).unwrap_or(0);
        Self::ALL.get(place.saturating_sub(levels)).copied().unwrap_or(Self::Low)
    }
}

words! {
    /// Type of a threat.
    ThreatType {
        /// Text that addresses the agent and gives it orders.
        PromptInjection = "prompt_injection",
        /// Text that replaces the instructions of the agent.
        InstructionOverride = "instruction_override",
        /// Orders to the agent in documentation.
        DocInjection = "doc_injection",
        /// Orders to the agent in type stubs.
        TypeStubInjection = "type_stub_injection",
        /// A tool that changes the use of other servers' tools.
        ToolShadowing = "tool_shadowing",
        /// Orders to the agent in the description of a tool.
        DescriptionInjection = "description_injection",
        /// Orders to the agent in the output of a tool.
        OutputPoisoning = "output_poisoning",
        /// Code that acts at installation.
        InstallAttack = "install_attack",
        /// Requests for credentials, and code that reads them.
        CredentialHarvesting = "credential_harvesting",
        /// A name that is nearly a popular one.
        Typosquatting = "typosquatting",
        /// A public package under a private name.
        DependencyConfusion = "dependency_confusion",
        /// Content made hard to read.
        Obfuscation = "obfuscation",
        /// A pretext for a login, a payment or an attachment.
        Phishing = "phishing",
        /// Other content for other readers.
        Cloaking = "cloaking",
        /// Data sent away.
        Exfiltration = "exfiltration",
        /// Pressure and pretexts.
        SocialEngineering = "social_engineering",
        /// Use of another's name.
        BrandImpersonation = "brand_impersonation",
        /// A link or redirect to another place than it shows.
        MaliciousRedirect = "malicious_redirect",
        /// No valid TLS.
        TlsConnectionFailed = "tls_connection_failed",
        /// The content could not be read.
        ScanError = "scan_error",
        /// The repository of the MCP server could not be read.
        McpUnscannable = "mcp_unscannable",
        /// The package could not be read.
        PackageUnscannable = "package_unscannable",
    }
}

words! {
    /// Verdict, the best first.
    Verdict {
        /// Use it.
        Safe = "safe",
        /// Review it.
        Caution = "caution",
        /// Do not use it.
        Suspicious = "suspicious",
        /// Do not use it: an attack.
        Dangerous = "dangerous",
    }
}

words! {
    /// Verdict that a result is never better than, since something was not read.
    Floor {
        /// A required check was not possible, a relevant part is unread, or a scan is pending.
        Caution = "caution",
        /// Nothing was readable.
        Dangerous = "dangerous",
    }
}

words! {
    /// Confidence of a result.
    Confidence {
        /// There is a floor.
        Low = "low",
        /// An optional check was not possible.
        Medium = "medium",
        /// All checks were possible.
        High = "high",
    }
}

words! {
    /// How much risk the caller accepts.
    Tolerance {
        /// The default.
        Conservative = "conservative",
        /// More risk.
        Lenient = "lenient",
        /// The most risk.
        Yolo = "yolo",
    }
}

/// The severity of a chain of code.
impl From<code_signals::Severity> for Severity {
    fn from(severity: code_signals::Severity) -> Self {
        match severity {
            code_signals::Severity::Low => Self::Low,
            code_signals::Severity::Medium => Self::Medium,
            code_signals::Severity::High => Self::High,
            code_signals::Severity::Critical => Self::Critical,
        }
    }
}

/// The threat of a chain of code.
impl From<code_signals::Threat> for ThreatType {
    fn from(threat: code_signals::Threat) -> Self {
        match threat {
            code_signals::Threat::InstallAttack => Self::InstallAttack,
            code_signals::Threat::CredentialHarvesting => Self::CredentialHarvesting,
            code_signals::Threat::Exfiltration => Self::Exfiltration,
            code_signals::Threat::Obfuscation => Self::Obfuscation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_severity_loses_levels_down_to_low() {
        assert_eq!(Severity::Critical.lowered(0), Severity::Critical);
        assert_eq!(Severity::Critical.lowered(2), Severity::Medium);
        assert_eq!(Severity::High.lowered(2), Severity::Low);
        assert_eq!(Severity::Low.lowered(2), Severity::Low);
    }

    #[test]
    fn origins_have_different_numbers() {
        let numbers: std::collections::BTreeSet<u8> = Origin::ALL.into_iter().map(Origin::number).collect();
        assert_eq!(numbers.len(), Origin::ALL.len());
    }
}
