//! What is done to the value under a key.

use super::bare;

/// What the key above a value asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// Look for secrets.
    Scan,
    /// The value is a secret as a whole, and so is everything below it.
    Mask,
    /// As [`Self::Mask`], but for numbers.
    MaskTexts,
    /// As [`Self::Mask`], unless the value is a directory.
    Directory,
    /// Look for secrets; a text may be one as a whole.
    Judge(bare::Name),
    /// As [`Self::Mask`], unless the value has the form of an identifier, by which detection groups.
    Identifier,
    /// As [`Self::Mask`], unless the value is such as names of secrets are.
    SecretName,
    /// Detection groups by this value: only what has a form of its own is masked in it.
    Leave,
}

impl Treatment {
    /// Whether a value counts even where the scan has named no candidate.
    pub(super) fn reaches_everything(self) -> bool {
        self.masks() || matches!(self, Self::Judge(_))
    }

    /// Whether a number is secret.
    pub(super) fn masks_numbers(self) -> bool {
        self.masks() && self != Self::MaskTexts
    }

    /// Whether values are secret as a whole.
    pub(super) fn masks(self) -> bool {
        matches!(self, Self::Mask | Self::MaskTexts | Self::Directory | Self::Identifier | Self::SecretName)
    }

    /// What it asks for below lists, and at pairs, whose keys speak for themselves.
    pub(super) fn below(self) -> Self {
        match self {
            Self::Mask | Self::MaskTexts | Self::Directory => self,
            Self::Identifier | Self::SecretName => Self::Mask,
            Self::Scan | Self::Judge(_) | Self::Leave => Self::Scan,
        }
    }

    /// What it asks for in a list.
    pub(super) fn in_list(self) -> Self {
        match self {
            Self::Judge(_) => Self::Scan,
            Self::Directory | Self::Identifier | Self::SecretName => Self::Mask,
            _ => self,
        }
    }

    /// With what a key asks for besides.
    pub(super) fn and(self, key: Self) -> Self {
        match (self, key) {
            (Self::Mask, _) | (_, Self::Scan) => self,
            (Self::MaskTexts, Self::Mask) => key,
            (Self::Directory, Self::Mask | Self::MaskTexts) => key,
            (Self::Identifier | Self::SecretName, key) => {
                if key.masks() {
                    key
                } else {
                    Self::Mask
                }
            }
            (Self::MaskTexts | Self::Directory, _) => self,
            _ => key,
        }
    }
}
