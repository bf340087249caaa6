//! Receivers as deliveries name them: by id and kind, since the kind decides how many are sent together, what is counted
//! and how much is kept. How each is sent to lies in `post` and `export`.

use common::ids::{OrganizationId, ReceiverId};
use directory::{Receiver, ReceiverKind, RowLocation};
use serde::{Deserialize, Serialize};

/// Suffix of the id of a telemetry endpoint in keys. Ids of webhook targets stand alone.
const TELEMETRY: u8 = b't';

/// The id of a receiver, with its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum TargetId {
    Webhook(ReceiverId),
    Telemetry(ReceiverId),
}

impl TargetId {
    pub(crate) fn of(receiver: &Receiver) -> Self {
        match receiver.transport.kind() {
            ReceiverKind::Webhook => Self::Webhook(receiver.id),
            ReceiverKind::Telemetry => Self::Telemetry(receiver.id),
        }
    }

    /// As keys have it. None is the beginning of another: ids are never used twice.
    pub(crate) fn in_key(self) -> Vec<u8> {
        match self {
            Self::Webhook(id) => id.as_bytes().to_vec(),
            Self::Telemetry(id) => [id.as_bytes().as_slice(), &[TELEMETRY]].concat(),
        }
    }

    /// Reads what [`TargetId::in_key`] has written.
    pub(crate) fn from_key(key: &[u8]) -> Option<Self> {
        let (id, kind) = key.split_first_chunk::<16>()?;
        match kind {
            [] => Some(Self::Webhook(ReceiverId::from_bytes(*id))),
            [TELEMETRY] => Some(Self::Telemetry(ReceiverId::from_bytes(*id))),
            _ => None,
        }
    }
}

/// Location of the sealed values of a receiver.
pub(crate) fn location(organization: OrganizationId, id: &ReceiverId) -> RowLocation<'_> {
    RowLocation { organization, table: "receiver", row: id.as_bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written_and_its_kind_with_it() {
        let bytes = [7; 16];
        let id = ReceiverId::from_bytes(bytes);
        for id in [TargetId::Webhook(id), TargetId::Telemetry(id)] {
            assert_eq!(TargetId::from_key(&id.in_key()), Some(id));
        }
        for wrong in [&bytes[..15], &[7; 17], &[b't'; 18]] {
            assert_eq!(TargetId::from_key(wrong), None, "{wrong:?}");
        }
    }
}
