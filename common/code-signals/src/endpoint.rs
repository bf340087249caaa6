//! Classes of network addresses in constants.

use std::sync::LazyLock;

use regex::Regex;

/// Reputation of an address by its form alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reputation {
    /// Loopback, private networks, placeholders of documentation.
    Local,
    /// A package registry.
    Registry,
    /// Not known.
    Unknown,
    /// A host with a name.
    Named,
    /// An address that serves to receive or provide data without an identity: webhooks, pastes, tunnels, numbers.
    Drop,
}

/// An address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) host: String,
    /// The host, of hosts that serve files of anybody with the first part of the path, which names the publisher.
    pub(crate) place: String,
    pub(crate) reputation: Reputation,
    /// A bot or webhook whose identity is no constant of the code: mostly a setting of the user.
    pub(crate) is_of_user: bool,
}

const REGISTRIES: [&str; 14] = [
    "registry.npmjs.org",
    "npmjs.org",
    "npmjs.com",
    "pypi.org",
    "files.pythonhosted.org",
    "rubygems.org",
    "proxy.golang.org",
    "nodejs.org",
    "registry.yarnpkg.com",
    "npmmirror.com",
    "python.org",
    "crates.io",
    "golang.org",
    "go.dev",
];

/// Hosts beside [`BINS`] where anybody receives requests or stores text without a name of their own.
const DROPS: [&str; 26] = [
    "pipedream.net",
    "ngrok.io",
    "ngrok-free.app",
    "ngrok.app",
    "loca.lt",
    "localhost.run",
    "serveo.net",
    "trycloudflare.com",
    "pastebin.com",
    "paste.ee",
    "hastebin.com",
    "ghostbin.com",
    "rentry.co",
    "termbin.com",
    "dpaste.com",
    "dpaste.org",
    "ix.io",
    "transfer.sh",
    "file.io",
    "gofile.io",
    "anonfiles.com",
    "0x0.st",
    "catbox.moe",
    "bashupload.com",
    "temp.sh",
    "duckdns.org",
];

/// Hosts that serve files of anybody, below a name of the publisher.
const SHARED: [&str; 3] = ["raw.githubusercontent.com", "deno.land", "claude.ai"];

/// Services whose paths are addresses of a bot or webhook.
const BOTS: [(&str, &str); 6] = [
    ("discord.com", "/api/webhooks"),
    ("discordapp.com", "/api/"),
    ("api.telegram.org", "/bot"),
    ("hooks.slack.com", "/services"),
    ("script.google.com", "/macros"),
    ("t.me", "/"),
];

static URL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(https?|wss?|ftp|tcp)://(?:[^\s/@'\x22<>]*@)?(\[[0-9a-f:]+\]|[^\s/:'\x22<>?#\\]+)([^\s'\x22<>]*)").ok()
});

/// The first address in a text.
pub(crate) fn find(text: &str) -> Option<Endpoint> {
    let text = text.get(..text.len().min(2_048)).unwrap_or_default();
    if !text.contains("://") {
        return None;
    }
    let found = URL.as_ref()?.captures(text)?;
    let host = found.get(2)?.as_str();
    Some(of_host(host, found.get(3).map_or("", |path| path.as_str())))
}

/// The address of a host and path.
pub(crate) fn of_host(host: &str, path: &str) -> Endpoint {
    let host = host.trim_matches(['[', ']', '.']).to_ascii_lowercase();
    let reputation = reputation(&host, path);
    let publisher = path.trim_start_matches('/').split(['/', '?', '#']).next().unwrap_or_default();
    let place = if SHARED.contains(&host.as_str()) && !publisher.is_empty() {
        format!("{host}/{}", publisher.to_ascii_lowercase())
    } else {
        host.clone()
    };
    let is_of_user = BOTS.iter().any(|(domain, start)| {
        let identity = path.strip_prefix(start).filter(|_| is_below(&host, domain));
        identity.is_some_and(|identity| identity.trim_start_matches('/').starts_with('\u{FFFC}'))
    });
    Endpoint { host, place, reputation, is_of_user }
}

/// Hosts that only show requests to the owner of a name.
const BINS: [&str; 18] = [
    "webhook.site",
    "requestbin.com",
    "requestbin.net",
    "oastify.com",
    "burpcollaborator.net",
    "interact.sh",
    "oast.fun",
    "oast.pro",
    "oast.live",
    "oast.site",
    "oast.online",
    "oast.me",
    "dnslog.cn",
    "ceye.io",
    "canarytokens.com",
    "hookb.in",
    "requestcatcher.com",
    "beeceptor.com",
];

/// True for a name at a host that only shows requests to its owner.
pub(crate) fn is_bin(host: &str) -> bool {
    BINS.iter().any(|bin| is_below(host, bin))
}

pub(crate) fn is_below(host: &str, domain: &str) -> bool {
    host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

fn reputation(host: &str, path: &str) -> Reputation {
    if host.contains('\u{FFFC}') && !host.contains('.') || host.is_empty() {
        return Reputation::Unknown;
    }
    if is_local(host) {
        return Reputation::Local;
    }
    if REGISTRIES.iter().any(|registry| is_below(host, registry)) {
        return Reputation::Registry;
    }
    let bot = |(domain, start): &(&str, &str)| is_below(host, domain) && path.starts_with(start);
    if is_bin(host)
        || DROPS.iter().any(|drop| is_below(host, drop))
        || BOTS.iter().any(bot)
        || host.ends_with(".onion")
    {
        return Reputation::Drop;
    }
    // Resolvers that everyone uses are no receivers of strangers.
    if matches!(host, "1.1.1.1" | "1.0.0.1" | "8.8.8.8" | "8.8.4.4" | "9.9.9.9") {
        return Reputation::Named;
    }
    if is_number(host) {
        return Reputation::Drop;
    }
    if host.contains('.') { Reputation::Named } else { Reputation::Unknown }
}

/// Whether a host is a numeric address.
pub(crate) fn is_number(host: &str) -> bool {
    let is_dotted =
        host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && host.matches('.').count() == 3;
    is_dotted || host.contains("::") || host.matches(':').count() > 1
}

fn is_local(host: &str) -> bool {
    let private = host.starts_with("127.")
        || host.starts_with("10.")
        || host.starts_with("192.168.")
        || host.starts_with("169.254.") && host != "169.254.169.254"
        || host.starts_with("0.0.0.0")
        || (16..32).any(|second| host.starts_with(&format!("172.{second}.")));
    let named = ["localhost", "::1", "local", "internal"];
    // Names below a domain of documentation, as below any other one, may stand for the host of an attacker.
    let placeholders = ["example.com", "example.org", "example.net"];
    private || placeholders.contains(&host) || named.iter().any(|name| is_below(host, name))
}
