//! Look-ups and requests of a scan within the limits of an organization: refused ones are made again, since another scan of the
//! organization is then in progress, and its look-ups end within milliseconds.

use std::time::Duration;

use outbound::{Answer, Destination, DnsError, Outbound, Question, Reply, Request, Requester, SendError};

/// Repetitions of a refused look-up, and the pause before each: four seconds, more than silent name servers hold up the others.
const REPETITIONS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(100);

/// Asks the name servers.
///
/// # Errors
/// [`DnsError`]; a refusal only after all repetitions.
pub(crate) async fn ask(
    outbound: &Outbound,
    requester: Requester,
    question: Question<'_>,
) -> Result<Answer, DnsError> {
    let is_refused = |error: &DnsError| matches!(error, DnsError::Lookups { .. });
    repeated(|| outbound.ask(requester, question), is_refused).await
}

/// Sends a request.
///
/// # Errors
/// [`SendError`]; a refusal only after all repetitions.
pub(crate) async fn send(
    outbound: &Outbound,
    requester: Requester,
    destination: &Destination,
    request: Request,
) -> Result<Reply, SendError> {
    repeated(|| outbound.send(requester, destination, request.clone()), is_refused).await
}

/// Makes an attempt again while it is refused, up to the bound.
async fn repeated<T, E, F: Future<Output = Result<T, E>>>(
    attempt: impl Fn() -> F,
    is_refused: impl Fn(&E) -> bool,
) -> Result<T, E> {
    let mut left = REPETITIONS;
    loop {
        match attempt().await {
            Err(error) if left > 0 && is_refused(&error) => left -= 1,
            outcome => return outcome,
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Whether a limit of look-ups was met, on the way to the first host or to one that a redirect names.
pub(crate) fn is_refused(error: &SendError) -> bool {
    match error {
        SendError::Redirected { cause, .. } => cause.lookup_refusal().is_some(),
        error => error.lookup_refusal().is_some(),
    }
}
