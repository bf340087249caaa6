//! `GET {app_url}/code-host/callback`: the page to which the host sends a user's browser after an installation.
//!
//! The parameters come through the browser, and anybody can make such a link. The state says for which organization the
//! connection was begun. The id of the installation proves nothing: the authorization code is exchanged at the host for the
//! rights of the user, and the installation is connected only if the user administers all of its repositories.

use axum::extract::State;
use axum::response::Response;
use code_host::{ConnectError, HostError, HostedInstallation, InstallationId, connect};
use common::ids::OrganizationId;
use http::{StatusCode, Uri};
use rest::error::ApiError;
use rest::html::{escape, page};
use rest::query::Parameters;

use crate::{App, Shared, state, sync};

/// The path.
pub(crate) const PATH: &str = "/code-host/callback";
/// Longest authorization code.
const MAX_CODE: usize = 200;

/// Reason why nothing was connected, as the page says it.
enum Refusal {
    /// The parameters are not those of a connection.
    Parameters(&'static str),
    /// The user did not agree, or may not install apps.
    Pending(&'static str),
    /// The host does not confirm that the user administers the installation.
    NotConfirmed,
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
            Self::Parameters(_) | Self::Pending(_) => StatusCode::BAD_REQUEST,
            Self::NotConfirmed => StatusCode::FORBIDDEN,
            Self::BoundElsewhere | Self::Refused(_) => StatusCode::CONFLICT,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Parameters(text) | Self::Pending(text) => (*text).to_owned(),
            Self::NotConfirmed => {
                "The code host does not confirm that you administer this installation: \
                 your role has to be admin in each of its repositories, 1,000 at most."
                    .to_owned()
            }
            Self::BoundElsewhere => {
                "This installation is connected to another organization. It has to be disconnected there first."
                    .to_owned()
            }
            Self::Refused(reason) => format!("The installation was not connected: {reason}."),
            Self::Unavailable => "The installation could not be connected now. Try again in some minutes.".to_owned(),
        }
    }
}

/// Answers the browser.
pub(crate) async fn show(State(app): State<Shared>, uri: Uri) -> Response {
    match answer(&app, uri.query().unwrap_or("")).await {
        Ok((installation, organization)) => {
            let text = format!(
                "<p>The installation in the account <b>{}</b> is connected to the organization <b>{}</b>. \
                 Its repositories appear within a minute.</p>\n<p>If you do not know this organization, remove the app \
                 in the settings of the account.</p>\n",
                escape(&installation.account),
                escape(&organization)
            );
            page(StatusCode::OK, "Code host connected", &text)
        }
        Err(refusal) => {
            let again = format!(
                "<p>To try again, request a new link: <code>POST {}/code-host/installations</code></p>\n",
                escape(&app.kit.base_url)
            );
            let text = format!("<p>{}</p>\n{again}", escape(&refusal.text()));
            page(refusal.status(), "Code host not connected", &text)
        }
    }
}

/// The installation, and the name of the organization that it was connected to.
async fn answer(app: &App, query: &str) -> Result<(HostedInstallation, String), Refusal> {
    let Some(host) = &app.host else {
        return Err(Refusal::Parameters("This deployment is not connected to a code host."));
    };
    // Parameters that the host may add are ignored, and none is used that is given twice.
    let malformed = "The link is not one of the code host.";
    let mut given = Parameters::parse(query).map_err(|_| Refusal::Parameters(malformed))?;
    let state = given.take("state").ok_or(Refusal::Parameters(malformed))?;
    let organization = state::read(&app.pepper, &state, app.kit.clock.now())
        .ok_or(Refusal::Parameters("The link has expired, or was not issued by this deployment."))?;
    let (action, error) = (given.take("setup_action"), given.take("error"));
    if error.is_some() {
        return Err(Refusal::Pending("The code host was not authorized."));
    }
    if action.as_deref() == Some("request") {
        let text = "An owner of the account has to approve the installation first.";
        return Err(Refusal::Pending(text));
    }
    let code = given.take("code").filter(|code| (1..=MAX_CODE).contains(&code.len()));
    let (code, id) = code.zip(given.take("installation_id")).ok_or(Refusal::Parameters(malformed))?;
    let id: InstallationId = id.parse().map_err(|_| Refusal::Parameters(malformed))?;
    let installation = host.client.installation_of_user(&code, id).await.map_err(|error| of_host(&error))?;
    let name = bind(app, organization, &installation).await?;
    Ok((installation, name))
}

fn of_host(error: &HostError) -> Refusal {
    match error {
        HostError::InvalidCode | HostError::NotFound(_) => Refusal::NotConfirmed,
        HostError::NotInstalled => Refusal::Refused(error.to_string()),
        error => {
            tracing::warn!(%error, "the code host did not confirm an installation");
            Refusal::Unavailable
        }
    }
}

/// Connects the installation and requests its first run; the name of the organization.
async fn bind(
    app: &App,
    organization: OrganizationId,
    installation: &HostedInstallation,
) -> Result<String, Refusal> {
    let HostedInstallation { id, account, .. } = installation;
    let (directory, now) = (&app.kit.directory, app.kit.clock.now());
    let found = directory.get_organization(organization).await.map_err(|error| of_ledger(error.into()))?;
    let name = found.ok_or(Refusal::Parameters("The organization does not exist any more."))?.name;
    match connect(directory, organization, (*id, account.as_str()), now).await {
        Ok(_) => {}
        Err(ConnectError::BoundElsewhere) => return Err(Refusal::BoundElsewhere),
        Err(ConnectError::Directory(error)) => return Err(of_ledger(error.into())),
    }
    sync::request_sync(&app.jobs, organization, *id).await.map_err(|error| of_ledger(error.into()))?;
    tracing::info!(%organization, installation = %id, account, "an installation of the code host was connected");
    Ok(name)
}

fn of_ledger(error: ApiError) -> Refusal {
    match error {
        ApiError::Conflict(reason) | ApiError::Invalid(reason) => Refusal::Refused(reason.into_owned()),
        error => {
            tracing::warn!(%error, "an installation of the code host could not be connected");
            Refusal::Unavailable
        }
    }
}
