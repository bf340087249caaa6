//! Keccak-256 with the padding of the original submission, which Ethereum and Monero use (not that of FIPS 202).

/// Bytes absorbed in a round.
const RATE: usize = 136;

const ROUNDS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808A,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808B,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008A,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000A,
    0x0000_0000_8000_808B,
    0x8000_0000_0000_008B,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800A,
    0x8000_0000_8000_000A,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// The digest of a text of any length.
pub(crate) fn keccak256(text: &[u8]) -> [u8; 32] {
    let mut padded = text.to_vec();
    padded.push(1);
    padded.resize(padded.len().next_multiple_of(RATE), 0);
    if let Some(last) = padded.last_mut() {
        *last |= 0x80;
    }
    let mut state = [0_u64; 25];
    for block in padded.chunks(RATE) {
        for (lane, bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        for constant in ROUNDS {
            state = round(state, constant);
        }
    }
    let mut digest = [0; 32];
    for (bytes, lane) in digest.chunks_mut(8).zip(state) {
        bytes.copy_from_slice(&lane.to_le_bytes());
    }
    digest
}

fn lane(state: &[u64; 25], x: usize, y: usize) -> u64 {
    state.get(x % 5 + 5 * (y % 5)).copied().unwrap_or(0)
}

/// Theta, rho with pi, chi and iota of the specification, section 2.3.
fn round(mut state: [u64; 25], constant: u64) -> [u64; 25] {
    let column = |state: &[u64; 25], x: usize| (0..5).fold(0, |parity, y| parity ^ lane(state, x, y));
    let before = state;
    for (index, value) in state.iter_mut().enumerate() {
        *value ^= column(&before, index + 4) ^ column(&before, index + 1).rotate_left(1);
    }
    let mut turned = [0; 25];
    let (mut x, mut y) = (1, 0);
    turned[0] = lane(&state, 0, 0);
    for step in 0..24_u32 {
        let rotated = lane(&state, x, y).rotate_left((step + 1) * (step + 2) / 2 % 64);
        (x, y) = (y, (2 * x + 3 * y) % 5);
        if let Some(place) = turned.get_mut(x + 5 * y) {
            *place = rotated;
        }
    }
    for (index, value) in state.iter_mut().enumerate() {
        let (x, y) = (index % 5, index / 5);
        *value = lane(&turned, x, y) ^ (!lane(&turned, x + 1, y) & lane(&turned, x + 2, y));
    }
    if let Some(first) = state.first_mut() {
        *first ^= constant;
    }
    state
}
