//! Reasons why an account of the code host was not connected through the browser, and the page that names them.

use axum::response::Response;
use code_host::{ConnectError, HostError};
use directory::DirectoryError;
use http::StatusCode;
use rest::error::ApiError;
use rest::html::{escape, page, private};

/// Reason why nothing was connected, as the page says it.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The deployment has no code host.
    NoHost,
    /// The parameters are not those of a connection.
    Malformed,
    /// The link was not issued, or expired so long ago that its row was removed.
    Unknown,
    /// The link has expired.
    Expired,
    /// The link has connected an installation.
    Used,
    /// The page is not the latest one of its link.
    Replaced,
    /// The request does not come from the browser that was shown the page.
    OtherBrowser,
    /// The user did not agree, or may not install apps.
    Pending(&'static str),
    /// The host does not confirm that the user administers the installation.
    NotConfirmed,
    /// The user administered the installation when the page was shown.
    NoLongerAdministrator,
    /// The account or the number of repositories is another one than the page has named.
    Changed,
    /// The organization was deleted.
    NoOrganization,
    /// Another organization has the installation.
    BoundElsewhere,
    /// The organization has as many installations as it may have, or another limit.
    Refused(String),
    /// The host or the ledger did not do its part.
    Unavailable,
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::NoHost
            | Self::Malformed
            | Self::Unknown
            | Self::Expired
            | Self::Pending(_)
            | Self::NoOrganization => StatusCode::BAD_REQUEST,
            Self::NotConfirmed | Self::NoLongerAdministrator | Self::OtherBrowser => StatusCode::FORBIDDEN,
            Self::Used | Self::Replaced | Self::Changed | Self::BoundElsewhere | Self::Refused(_) => {
                StatusCode::CONFLICT
            }
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::NoHost => "This deployment is not connected to a code host.",
            Self::Malformed => "The link is not one of the code host.",
            Self::Unknown => "The link was not issued by this deployment, or has expired.",
            Self::Expired => "The link has expired: the installation has to be confirmed within ten minutes.",
            Self::Used => {
                "The link was used already, and connects one installation only. If you have confirmed the connection, it was made."
            }
            Self::Replaced => {
                "A newer page of this link has replaced this one. Confirm the connection there."
            }
            Self::OtherBrowser => {
                "The confirmation does not come from the browser that was shown the page, or the browser refused its cookie. \
                 The page has to be opened over HTTPS."
            }
            Self::Pending(text) => text,
            Self::NotConfirmed => {
                "The code host does not confirm that you administer this installation: \
                 your role has to be admin in each of its repositories, 1,000 at most."
            }
            Self::NoLongerAdministrator => {
                "The code host does not confirm any more that you administer this installation: your role has to be admin in \
                 each of its repositories until you confirm the connection."
            }
            Self::Changed => {
                "The account or the number of repositories of the installation has changed since the page was shown."
            }
            Self::NoOrganization => "The organization does not exist any more.",
            Self::BoundElsewhere => {
                "This installation is connected to another organization. It has to be disconnected there first."
            }
            Self::Refused(reason) => reason,
            Self::Unavailable => "The installation could not be connected now. Try again in some minutes.",
        }
    }

    /// The page, which nothing stores.
    pub(crate) fn page(&self, base_url: &str) -> Response {
        let again = format!(
            "<p>To try again, request a new link: <code>POST {}/code-host/installations</code></p>\n",
            escape(base_url)
        );
        let text = format!("<p>{}</p>\n{again}", escape(self.text()));
        private(page(self.status(), "Code host not connected", &text))
    }
}

impl From<HostError> for Refusal {
    fn from(error: HostError) -> Self {
        match error {
            HostError::InvalidCode | HostError::NotFound(_) => Self::NotConfirmed,
            HostError::NotInstalled => Self::Refused(format!("The installation was not connected: {error}.")),
            error => {
                tracing::warn!(%error, "the code host did not confirm an installation");
                Self::Unavailable
            }
        }
    }
}

impl From<ConnectError> for Refusal {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::BoundElsewhere => Self::BoundElsewhere,
            // The row was read a moment ago.
            ConnectError::Spent => Self::Used,
            ConnectError::Directory(error) => error.into(),
        }
    }
}

impl From<DirectoryError> for Refusal {
    fn from(error: DirectoryError) -> Self {
        match ApiError::from(error) {
            ApiError::Conflict(reason) | ApiError::Invalid(reason) => {
                Self::Refused(format!("The installation was not connected: {reason}."))
            }
            error => {
                tracing::warn!(%error, "an installation of the code host could not be connected");
                Self::Unavailable
            }
        }
    }
}
