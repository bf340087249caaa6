//! Treatments by the names of attributes and fields, remembered: a batch has a few dozen names and
//! repeats them in every record, while judging one costs as much as masking a short text.

use redact::{Redactor, without_disguise};

use super::treatment::Treatment;
use super::{bare, listed};

/// Names remembered at a time, a power of two: more than most batches have, little to set up.
const SLOTS: usize = 128;

/// The longest name that is remembered, in bytes, so that the memory is bounded too.
const LONGEST: usize = 64;

/// Treatment that a name requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// For its value.
    pub(super) treatment: Treatment,
    /// Whether the value may be a name in its turn.
    pub(super) holds_name: bool,
    /// Whether the value names a secret, as `secretName` in a secret of Kubernetes.
    pub(super) names_secret: bool,
}

impl Verdict {
    /// Treatment below a key with treatment `outer`. Where that is masked as a whole, the identifier of the secret is
    /// not. `of_secret` states whether that key is `secret`.
    pub(super) fn below(self, outer: Treatment, of_secret: bool) -> Treatment {
        let masks = outer.masks();
        match self.treatment {
            Treatment::Leave if masks => Treatment::Identifier,
            Treatment::Scan if masks && (self.names_secret || (of_secret && self.holds_name)) => {
                Treatment::SecretName
            }
            own => outer.and(own),
        }
    }
}

/// Whether the value of [`Treatment::Identifier`] has the form of one.
pub(super) fn is_identifier(value: &[u8]) -> bool {
    let in_identifier = |byte: &u8| byte.is_ascii_alphanumeric() || b"._:/@+-".contains(byte);
    (1..=256).contains(&value.len()) && value.iter().all(in_identifier)
}

/// Whether the value of [`Treatment::SecretName`] is one that Kubernetes allows: a subdomain of DNS.
pub(super) fn is_secret_name(value: &[u8]) -> bool {
    let in_name =
        |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    (1..=253).contains(&value.len()) && value.iter().all(in_name)
}

/// Whether this key is the one of a secret as a whole.
pub(super) fn is_secret_key(key: &[u8]) -> bool {
    key.eq_ignore_ascii_case(b"secret")
}

/// The names seen last. Each has one place, where a newer one replaces it.
#[derive(Default)]
pub(super) struct Names {
    /// Empty until the first name: most small batches need none.
    slots: Vec<(Vec<u8>, Verdict)>,
}

impl Names {
    /// Judges `name`, or returns the remembered treatment.
    pub(super) fn judge(&mut self, redactor: &Redactor, name: &[u8]) -> Verdict {
        // The empty name, which marks a free slot, is never remembered.
        if name.is_empty() || name.len() > LONGEST {
            return judge(redactor, name);
        }
        if self.slots.is_empty() {
            let verdict = Verdict { treatment: Treatment::Scan, holds_name: false, names_secret: false };
            self.slots.resize(SLOTS, (Vec::new(), verdict));
        }
        let Some((remembered, verdict)) = self.slots.get_mut(slot(name)) else {
            return judge(redactor, name);
        };
        if remembered != name {
            remembered.clear();
            remembered.extend_from_slice(name);
            *verdict = judge(redactor, name);
        }
        *verdict
    }
}

/// The place of a name: any mixing will do, since names are compared in full.
fn slot(name: &[u8]) -> usize {
    let (words, rest) = name.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    let mixed = words
        .chain(rest)
        .fold(0, |mixed: u64, word| (mixed.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (mixed >> 32) as usize % SLOTS
}

fn judge(redactor: &Redactor, key: &[u8]) -> Verdict {
    let name = std::str::from_utf8(key).unwrap_or_default();
    let plain = without_disguise(key);
    let treatment = if redactor.is_exempt_key(name) {
        Treatment::Leave
    } else if redactor.is_sensitive_key(name) {
        if bare::is_directory_name(&plain) { Treatment::Directory } else { Treatment::Mask }
    } else {
        bare::Name::of(&plain).map_or(Treatment::Scan, Treatment::Judge)
    };
    let names_secret =
        plain.eq_ignore_ascii_case(b"secretname") || plain.eq_ignore_ascii_case(b"secret_name");
    Verdict { treatment, holds_name: listed::is_name_key(&plain), names_secret }
}
