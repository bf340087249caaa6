//! The part that webhook targets and telemetry endpoints share: being enabled by people, and disabled by the service when
//! they do not answer.

use common::ids::OrganizationId;
use common::timestamp::Timestamp;

use crate::error::DirectoryError;
use crate::table::{Resource, Table};

/// A receiver of events.
pub trait Receiver: Resource {
    /// The fields that tell whether it is enabled.
    fn state(&mut self) -> ReceiverState<'_>;
}

/// Whether a receiver is enabled.
pub struct ReceiverState<'a> {
    /// Whether it is told at all.
    pub enabled: &'a mut bool,
    /// Since when it is enabled, or when it last was.
    pub enabled_at: &'a mut Timestamp,
    /// Why the service disabled it.
    pub disabled_reason: &'a mut Option<String>,
    /// When it was last changed.
    pub updated_at: &'a mut Timestamp,
}

/// Notes a change of a receiver, and that it is enabled again.
pub(crate) fn touch(receiver: &mut impl Receiver, was_enabled: bool, now: Timestamp) {
    let state = receiver.state();
    *state.updated_at = now;
    if *state.enabled && !was_enabled {
        (*state.enabled_at, *state.disabled_reason) = (now, None);
    }
}

impl<R: Receiver> Table<'_, R> {
    /// Disables a receiver that was found not to answer; `false` when people were faster: it is gone, disabled, or was
    /// enabled again since `enabled_at`.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn disable(
        self,
        organization: OrganizationId,
        id: R::Id,
        enabled_at: Timestamp,
        reason: &str,
    ) -> Result<bool, DirectoryError> {
        let disabled = self.update(organization, id, |receiver| {
            let state = receiver.state();
            if *state.enabled && *state.enabled_at == enabled_at {
                (*state.enabled, *state.disabled_reason) = (false, Some(reason.to_owned()));
            }
            Ok(())
        });
        match disabled.await {
            Ok(mut receiver) => Ok(receiver.state().disabled_reason.as_deref() == Some(reason)),
            Err(DirectoryError::NotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
