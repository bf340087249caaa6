//! Analysis of a request within its memory, on a thread of the analysis, charged once.

use common::ids::OrganizationId;
use rest::error::ApiError;
use uuid::Uuid;

use crate::Shared;
use crate::engines::Engines;

/// Runs an analysis of texts of `bytes` together, and charges the organization for a result. If the client disconnects in between,
/// the schedule that returns reservations without a record returns this one.
pub(crate) async fn charged<T: Send + 'static>(
    app: &Shared,
    (organization, id): (OrganizationId, Uuid),
    bytes: usize,
    analysis: impl FnOnce(&Engines) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let held = app.room.analysis(organization, bytes).await?;
    app.kit.credits.reserve(organization, id, app.price).await?;
    let engines = {
        let app = Shared::clone(app);
        // The memory is free when the analysis ends, also when the request has been abandoned.
        move || {
            let _held = held;
            analysis(&app.engines)
        }
    };
    let result = app.work.run(engines).await.flatten();
    let price = if result.is_ok() { app.price } else { 0 };
    if app.price > 0 {
        app.kit.credits.settle(organization, id, price).await?;
    }
    result
}
