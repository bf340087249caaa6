//! `GET {app_url}/code-host/callback`: the page to which the host sends a user's browser after an installation. It connects nothing: it
//! names the account, its repositories and the organization, and asks the user to confirm the connection (`confirm.rs`).
//!
//! The parameters come through the browser, and anybody can make such a link, or send the link of their own organization to the
//! administrator of another account. The state says for which organization the connection was begun. The id of the installation proves
//! nothing: the authorization code is exchanged at the host for the rights of the user, and the page is shown only if the user
//! administers all of the repositories.

use axum::extract::State;
use axum::response::Response;
use code_host::{Administered, InstallationId};
use http::header::SET_COOKIE;
use http::{HeaderValue, StatusCode, Uri};
use rest::html::{escape, form_page, private};
use rest::query::Parameters;

use crate::link::{Asked, LIFETIME, LINKS, Link, PageSecrets, Progress};
use crate::refusal::Refusal;
use crate::{App, Shared};

/// The path.
pub(crate) const PATH: &str = "/code-host/callback";
/// Name of the cookie that binds the page to the browser. Browsers send a cookie of this prefix to this host only and over HTTPS only
/// (RFC 6265bis section 4.1.3.2).
pub(crate) const COOKIE: &str = "__Host-code-host-connection";
/// Longest authorization code.
const MAX_CODE: usize = 200;

/// A page that asks for the confirmation.
struct Question {
    state: String,
    administered: Administered,
    organization: String,
    secrets: PageSecrets,
}

/// Answers the browser.
pub(crate) async fn show(State(app): State<Shared>, uri: Uri) -> Response {
    match ask(&app, uri.query().unwrap_or("")).await {
        Ok(question) => question.page(),
        Err(refusal) => refusal.page(&app.kit.base_url),
    }
}

async fn ask(app: &App, query: &str) -> Result<Question, Refusal> {
    let host = app.host.as_ref().ok_or(Refusal::NoHost)?;
    // Parameters that the host may add are ignored, and none is used that is given twice.
    let mut given = Parameters::parse(query).map_err(|_| Refusal::Malformed)?;
    let state = given.take("state").ok_or(Refusal::Malformed)?;
    let link = Link::read(&app.pepper, &state).ok_or(Refusal::Unknown)?;
    app.progress(&link).await?;
    let (action, error) = (given.take("setup_action"), given.take("error"));
    if error.is_some() {
        return Err(Refusal::Pending("The code host was not authorized."));
    }
    if action.as_deref() == Some("request") {
        return Err(Refusal::Pending("An owner of the account has to approve the installation first."));
    }
    let code = given.take("code").filter(|code| (1..=MAX_CODE).contains(&code.len()));
    let (code, id) = code.zip(given.take("installation_id")).ok_or(Refusal::Malformed)?;
    let id: InstallationId = id.parse().map_err(|_| Refusal::Malformed)?;
    let user = host.client.user_token(&code).await?;
    let administered = host.client.administered(&user, id).await?;
    let organization = app.organization_name(link.organization).await?;
    let about = (id, administered.installation.account.clone(), administered.repositories);
    let (asked, secrets) = Asked::new((&app.pepper, &link), about, &user).ok_or(Refusal::Unavailable)?;
    match LINKS.replace(&app.kit.directory, link.place(), Progress::Asked(asked)).await {
        // It was spent or has expired since it was read.
        Err(directory::DirectoryError::NotFound) => Err(Refusal::Used),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(Question { state, administered, organization, secrets }),
    }
}

impl Question {
    fn page(self) -> Response {
        let account = escape(&self.administered.installation.account);
        let organization = escape(&self.organization);
        let repositories = match self.administered.repositories {
            1 => "1 repository".to_owned(),
            number => format!("{number} repositories"),
        };
        let body = format!(
            "<p>Connect the account <b>{account}</b> with <b>{repositories}</b> to the organization <b>{organization}</b>?</p>\n\
             <p>Members of the organization <b>{organization}</b> will be able to read these repositories, and those that the account \
             adds to the installation later.</p>\n\
             <p>Confirm only if you know this organization and expected this page. Otherwise close it: nothing is connected then. The \
             app can be removed in the settings of the account.</p>\n\
             <form method=\"post\" action=\"callback\">\n\
             <input type=\"hidden\" name=\"state\" value=\"{}\">\n<input type=\"hidden\" name=\"token\" value=\"{}\">\n\
             <button type=\"submit\">Connect {account} to {organization}</button>\n</form>\n",
            escape(&self.state),
            escape(&self.secrets.token)
        );
        let response = form_page(StatusCode::OK, "Connect code host", &body);
        with_cookie(private(response), &self.secrets.cookie, LIFETIME.as_secs())
    }
}

/// Sets the cookie for a number of seconds; zero removes it.
pub(crate) fn with_cookie(mut response: Response, value: &str, seconds: u64) -> Response {
    let cookie = format!("{COOKIE}={value}; Path=/; Max-Age={seconds}; Secure; HttpOnly; SameSite=Strict");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}
