//! Tokens of clients: `pal_agent_` and 64 bytes in base64url: organization, agent and client, which lead to the row, and 128
//! random bits. The row has their HMAC under the pepper. It is read for every request, so that a revocation takes effect at once.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use common::ids::{AgentId, OrganizationId, RecordId};
use rand::RngExt;
use zeroize::Zeroizing;

use super::client_key;

/// Prefix of every token, so that scanners for leaked secrets can recognise one.
const PREFIX: &str = "pal_agent_";
/// Bytes of a token behind the prefix.
const TOKEN_BYTES: usize = 64;

/// A new token of a client.
pub(super) fn new_token(organization: OrganizationId, agent: AgentId, id: RecordId) -> Zeroizing<String> {
    let random: Zeroizing<[u8; 16]> = Zeroizing::new(rand::rng().random());
    let bytes = Zeroizing::new([client_key(organization, agent, id).as_slice(), random.as_slice()].concat());
    // The full capacity at once: growing would leave copies behind that are not wiped.
    let mut token = Zeroizing::new(String::with_capacity(PREFIX.len() + TOKEN_BYTES.div_ceil(3) * 4));
    token.push_str(PREFIX);
    URL_SAFE_NO_PAD.encode_string(bytes.as_slice(), &mut token);
    token
}

/// Location of the row that a token leads to.
pub(super) fn parse(presented: &str) -> Option<(OrganizationId, AgentId, RecordId)> {
    let bytes = URL_SAFE_NO_PAD.decode(presented.strip_prefix(PREFIX)?).map(Zeroizing::new).ok()?;
    let ([organization, agent, id, _], []) = bytes.as_chunks::<16>() else { return None };
    Some((OrganizationId::from_bytes(*organization), AgentId::from_bytes(*agent), RecordId::from_bytes(*id)))
}
