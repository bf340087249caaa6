//! Failures of the code host, by the organizations that they concern.

use code_host::HostError;

/// Reason where an organization has no connection to read by.
pub(crate) const NO_INSTALLATION: &str = "the organization has no active installation at the code host";
/// Reason for a repository that does not exist and for one that is not public.
pub(super) const NOT_PUBLIC: &str = "the repository does not exist or is not public";

/// Cause of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// The content or the host: it is the same for every organization.
    Content,
    /// The connection of the organization that asked: others may get an answer.
    Connection,
    /// The organization that asked has no connection.
    NoConnection,
}

/// Reason why the code host gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostFailure {
    /// The reason that a client sees.
    pub(crate) reason: String,
    cause: Cause,
}

impl HostFailure {
    /// A reason that is the same for every organization.
    pub(crate) fn of_content(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), cause: Cause::Content }
    }

    /// A reason of the connection of the organization that asked.
    pub(super) fn of_connection(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), cause: Cause::Connection }
    }

    /// The organization that asked has no connection to read by.
    pub(crate) fn no_connection() -> Self {
        Self { reason: NO_INSTALLATION.to_owned(), cause: Cause::NoConnection }
    }

    /// Whether others may get an answer.
    pub(crate) fn is_of_connection(&self) -> bool {
        self.cause != Cause::Content
    }

    /// Whether there is no connection.
    pub(crate) fn lacks_connection(&self) -> bool {
        self.cause == Cause::NoConnection
    }
}

/// A detail without which the scan goes on. A failure of the connection ends it: its result would lack facts that others get.
pub(super) fn optional<T>(asked: Result<T, HostError>) -> Result<Option<T>, HostFailure> {
    match asked.map_err(|error| failure(&error)) {
        Ok(found) => Ok(Some(found)),
        Err(failure) if failure.is_of_connection() => Err(failure),
        Err(_) => Ok(None),
    }
}

/// The reason that a client sees. A repository that is hidden from the installation does not differ from one that does not exist.
pub(super) fn failure(error: &HostError) -> HostFailure {
    match error {
        HostError::NotFound(_) => HostFailure::of_content(NOT_PUBLIC),
        // Accounts may refuse one installation and permit another.
        HostError::Denied(_) => HostFailure::of_connection(NOT_PUBLIC),
        HostError::NotInstalled => {
            HostFailure::of_connection("the installation is not active at the code host")
        }
        HostError::RateLimited { .. } => {
            HostFailure::of_connection("the rate limit of the code host is used up")
        }
        HostError::TooLarge { .. } => {
            HostFailure::of_content("the archive of the repository is larger than 64 MiB")
        }
        HostError::Unavailable(_) | HostError::Unexpected { .. } | HostError::InvalidCode => {
            HostFailure::of_content("the code host did not answer")
        }
    }
}
