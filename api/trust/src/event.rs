//! The event of a scan that has ended (specification, Event kinds). It has no source, so that the source filter of a target excludes
//! none.

use common::event::{Event, EventId, EventKind};
use common::row::BodyError;
use common::timestamp::Timestamp;
use records::RecordError;

use crate::artifact::Evidence;
use crate::confirm::Confirmed;
use crate::scan::Scan;
use crate::view::ScanView;

/// The event. Its id follows from the scan, so that a repetition is the same event.
pub(crate) fn event(scan: &Scan, evidence: Vec<Evidence>, at: Timestamp) -> Result<Event, RecordError> {
    let kind = EventKind::ContributorTrustFinished;
    let object = serde_json::to_value(ScanView::new(scan, Confirmed::from(evidence)));
    Ok(Event {
        id: EventId::of_cause(&[kind.as_str().as_bytes(), scan.id.as_bytes()]),
        kind,
        organization: scan.organization,
        source: None,
        created_at: at,
        object: object.map_err(BodyError::from)?,
        incident: None,
    })
}
