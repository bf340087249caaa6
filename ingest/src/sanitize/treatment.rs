//! Treatment of the value under a key.

use super::bare;

/// Treatment that the key above a value requires.
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
    /// Detection groups by this value: only secrets with a form of their own are masked in it.
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

    /// Treatment below lists, and at pairs, whose own keys decide.
    pub(super) fn below(self) -> Self {
        match self {
            Self::Mask | Self::MaskTexts | Self::Directory => self,
            Self::Identifier | Self::SecretName => Self::Mask,
            Self::Scan | Self::Judge(_) | Self::Leave => Self::Scan,
        }
    }

    /// Treatment in a list.
    pub(super) fn in_list(self) -> Self {
        match self {
            Self::Judge(_) => Self::Scan,
            Self::Directory | Self::Identifier | Self::SecretName => Self::Mask,
            _ => self,
        }
    }

    /// Combined with the treatment of another key.
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
