//! Links of registries to repositories: URLs, addresses of git and the short forms of npm, by host and path.

use url::Url;

/// Short forms of npm with their hosts; without a name before the colon the first one is meant.
const SHORT_FORMS: [(&str, &str); 3] =
    [("github:", "github.com"), ("gitlab:", "gitlab.com"), ("bitbucket:", "bitbucket.org")];
/// Schemes under which git and browsers reach a repository.
const SCHEMES: [&str; 4] = ["http", "https", "git", "ssh"];

/// A repository by the host that is contacted, and its path there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// In lower case, without `www.`.
    pub(super) host: String,
    parts: Vec<String>,
}

impl Link {
    /// Reads a link; none for a text that names no host.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix("git+").unwrap_or(text);
        if text.contains("://") {
            let url = Url::parse(text).ok().filter(|url| SCHEMES.contains(&url.scheme()))?;
            return Self::of(url.host_str()?, url.path());
        }
        if let Some((host, path)) =
            SHORT_FORMS.iter().find_map(|(form, host)| Some((*host, text.strip_prefix(form)?)))
        {
            return Self::of(host, path);
        }
        // Addresses of SSH: `git@host:path`.
        if let Some((address, path)) = text.split_once(':') {
            let (_, host) = address.split_once('@').filter(|_| !address.contains('/'))?;
            return Self::of(host, path);
        }
        let (first, rest) = text.split_once('/')?;
        if first.contains('.') { Self::of(first, rest) } else { Self::of("github.com", text) }
    }

    fn of(host: &str, path: &str) -> Option<Self> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let host = host.strip_prefix("www.").unwrap_or(&host).to_owned();
        let path = path.split(['#', '?']).next().unwrap_or_default();
        let parts = path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        (!host.is_empty()).then_some(Self { host, parts })
    }

    /// Owner and name.
    pub(super) fn repository(&self) -> Option<(&str, &str)> {
        match self.parts.as_slice() {
            [owner, name, ..] => Some((owner, name.strip_suffix(".git").unwrap_or(name))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_link_is_the_one_that_is_contacted() {
        let of = |text: &str| {
            let link = Link::parse(text)?;
            let (owner, name) = link.repository()?;
            Some(format!("{} {owner}/{name}", link.host))
        };
        for text in [
            "git+https://github.com/acme/widgets.git",
            "https://www.GitHub.com/acme/widgets/tree/main/packages/a",
            "https://token@github.com/acme/widgets",
            "git@github.com:acme/widgets.git",
            "git+ssh://git@github.com/acme/widgets.git#main",
            "git://github.com/acme/widgets#readme",
            "github.com/acme/widgets",
            "github:acme/widgets",
            "acme/widgets",
        ] {
            assert_eq!(of(text).as_deref(), Some("github.com acme/widgets"), "{text}");
        }
        for (text, host) in [
            ("https://notgithub.com.evil.example/acme/widgets", "notgithub.com.evil.example"),
            ("https://github.com.evil.example/acme/widgets", "github.com.evil.example"),
            ("https://github.com@evil.example/acme/widgets", "evil.example"),
            ("https://evil.example/github.com/acme/widgets", "evil.example"),
            ("https://evil.example/?x=https://github.com/acme/widgets", "evil.example"),
            ("git@evil.example:github.com/acme/widgets", "evil.example"),
        ] {
            assert_eq!(Link::parse(text).map(|link| link.host).as_deref(), Some(host), "{text}");
        }
        for text in ["https://github.com/acme", "widgets", "", "javascript://github.com/acme/widgets", "x:y"]
        {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
