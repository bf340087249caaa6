//! Rules of directives: classes of phrases that stand near each other, each with a severity.

mod classes;
mod skills;

pub(super) use classes::{CLASSES, Class, NAMES};
pub(super) use skills::OF_SKILLS;

use crate::artifact::{Severity, ThreatType};

use Class::{
    Agent, Bypass, Code, Command, Conceal, Config, Follow, Give, Keys, Lasting, Load, Must, Others, Program,
    Quiet, Read, Run, Secret, Send, Shift, Take, Talk, Token, Web, Whole, Write,
};
use Severity::{High, Low, Medium};
use ThreatType::{
    CredentialHarvesting, DescriptionInjection, Exfiltration, InstallAttack, PromptInjection, ToolShadowing,
};

/// A rule: classes within a number of words.
pub(super) struct Rule {
    pub(super) says: &'static str,
    pub(super) needs: &'static [Class],
    pub(super) within: usize,
    pub(super) threat: ThreatType,
    /// Severity in a description, and in instructions of a skill and other texts; none where the rule does not apply.
    pub(super) declared: Option<Severity>,
    pub(super) elsewhere: Option<Severity>,
    /// Severity in literals of a server, which can be results of tools, where it differs from `elsewhere`.
    pub(super) results: Option<Severity>,
}

impl Rule {
    /// The same with another severity in results of tools.
    const fn in_results(self, severity: Severity) -> Self {
        Self { results: Some(severity), ..self }
    }
}

const fn rule(
    says: &'static str,
    (needs, within): (&'static [Class], usize),
    threat: ThreatType,
    declared: Option<Severity>,
    elsewhere: Option<Severity>,
) -> Rule {
    Rule { says, needs, within, threat, declared, elsewhere, results: None }
}

/// All rules. Balanced on the texts of `corpus/repositories/development`.
pub(super) static RULES: [Rule; 35] = [
    rule(
        "asks to read secrets and to send them",
        (&[Read, Secret, Send, Web], 45),
        CredentialHarvesting,
        Some(High),
        Some(High),
    ),
    rule(
        "asks to read secrets and to pass them on",
        (&[Read, Secret, Send], 25),
        CredentialHarvesting,
        Some(High),
        Some(Medium),
    )
    .in_results(High),
    rule(
        "asks to collect keys and settings and to send them",
        (&[Take, Token, Send, Web], 40),
        CredentialHarvesting,
        Some(High),
        Some(High),
    ),
    rule(
        "asks to collect keys and settings and to pass them on",
        (&[Take, Token, Send], 25),
        CredentialHarvesting,
        Some(High),
        Some(Medium),
    )
    .in_results(High),
    rule(
        "asks for keys and settings in secret",
        (&[Token, Send, Conceal], 50),
        CredentialHarvesting,
        Some(High),
        Some(High),
    ),
    rule("asks to collect secrets", (&[Take, Secret], 8), CredentialHarvesting, Some(High), Some(Medium)),
    rule(
        "asks for secrets in secret",
        (&[Secret, Conceal], 45),
        CredentialHarvesting,
        Some(High),
        Some(High),
    ),
    rule(
        "asks to read secrets without asking the user",
        (&[Read, Secret, Send, Quiet], 60),
        CredentialHarvesting,
        Some(High),
        Some(High),
    ),
    rule(
        "asks to read keys and settings and to conceal it",
        (&[Read, Token, Conceal], 60),
        CredentialHarvesting,
        Some(High),
        Some(Medium),
    ),
    rule(
        "asks for the whole of keys and settings in a parameter",
        (&[Whole, Token, Read, Must], 40),
        CredentialHarvesting,
        Some(High),
        None,
    ),
    rule("names secrets to be read", (&[Read, Secret], 6), CredentialHarvesting, Some(Medium), None),
    rule("asks to send and to conceal it", (&[Send, Conceal], 45), Exfiltration, Some(High), Some(High)),
    rule(
        "asks to send without asking, to an address",
        (&[Send, Quiet, Talk, Web], 45),
        Exfiltration,
        Some(High),
        Some(High),
    ),
    rule(
        "asks to send the conversation or the user's files to an address",
        (&[Send, Talk, Web], 22),
        Exfiltration,
        Some(High),
        Some(Medium),
    ),
    rule(
        "asks for the conversation in a parameter",
        (&[Send, Talk, Must], 20),
        Exfiltration,
        Some(Medium),
        None,
    ),
    rule(
        "asks to conceal something from the user",
        (&[Conceal], 1),
        DescriptionInjection,
        Some(Medium),
        Some(Low),
    ),
    rule(
        "asks to execute something and to conceal it",
        (&[Run, Conceal], 40),
        PromptInjection,
        Some(High),
        Some(High),
    ),
    rule(
        "asks to change files and to conceal it",
        (&[Write, Conceal], 25),
        PromptInjection,
        Some(High),
        Some(Medium),
    ),
    rule(
        "takes instructions from an address",
        (&[Load, Web, Follow], 45),
        PromptInjection,
        Some(High),
        Some(High),
    ),
    rule(
        "asks to execute a program from an archive with a password",
        (&[Load, Program, Code, Run], 60),
        InstallAttack,
        Some(High),
        Some(High),
    ),
    rule(
        "changes the configuration of the agent or of the user",
        (&[Write, Config], 9),
        InstallAttack,
        Some(High),
        Some(Medium),
    ),
    rule(
        "changes the configuration lastingly",
        (&[Write, Config, Lasting], 35),
        InstallAttack,
        Some(High),
        Some(High),
    ),
    rule(
        "changes the configuration without asking",
        (&[Write, Config, Quiet], 40),
        InstallAttack,
        Some(High),
        Some(High),
    ),
    rule(
        "changes the configuration and conceals it",
        (&[Write, Config, Conceal], 45),
        InstallAttack,
        Some(High),
        Some(High),
    ),
    rule("gives a key access to the machine", (&[Write, Keys], 20), InstallAttack, Some(High), Some(High)),
    rule("asks to turn off permissions", (&[Bypass], 1), PromptInjection, Some(High), Some(Medium)),
    rule(
        "asks to turn off permissions without asking",
        (&[Bypass, Quiet], 40),
        PromptInjection,
        Some(High),
        Some(High),
    ),
    rule(
        "asks to turn off permissions and to conceal it",
        (&[Bypass, Conceal], 90),
        PromptInjection,
        Some(High),
        Some(High),
    ),
    rule(
        "asks for the whole conversation in a parameter",
        (&[Talk, Whole, Give, Must], 40),
        Exfiltration,
        Some(High),
        None,
    ),
    rule(
        "asks for the conversation and for secrets",
        (&[Talk, Secret, Send], 40),
        CredentialHarvesting,
        Some(High),
        Some(Medium),
    ),
    rule(
        "asks for the conversation and to conceal it",
        (&[Talk, Conceal, Send], 60),
        Exfiltration,
        Some(High),
        Some(High),
    ),
    rule(
        "tells the assistant to execute a command from the network",
        (&[Agent, Command], 25),
        InstallAttack,
        Some(Medium),
        None,
    )
    .in_results(Medium),
    rule(
        "tells the assistant to execute a command from the network without asking",
        (&[Agent, Command, Quiet], 50),
        InstallAttack,
        Some(High),
        None,
    )
    .in_results(High),
    rule(
        "tells the assistant to execute a command from the network and to conceal it",
        (&[Command, Run, Conceal], 60),
        InstallAttack,
        Some(High),
        Some(High),
    ),
    rule("changes the use of other tools", (&[Others, Shift], 25), ToolShadowing, Some(High), None),
];
