//! Values that no regular expression over `a` and `b` can foresee; also included by the tests of the analyzer.

/// Pseudo-random `a` and `b`, the same for the same length.
pub(crate) fn random_letters(length: usize) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if state & 1 == 0 { 'a' } else { 'b' }
    };
    (0..length).map(|_| letter()).collect()
}
