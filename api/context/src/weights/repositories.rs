//! Checks of skills and MCP servers: those that both share, and those of each.

/// Checks of content in a repository of the code host.
pub mod repository {
    use crate::artifact::Severity::{High, Medium};
    use crate::artifact::ThreatType::{
        InstallAttack, Obfuscation, PromptInjection, SocialEngineering, Typosquatting,
    };
    use crate::check::{Spec, behavior, content, identity};

    /// Points that a new account and a new repository lose.
    pub(crate) const NEW_OWNER: i16 = 20;
    pub(crate) const NEW_REPOSITORY: i16 = 15;

    pub(crate) static LOOKALIKE: Spec = identity(
        "repository.lookalike",
        "The name resembles that of a well-known repository of another owner",
    )
    .threat(Typosquatting, High);
    pub(crate) static LISTED: Spec =
        identity("repository.operator_list", "A list of the operator names the repository")
            .threat(SocialEngineering, High)
            .worth(20);
    pub(crate) static OWNER_AGE: Spec =
        identity("repository.owner_age", "The owner's account is older than a year").worth(15);
    pub(crate) static AGE: Spec = identity("repository.age", "The repository is older than a year").worth(10);
    pub(crate) static STARS: Spec =
        identity("repository.stars", "At least a hundred users have marked the repository").worth(10);
    pub(crate) static FORK: Spec =
        identity("repository.fork", "The repository is no copy of another one").worth(-10);
    pub(crate) static SIGNED: Spec =
        identity("repository.signed_commits", "Most of the last commits have verified signatures").worth(5);
    pub(crate) static RELEASES: Spec =
        identity("repository.releases", "Most of the last releases cannot be changed any more").worth(10);
    pub(crate) static SNAPSHOT: Spec =
        content("repository.snapshot", "Files of the repository are read").required();
    pub(crate) static DIRECTIVES: Spec = content(
        "repository.directives",
        "Text asks the agent for secrets, for changes of its configuration, to follow instructions from elsewhere, or to conceal",
    )
    .threat(PromptInjection, High);
    pub(crate) static CODE: Spec =
        behavior("repository.code", "Capabilities of the code form an attack").threat(InstallAttack, High);
    pub(crate) static OPAQUE: Spec =
        content("repository.opaque", "Programs, bytecode and archives stand beside the source")
            .threat(Obfuscation, Medium);

    /// Those of both origins, in the order of results.
    pub static ALL: [&Spec; 11] = [
        &LOOKALIKE,
        &LISTED,
        &OWNER_AGE,
        &AGE,
        &STARS,
        &FORK,
        &SIGNED,
        &SNAPSHOT,
        &DIRECTIVES,
        &CODE,
        &OPAQUE,
    ];
}

/// Checks of skills alone.
pub mod skill {
    use crate::check::{Spec, behavior, content};

    pub(crate) static FRONT_MATTER: Spec =
        content("skill.front_matter", "SKILL.md states name and description").worth(-5);
    pub(crate) static TOOLS: Spec =
        behavior("skill.allowed_tools", "Scripts use only what allowed-tools permits").worth(-10);

    /// All of them, in the order of results.
    pub static ALL: [&Spec; 2] = [&FRONT_MATTER, &TOOLS];
}

/// Checks of MCP servers alone.
pub mod mcp {
    use super::repository::RELEASES;
    use crate::artifact::Severity::High;
    use crate::artifact::ThreatType::{CredentialHarvesting, ToolShadowing};
    use crate::check::{Spec, behavior, content};

    pub(crate) static TOOLS: Spec =
        content("mcp.tools", "Tools are found in the code, with descriptions").worth(-5);
    pub(crate) static SHADOWING: Spec =
        content("mcp.shadowing", "A description gives orders about tools of other servers")
            .threat(ToolShadowing, High);
    pub(crate) static HIDDEN_EFFECT: Spec =
        behavior("mcp.hidden_effect", "A tool does what its description does not say")
            .threat(CredentialHarvesting, High);

    /// All of them, in the order of results.
    pub static ALL: [&Spec; 4] = [&RELEASES, &TOOLS, &SHADOWING, &HIDDEN_EFFECT];
}
