//! Location that a sealed value is bound to: it opens there and nowhere else.

use common::ids::OrganizationId;

/// Organization, row and field that a sealed value belongs to.
#[derive(Clone, Copy, Debug)]
pub struct FieldLocation<'a> {
    /// Owner.
    pub organization: OrganizationId,
    /// Kind of row, for example `webhook_target`.
    pub table: &'static str,
    /// Row: the resource's id.
    pub row: &'a [u8],
    /// Field of the row, for example `signing_secret`.
    pub field: &'a str,
}

impl FieldLocation<'_> {
    /// The bytes that are authenticated with the value: each part behind its length, so that no two locations agree.
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
