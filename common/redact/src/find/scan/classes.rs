//! Sixty-four bytes at a time as sets of bits, one for each class of bytes that the shapes in
//! [`super::shapes`] are made of.

/// How many bytes are looked at together.
pub(crate) const LINE: usize = 64;

/// Which bytes of a line belong to which class: bit i stands for byte i. Each class costs as much as all
/// that is made of it, so there are few.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Classes {
    pub(super) digits: u64,
    pub(super) capitals: u64,
    /// Dashes and full stops.
    pub(super) joints: u64,
}

impl Classes {
    /// Sorts the bytes of a line.
    #[inline]
    pub(super) fn of(line: &[u8; LINE]) -> Self {
        Self {
            digits: bits(line, |byte| byte.is_ascii_digit()),
            capitals: bits(line, |byte| byte.is_ascii_uppercase()),
            joints: bits(line, |byte| matches!(byte, b'-' | b'.')),
        }
    }
}

/// One bit for each byte. The compiler makes vectors of the comparison; of eight bytes of 0 or 1,
/// a multiplication then gathers the bits in the highest byte. The loops count because not every iterator is
/// inlined, and a call a byte is dear.
#[inline]
fn bits(line: &[u8; LINE], class: impl Fn(u8) -> bool) -> u64 {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut belongs = [0; LINE];
    for index in 0..LINE {
        belongs[index] = u8::from(class(line[index]));
    }
    let (words, _) = belongs.as_chunks::<8>();
    let mut bits = 0;
    for index in (0..LINE / 8).rev() {
        bits = bits << 8 | u64::from_le_bytes(words[index]).wrapping_mul(GATHER) >> 56;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_in_its_classes_at_every_place() {
        for shift in 0..=u8::MAX {
            let mut line = [0; LINE];
            for (index, byte) in line.iter_mut().enumerate() {
                *byte = u8::try_from(index).unwrap().wrapping_mul(5).wrapping_add(shift);
            }
            let classes = Classes::of(&line);
            for (index, byte) in line.iter().enumerate() {
                let holds = |bits: u64| bits >> index & 1 == 1;
                assert_eq!(holds(classes.digits), byte.is_ascii_digit());
                assert_eq!(holds(classes.capitals), byte.is_ascii_uppercase());
                assert_eq!(holds(classes.joints), matches!(byte, b'-' | b'.'));
            }
        }
    }
}
