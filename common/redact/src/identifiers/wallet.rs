//! Addresses of cryptocurrencies: Base58Check, Bech32 (BIP 173, BIP 350), Ethereum (EIP-55), Monero.

use sha2::{Digest, Sha256};

use super::entity::Entity;
use super::format::label::WALLET;
use super::keccak::keccak256;
use super::overlap::{Candidate, Rank};
use super::page::Page;

/// Letters of base 58 in Bitcoin's order.
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// The same in Ripple's order.
const RIPPLE58: &[u8; 58] = b"rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz";
const BECH32: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
/// Base 58 is decoded in quadratic time, so only up to the longest address of it.
const LONGEST_BASE58: usize = 36;
/// Length of an address of Monero (network byte, two keys and a check in base 58).
const MONERO: usize = 95;

pub(crate) fn find(page: &Page<'_>, found: &mut Vec<Candidate>) {
    for (index, word) in page.words.iter().enumerate() {
        let address = page.part(word.start, word.end);
        if !(25..=MONERO).contains(&address.len())
            || !address.is_ascii()
            || page.is_in_url(word.start, word.end)
        {
            continue;
        }
        let checked =
            bitcoin(address) || ripple(address) || bech32(address) || ethereum(address) || monero(address);
        let solana = (43..=44).contains(&address.len())
            && address.bytes().all(|byte| BASE58.contains(&byte))
            && page.context(index).distance(WALLET, "").is_some();
        if (checked || solana) && super::form::stands_alone(page.bytes(), word.start, word.end) {
            found.push(Candidate {
                start: word.start,
                end: word.end,
                entity: Entity::CryptoWallet,
                reason: "address of a cryptocurrency",
                rank: Rank::Checked,
                distance: 0,
            });
        }
    }
}

/// Bytes of a number in base 58, its leading zeros included.
fn decode(text: &str, alphabet: &[u8; 58]) -> Option<Vec<u8>> {
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    for letter in text.bytes() {
        let mut carry = alphabet.iter().position(|known| *known == letter)?;
        for byte in &mut bytes {
            carry += usize::from(*byte) * 58;
            *byte = (carry & 0xFF) as u8;
            carry >>= 8;
        }
        while carry > 0 {
            bytes.push((carry & 0xFF) as u8);
            carry >>= 8;
        }
    }
    let zeros = text.bytes().take_while(|letter| Some(letter) == alphabet.first()).count();
    bytes.extend(std::iter::repeat_n(0, zeros));
    bytes.reverse();
    Some(bytes)
}

/// A version byte, 20 bytes and the first four of a double SHA-256.
fn base58_check(text: &str, alphabet: &[u8; 58]) -> bool {
    if !(25..=LONGEST_BASE58).contains(&text.len()) {
        return false;
    }
    let Some(bytes) = decode(text, alphabet) else { return false };
    let Some((body, check)) = bytes.split_at_checked(21) else { return false };
    let digest = Sha256::digest(Sha256::digest(body));
    check.len() == 4 && digest.as_slice().starts_with(check)
}

/// Bitcoin, Litecoin, Dogecoin, Dash, Tron and others by their first letter.
pub(crate) fn bitcoin(address: &str) -> bool {
    address.starts_with(['1', '3', 'L', 'M', 'D', 'X', 'T', 'A', '9']) && base58_check(address, BASE58)
}

fn ripple(address: &str) -> bool {
    address.starts_with('r') && base58_check(address, RIPPLE58)
}

/// A human-readable part, 1, and letters whose last six are a BCH check.
pub(crate) fn bech32(address: &str) -> bool {
    let one_case = !(address.bytes().any(|byte| byte.is_ascii_lowercase())
        && address.bytes().any(|byte| byte.is_ascii_uppercase()));
    let address = address.to_ascii_lowercase();
    let Some((human, data)) = address.split_once('1') else { return false };
    if !one_case
        || !matches!(human, "bc" | "tb" | "ltc" | "addr" | "cosmos" | "osmo" | "bnb")
        || data.len() < 12
    {
        return false;
    }
    let mut sum = 1;
    let high = human.bytes().map(|byte| u32::from(byte >> 5));
    let low = human.bytes().map(|byte| u32::from(byte & 31));
    for value in high.chain([0]).chain(low) {
        sum = polymod(sum, value);
    }
    for letter in data.bytes() {
        let Some(value) = BECH32.iter().position(|known| *known == letter) else { return false };
        sum = polymod(sum, value as u32);
    }
    // The second constant is that of Bech32m.
    matches!(sum, 1 | 0x2BC8_30A3)
}

fn polymod(sum: u32, value: u32) -> u32 {
    const GENERATOR: [u32; 5] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3];
    let top = sum >> 25;
    let shifted = (sum & 0x01FF_FFFF) << 5 ^ value;
    GENERATOR
        .iter()
        .enumerate()
        .filter(|(bit, _)| top >> bit & 1 == 1)
        .fold(shifted, |sum, (_, term)| sum ^ term)
}

/// 40 hexadecimal digits; where both cases occur, their pattern is that of EIP-55.
pub(crate) fn ethereum(address: &str) -> bool {
    let Some(digits) = address.strip_prefix("0x").or_else(|| address.strip_prefix("0X")) else {
        return false;
    };
    if digits.len() != 40 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return false;
    }
    let lower = digits.to_ascii_lowercase();
    if digits == lower || digits == digits.to_ascii_uppercase() {
        return true;
    }
    let hash = keccak256(lower.as_bytes());
    let nibble = |index: usize| {
        hash.get(index / 2).map_or(0, |byte| if index.is_multiple_of(2) { byte >> 4 } else { byte & 15 })
    };
    digits
        .bytes()
        .enumerate()
        .all(|(index, byte)| !byte.is_ascii_alphabetic() || byte.is_ascii_uppercase() == (nibble(index) >= 8))
}

/// Blocks of 8 bytes as 11 letters, the last 5 bytes as 7; the last four bytes begin the Keccak-256 of the others.
pub(crate) fn monero(address: &str) -> bool {
    if address.len() != MONERO || !address.starts_with(['4', '8']) {
        return false;
    }
    let mut bytes = Vec::with_capacity(69);
    for block in address.as_bytes().chunks(11) {
        let size = if block.len() == 11 { 8 } else { 5 };
        let mut number: u128 = 0;
        for letter in block {
            let Some(value) = BASE58.iter().position(|known| known == letter) else { return false };
            number = number * 58 + value as u128;
        }
        if number >> (size * 8) != 0 {
            return false;
        }
        bytes.extend(number.to_be_bytes().iter().skip(16 - size));
    }
    let Some((body, check)) = bytes.split_at_checked(65) else { return false };
    keccak256(body).starts_with(check)
}
