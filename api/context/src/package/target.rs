//! Targets of package scans.

use std::fmt;

use common::hexadecimal;
use sha2::{Digest, Sha256};
use versions::Ecosystem;

use crate::artifact::Origin;
use crate::record::Subject;

/// A release of a package in canonical spelling; without a version, the one that a plain install selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target(versions::Target);

impl Target {
    /// Reads `ecosystem:name@version`, with aliases of ecosystems.
    ///
    /// # Errors
    /// The expected form.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let target: versions::Target =
            text.parse().map_err(|error: versions::TargetError| error.to_string())?;
        if target.ecosystem == Ecosystem::Cargo {
            let expected = "expected an ecosystem (npm, pypi, go, rubygems, github-action), found \"cargo\"";
            return Err(expected.to_owned());
        }
        Ok(Self(target))
    }

    /// The same package with a version as its registry spells it.
    pub(crate) fn with_version(&self, version: &str) -> Self {
        let Self(versions::Target { ecosystem, name, .. }) = self;
        let target = versions::Target::new(*ecosystem, name, Some(version));
        // A registry may list a version that its own grammar does not have: it keeps its spelling.
        let spelled = || versions::Target { version: Some(version.to_owned()), ..self.0.clone() };
        Self(target.unwrap_or_else(|_| spelled()))
    }

    pub(crate) fn ecosystem(&self) -> Ecosystem {
        self.0.ecosystem
    }

    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    pub(crate) fn version(&self) -> Option<&str> {
        self.0.version.as_deref()
    }

    /// Identifier, the SHA-256 of the canonical text, and label.
    pub(crate) fn subject(&self) -> Subject {
        let name = self.to_string();
        let identifier = hexadecimal::print(&Sha256::digest(name.as_bytes()));
        Subject { origin: Origin::Package, identifier, url: Some(self.page()), name }
    }

    /// Page of the release for people.
    fn page(&self) -> String {
        let versions::Target { ecosystem, name, version } = &self.0;
        let version =
            |before: &str| version.as_deref().map_or_else(String::new, |it| format!("{before}{it}"));
        match ecosystem {
            Ecosystem::Npm => format!("https://www.npmjs.com/package/{name}{}", version("/v/")),
            Ecosystem::Pypi => format!("https://pypi.org/project/{name}/{}", version("")),
            Ecosystem::Go => format!("https://pkg.go.dev/{name}{}", version("@")),
            Ecosystem::RubyGems => format!("https://rubygems.org/gems/{name}{}", version("/versions/")),
            Ecosystem::Cargo => format!("https://crates.io/crates/{name}{}", version("/")),
            Ecosystem::GitHubAction => {
                let repository: Vec<&str> = name.splitn(3, '/').take(2).collect();
                format!("https://github.com/{}{}", repository.join("/"), version("/tree/"))
            }
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_release_have_one_identifier_and_other_texts_are_refused() {
        let of = |text: &str| Target::parse(text).map(|target| target.to_string());
        assert_eq!(of("pip:Flask_Login@0.6.3").as_deref(), Ok("pypi:flask-login@0.6.3"));
        assert_eq!(of("npm:@acme/widgets@v1.2.0").as_deref(), Ok("npm:@acme/widgets@1.2.0"));
        assert_eq!(of("gem:rails@7.1.0").as_deref(), Ok("rubygems:rails@7.1.0"));
        assert_eq!(of("actions:Actions/Checkout@v4").as_deref(), Ok("github-action:actions/checkout@v4"));
        assert_eq!(of("npm:left-pad").as_deref(), Ok("npm:left-pad"));
        for bad in
            ["left-pad@1.0.0", "cargo:serde@1.0.0", "npm:@1.0.0", "npm:a b@1", "nuget:a@1", "", "npm:a@x"]
        {
            assert!(of(bad).is_err(), "{bad}");
        }
        let subject = Target::parse("npm:@acme/widgets@1.2.0").unwrap().subject();
        assert_eq!(subject.identifier.len(), 64);
        assert_eq!(subject.url.as_deref(), Some("https://www.npmjs.com/package/@acme/widgets/v/1.2.0"));
    }
}
