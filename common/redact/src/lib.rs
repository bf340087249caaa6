//! Finding and masking secrets and personal data in text.
