//! Names of secrets: a sensitive word that identifies a secret, not the secret itself. Resource names of secret
//! stores, wherever they stand, and the option of a command that takes such a name.

use super::pair::Name;
use super::text::Text;

/// The longest name of a resource: names of secrets have up to 512 bytes in AWS, 255 in Google Cloud.
const LONGEST: usize = 640;
/// The longest part of an ARN before `secret`: partition, service, region and account.
const LONGEST_HEAD: usize = 72;
/// Longest text before its option searched for a command.
const LONGEST_COMMAND: usize = 64;
/// Vaults of Azure's clouds.
const VAULTS: [&[u8]; 3] = [b".vault.azure.net", b".vault.azure.cn", b".vault.usgovcloudapi.net"];

/// Whether a name is the resource type in `arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME`, or the option of
/// `gcloud secrets … --secret NAME`: the next word names a secret.
pub(super) fn precedes_name(text: &Text<'_>, name: Name) -> bool {
    match text.slice(name.start, name.end) {
        b"secret" => text.before(name.start) == b':' && is_resource_type(text, name.start),
        b"--secret" => {
            let start = text.run_back(name.start, LONGEST_COMMAND, |byte| byte >= b' ');
            let command = text.slice(start, name.start);
            let program = memchr::memmem::find(command, b"gcloud");
            program.is_some_and(|at| memchr::memmem::find(&command[at..], b"secrets").is_some())
        }
        _ => false,
    }
}

fn is_resource_type(text: &Text<'_>, at: usize) -> bool {
    let in_head = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-' | b'*');
    let start = text.run_back(at, LONGEST_HEAD, in_head);
    let mut parts = text.slice(start, at).rsplit(|byte| *byte == b':');
    // Nothing stands between the last colon and the word.
    let [_, _account, _region, service, partition, scheme] =
        std::array::from_fn(|_| parts.next().unwrap_or_default());
    service == b"secretsmanager" && partition.starts_with(b"aws") && scheme.ends_with(b"arn")
}

/// Whether a whole value is the name of a secret in a secret store.
pub(crate) fn is_reference(value: &[u8]) -> bool {
    value.len() <= LONGEST && (is_google(value) || is_amazon(value) || is_azure(value))
}

/// `projects/PROJECT/secrets/NAME`, with a location or a version.
fn is_google(value: &[u8]) -> bool {
    if !value.starts_with(b"projects/") {
        return false;
    }
    let parts: Vec<&[u8]> = value.split(|byte| *byte == b'/').take(9).collect();
    let rest = match parts.as_slice() {
        [_, project, b"locations", location, rest @ ..] if is_segment(project) && is_segment(location) => {
            rest
        }
        [_, project, rest @ ..] if is_segment(project) => rest,
        _ => return false,
    };
    match rest {
        [b"secrets", name] => is_segment(name),
        [b"secrets", name, b"versions", version] => is_segment(name) && is_segment(version),
        _ => false,
    }
}

/// `arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME`.
fn is_amazon(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value.splitn(7, |byte| *byte == b':').collect();
    let [b"arn", partition, b"secretsmanager", region, account, b"secret", name] = parts.as_slice() else {
        return false;
    };
    let is_account = account.iter().all(|byte| byte.is_ascii_digit() || *byte == b'*');
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"/_+.@!-*?".contains(byte);
    partition.starts_with(b"aws") && is_segment(region) && is_account && name.iter().all(in_name)
}

/// `https://VAULT.vault.azure.net/secrets/NAME`, with a version.
fn is_azure(value: &[u8]) -> bool {
    let Some(rest) = value.strip_prefix(b"https://") else { return false };
    let parts: Vec<&[u8]> = rest.split(|byte| *byte == b'/').take(5).collect();
    let is_vault = |host: &[u8]| VAULTS.iter().any(|own| host.strip_suffix(*own).is_some_and(is_segment));
    match parts.as_slice() {
        [host, b"secrets", name] => is_vault(host) && is_segment(name),
        [host, b"secrets", name, version] => is_vault(host) && is_segment(name) && is_segment(version),
        _ => false,
    }
}

fn is_segment(part: &[u8]) -> bool {
    !part.is_empty() && part.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
