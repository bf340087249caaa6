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
    /// Detection groups by this value: only what has a form of its own is masked in it.
    Leave,
}

impl Treatment {
    /// Whether a value counts even where the scan has named no candidate.
    pub(super) fn reaches_everything(self) -> bool {
        matches!(self, Self::Mask | Self::MaskTexts | Self::Directory | Self::Judge(_))
    }

    /// Whether a number is secret.
    pub(super) fn masks_numbers(self) -> bool {
        matches!(self, Self::Mask | Self::Directory)
    }

    /// What it asks for below lists, and at pairs, whose keys speak for themselves.
    pub(super) fn below(self) -> Self {
        match self {
            Self::Mask | Self::MaskTexts | Self::Directory => self,
            Self::Scan | Self::Judge(_) | Self::Leave => Self::Scan,
        }
    }

    /// What it asks for in a list.
    pub(super) fn in_list(self) -> Self {
        match self {
            Self::Judge(_) => Self::Scan,
            Self::Directory => Self::Mask,
            _ => self,
        }
    }

    /// With what a key asks for besides.
    pub(super) fn and(self, key: Self) -> Self {
        match (self, key) {
            (Self::Mask, _) | (_, Self::Scan) => self,
            (Self::MaskTexts, Self::Mask) => key,
            (Self::Directory, Self::Mask | Self::MaskTexts) => key,
            (Self::MaskTexts | Self::Directory, _) => self,
            _ => key,
        }
    }
}
