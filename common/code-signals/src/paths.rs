//! Classes of file paths: secrets, startup, configuration of agents.

mod owners;

pub(crate) use owners::{
    PROJECT, escapes, is_everything, is_fixed_of_user, is_of_user, is_outside, other_package,
};

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexSet};

/// A class of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathClass {
    /// Secrets of the product, with the domains of its own service.
    Credential(&'static str, &'static [&'static str]),
    /// Read as text of the machine: users, history.
    Private(&'static str),
    /// Executed at start or login.
    Startup(&'static str),
    /// Configuration, instructions or hooks of an agent, an editor or git.
    Agent(&'static str),
}

type Row = (&'static str, PathClass);

const NONE: &[&str] = &[];

/// Patterns on lower-case paths with `/`; the first match counts.
const ROWS: &[Row] = &[
    (
        r"\.ssh/(id_|identity|.*\.pem|.*_rsa|.*_ed25519)|\.ssh/?$|\.ssh/(\*|\x{FFFC}|config|known_hosts)",
        PathClass::Credential("SSH keys", NONE),
    ),
    (
        r"\.aws/(credentials|config|sso|\x{FFFC})|\.aws/?$",
        PathClass::Credential("AWS credentials", &["amazonaws.com", "aws.amazon.com"]),
    ),
    (
        r"gcloud/(application_default_credentials|credentials\.db|access_tokens|legacy)|\.config/gcloud/?$",
        PathClass::Credential("Google Cloud credentials", &["googleapis.com", "google.com"]),
    ),
    (
        r"\.azure/(accesstokens|msal|azureprofile|service_principal)|\.azure/?$",
        PathClass::Credential("Azure credentials", &["microsoftonline.com", "azure.com", "windows.net"]),
    ),
    (
        r"\.kube/(config|cache|\*|\x{FFFC})|\.kube/?$|/secrets/kubernetes\.io/serviceaccount|/etc/kubernetes/admin\.conf",
        PathClass::Credential("Kubernetes credentials", NONE),
    ),
    (r"\.docker/config\.json", PathClass::Credential("Docker credentials", &["docker.io", "docker.com"])),
    (r"\.npmrc$", PathClass::Credential("npm credentials", &["npmjs.org", "npmjs.com"])),
    (r"\.pypirc$", PathClass::Credential("PyPI credentials", &["pypi.org"])),
    (r"\.gem/credentials", PathClass::Credential("RubyGems credentials", &["rubygems.org"])),
    (r"\.cargo/credentials", PathClass::Credential("Cargo credentials", &["crates.io"])),
    (
        r"[._]netrc$|\.git-credentials|gh/hosts\.yml|\.config/(git/credentials|hub$|glab-cli)",
        PathClass::Credential("Git and network credentials", &["github.com", "gitlab.com"]),
    ),
    (
        r"\.vault-token|terraform\.d/credentials|\.terraformrc|\.s3cfg|rclone\.conf|doctl/config|\.fly/config|\.wrangler/config|\.oci/config|\.databrickscfg",
        PathClass::Credential(
            "infrastructure credentials",
            &["cloudflare.com", "digitalocean.com", "fly.io", "databricks.com", "oraclecloud.com"],
        ),
    ),
    (
        r"\.gnupg(/|$)|\.password-store|\.kdbx$|1password|/\.config/op/|\.pgpass|\.my\.cnf|\.m2/settings\.xml|\.gradle/gradle\.properties|\.composer/auth\.json|filezilla/(sitemanager|recentservers)",
        PathClass::Credential("keys and stored passwords", NONE),
    ),
    (
        r"huggingface/token|\.kaggle/kaggle\.json",
        PathClass::Credential("credentials of model hubs", &["huggingface.co", "kaggle.com"]),
    ),
    (
        r"(login data|cookies\.sqlite|web data|key[34]\.db|logins\.json|local state|/\*?[c?]?ookies\*?$|signons\.sqlite)",
        PathClass::Credential("browser passwords and cookies", NONE),
    ),
    (
        r"(chrome|chromium|edge|brave-browser|opera software|vivaldi|yandexbrowser)/(user data|default|\*|\x{FFFC})|\.config/(chromium|bravesoftware|vivaldi|opera)(/|$)|application support/(google/chrome|bravesoftware|microsoft edge|firefox)(/|$)|\.mozilla/firefox|firefox/profiles|google-chrome",
        PathClass::Credential("browser profiles", NONE),
    ),
    (
        r"wallet\.dat|\.electrum|exodus(\.wallet|/|$)|ethereum/keystore|solana/id\.json|atomic/local storage|ledger live|trezor|\.bitcoin|monero|coinomi|\.config/solana/?$|\.ethereum|local extension settings|nkbihfbeogaeaoehlefnkodbefgpgknn|bfnaelmomeimhlpmgjnjophhpkkoljpa|phantom|metamask.*(vault|storage)|guarda",
        PathClass::Credential("cryptocurrency wallets", NONE),
    ),
    (
        r"discord(ptb|canary|development)?/local storage|local storage/leveldb|telegram desktop/tdata|/tdata",
        PathClass::Credential("messenger sessions", &["discord.gg"]),
    ),
    (
        r"login\.keychain|library/keychains|keyrings/|kwallet|/etc/shadow|credentials/[0-9a-f]{32}|microsoft/(vault|protect|credentials)",
        PathClass::Credential("system passwords", NONE),
    ),
    (
        r"\.claude/\.credentials|\.claude\.json\.credentials|\.codex/auth\.json|\.gemini/oauth|github-copilot/(hosts|apps)\.json|\.config/openai",
        PathClass::Credential(
            "credentials of AI tools",
            &["anthropic.com", "openai.com", "googleapis.com", "github.com", "githubcopilot.com"],
        ),
    ),
    // Of the own process, it is the environment that the program sees anyway.
    (r"/proc/(\x{FFFC}|\*|[0-9]+)/(environ|mem)$", PathClass::Credential("memory of other processes", NONE)),
    (
        r"config/(master|credentials/[a-z]+)\.key$|(^|/)\.env(\.(local|production|prod|development))?$",
        PathClass::Credential("secrets of the project", NONE),
    ),
    (
        r"\.(bash|zsh|psql|mysql|python|node_repl)_history|/etc/passwd|/etc/hosts|consolehost_history",
        PathClass::Private("private files of the user"),
    ),
    (
        r"\.(bashrc|bash_profile|bash_login|zshrc|zprofile|zshenv|profile|cshrc|kshrc)$|/etc/profile|config\.fish|profile\.ps1|microsoft\.powershell_profile",
        PathClass::Startup("shell profile"),
    ),
    (r"/etc/cron|/var/spool/cron|/etc/anacrontab", PathClass::Startup("cron")),
    (
        r"systemd/(system|user)(/|$).*\.?(service|timer)?|/etc/init\.d/|/etc/rc\.local|/etc/rc\.d",
        PathClass::Startup("system service"),
    ),
    (r"launchagents|launchdaemons", PathClass::Startup("launch agent")),
    (
        r"/autostart/|start menu/programs/startup|startup/.*\.(bat|vbs|lnk|exe|cmd|ps1)",
        PathClass::Startup("desktop autostart"),
    ),
    (r"currentversion/run(once)?", PathClass::Startup("registry run key")),
    (
        r"\.ssh/authorized_keys|/etc/sudoers|/etc/ld\.so\.preload|/etc/pam\.d",
        PathClass::Startup("login configuration"),
    ),
    (
        r"(site|dist)-packages/.*\.pth$|sitecustomize\.py|usercustomize\.py",
        PathClass::Startup("Python startup"),
    ),
    (r"python\*/site-packages/(\x{FFFC}|.*/__init__\.py$)", PathClass::Startup("package of others")),
    (r"(^|/)\.git/hooks(/|$)|core\.hookspath", PathClass::Agent("git hooks")),
    (
        r"(^|/)\.claude(/|\.json|$)|claude_desktop_config\.json|(^|/)claude\.md$",
        PathClass::Agent("Claude configuration"),
    ),
    (
        r"(^|/)\.cursor(/|rules|$)|(^|/)\.windsurf|\.codeium/windsurf|(^|/)\.clinerules|cline_mcp_settings",
        PathClass::Agent("editor agent configuration"),
    ),
    (
        r"(^|/)\.gemini/|(^|/)\.codex/|(^|/)agents\.md$|(^|/)gemini\.md$|copilot-instructions\.md",
        PathClass::Agent("agent instructions"),
    ),
    // Servers keep files of that name in folders of their own, too.
    (
        r"^((~|\.)/)?mcp(_config)?\.json$|(^|/)\.mcp\.json$|\.(cursor|vscode|claude|codex|gemini|kiro|roo|trae|amazonq|aws/amazonq|copilot)/([^/]+/)*mcp(_config)?\.json$|(^|/)user/mcp\.json$",
        PathClass::Agent("MCP configuration"),
    ),
    (r"(^|/)\.vscode/(tasks|settings|launch)\.json", PathClass::Agent("editor configuration")),
];

static SET: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(ROWS.iter().map(|row| row.0)).ok());

static WORTH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\.ssh|\.aws|gcloud|\.azure|\.kube|docker|\.npmrc|pypirc|\.gem|\.cargo|netrc|credential|hosts|token|login|cookie|web data|key[34]|signons|local s|chrom|edge|brave|opera|vivaldi|yandex|mozilla|firefox|wallet|electrum|exodus|keystore|solana|ledger|trezor|bitcoin|monero|coinomi|extension|nkbih|bfnae|phantom|metamask|guarda|discord|tdata|key|/etc|vault|claude|codex|gemini|copilot|openai|\.env|history|kubern|gnupg|password|kdbx|\.config|pgpass|\.my\.cnf|\.m2|gradle|composer|filezilla|rclone|s3cfg|terraform|doctl|\.fly|wrangler|\.oci|databricks|hugging|kaggle|ethereum|ookies|application s|rc$|profile|fish|cron|systemd|launch|startup|currentversion|site|git|cursor|windsurf|cline|agents|mcp|vscode|/proc",
    )
    .ok()
});

/// The class of a path; unknown parts may be holes.
pub(crate) fn classify(path: &[u8]) -> Option<PathClass> {
    // Long texts are content, not paths.
    if path.is_empty() || path.len() > 512 || !WORTH.as_ref()?.is_match(path) {
        return None;
    }
    let normal: Vec<u8> =
        path.iter().map(|byte| if *byte == b'\\' { b'/' } else { byte.to_ascii_lowercase() }).collect();
    let normal = collapse(&normal);
    let first = SET.as_ref()?.matches(&normal).iter().next()?;
    ROWS.get(first).map(|row| row.1)
}

/// Repeated separators as one.
fn collapse(path: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    for byte in path {
        if *byte != b'/' || out.last() != Some(&b'/') {
            out.push(*byte);
        }
    }
    out
}

/// True for names of variables that hold secrets.
pub(crate) fn is_secret_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "API_KEY",
        "APIKEY",
        "ACCESS_KEY",
        "PRIVATE_KEY",
        "CREDENTIAL",
        "MNEMONIC",
        "SEED_PHRASE",
    ]
    .iter()
    .any(|word| name.contains(word))
}
