//! Targets of both origins by name and URL.

use super::*;

fn of(kind: Kind, text: &str) -> Result<String, TargetError> {
    Target::parse(kind, text, "github.com").map(|target| target.to_string())
}

#[test]
fn servers_are_repositories_by_name_or_url() {
    for text in [
        "Acme/Tool",
        "https://github.com/acme/tool",
        "https://github.com/acme/tool.git",
        "https://github.com/acme/tool/",
    ] {
        assert_eq!(of(Kind::Server, text).as_deref(), Ok("acme/tool"), "{text}");
    }
    for text in [
        "",
        "acme",
        "acme/tool/x",
        "http://github.com/acme/tool",
        "https://gitlab.com/acme/tool",
        "https://github.com/acme",
        "https://github.com/acme/tool/tree/main",
        "https://a@github.com/acme/tool",
        "https://github.com:8443/acme/tool",
        "../tool",
        &"a".repeat(2_049),
    ] {
        assert!(of(Kind::Server, text).is_err(), "{text}");
    }
}

#[test]
fn skills_are_named_by_host_and_registry() {
    for text in
        ["Acme/Kit/PDF", "https://github.com/acme/kit/tree/HEAD/skills/pdf", "https://skills.sh/acme/kit/pdf"]
    {
        assert_eq!(of(Kind::Skill, text).as_deref(), Ok("acme/kit/pdf"), "{text}");
    }
    for text in [
        "https://github.com/acme/kit/tree/main/skills/pdf",
        "https://github.com/acme/kit/blob/main/skills/pdf/SKILL.md",
        "https://raw.githubusercontent.com/acme/kit/main/skills/pdf/SKILL.md",
        "https://raw.githubusercontent.com/acme/kit/refs/heads/main/skills/pdf/SKILL.md",
        "acme/kit/pdf@main",
    ] {
        assert_eq!(of(Kind::Skill, text).as_deref(), Ok("acme/kit/pdf@main"), "{text}");
        let target = Target::parse(Kind::Skill, text, "github.com").unwrap();
        assert_eq!(target.clone().without_default("main").to_string(), "acme/kit/pdf", "{text}");
        assert_eq!(target.without_default("develop").to_string(), "acme/kit/pdf@main", "{text}");
    }
    assert_eq!(of(Kind::Skill, "https://github.com/acme/kit").as_deref(), Ok("acme/kit/kit"));
    assert_eq!(of(Kind::Skill, "https://github.com/acme/kit/tree/v2/pdf").as_deref(), Ok("acme/kit/pdf@v2"));
    assert_eq!(
        of(Kind::Skill, "https://hub.example/skills/77?x=1#y").as_deref(),
        Ok("https://hub.example/skills/77")
    );
    for text in [
        "acme/kit",
        "acme/kit/a/b",
        "https://github.com/acme",
        "https://github.com/acme/kit/issues/1",
        "a/b/..",
    ] {
        assert_eq!(of(Kind::Skill, text), Err(TargetError::Skill), "{text}");
    }
    // `printf acme/tool | sha256sum`.
    let server = Target::parse(Kind::Server, "Acme/Tool", "github.com").unwrap().subject();
    assert_eq!(server.identifier, "0922bb1032d600a8e2b0d7ad233bf8f744093d60c44b3f1f41aedb40ae82f82b");
    let target = Target::parse(Kind::Skill, "acme/kit/pdf@v2", "github.com").unwrap();
    assert_eq!(Target::parse(Kind::Skill, &target.to_string(), "github.com"), Ok(target));
}
