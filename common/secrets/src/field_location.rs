//! What a sealed value is bound to. It opens there and nowhere else.

use common::ids::OrganizationId;

/// Where a sealed value belongs.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Whose it is.
    pub organization: OrganizationId,
    /// What kind of row it lies in, for example `webhook_target`.
    pub table: &'static str,
    /// Which row: the resource's id.
    pub row: &'a [u8],
    /// Which field of it, for example `signing_secret`.
    pub field: &'a str,
}

impl Place<'_> {
    /// The bytes that are authenticated with the value: each part behind its length, so that no two places agree.
    pub(crate) fn associated_data(&self, data_key: u32) -> Vec<u8> {
        let mut bytes = b"palisade secret 1".to_vec();
        let parts =
            [self.organization.as_bytes().as_slice(), self.table.as_bytes(), self.row, self.field.as_bytes()];
        for part in parts {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part);
        }
        bytes.extend(data_key.to_be_bytes());
        bytes
    }
}
