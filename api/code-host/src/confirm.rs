//! `POST {app_url}/code-host/callback`: the confirmation of a connection, sent by the form of the page of `callback.rs`.
//!
//! The token of the page is the proof that this page was shown, the cookie that it was shown to this browser. The host confirms once
//! more that the user administers the installation, which may have changed since the page was shown. The link is spent by the commit
//! that binds the installation.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use code_host::{HostError, connect};
use common::ids::OrganizationId;
use directory::Permission;
use http::header::{CONTENT_TYPE, COOKIE};
use http::{HeaderMap, StatusCode};
use rest::body::{Bounds, receive};
use rest::html::{escape, page, private};
use rest::query::Parameters;

use crate::callback::{self, with_cookie};
use crate::link::{Asked, LINKS, Link, Progress};
use crate::refusal::Refusal;
use crate::{App, Shared, sync};

/// Largest body, and time for it: a state and a token of some 50 characters each.
const BOUNDS: Bounds = Bounds { bytes: 1024, arrival: Duration::from_secs(10) };

/// A connection that was made.
struct Connected {
    account: String,
    organization: String,
    /// Whether the first run of the synchronization is queued.
    is_followed: bool,
}

/// Answers the browser.
pub(crate) async fn confirm(State(app): State<Shared>, request: Request) -> Response {
    match answer(&app, request).await {
        Ok(connected) => with_cookie(connected.page(), "", 0),
        Err(refusal) => refusal.page(&app.kit.base_url),
    }
}

async fn answer(app: &App, request: Request) -> Result<Connected, Refusal> {
    let cookie = cookie(request.headers()).map(str::to_owned);
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let essence = kind.split(';').next().unwrap_or("").trim();
    if !essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(Refusal::Malformed);
    }
    let body = receive(request, BOUNDS).await.map_err(|_| Refusal::Malformed)?;
    let text = std::str::from_utf8(&body).map_err(|_| Refusal::Malformed)?;
    let mut given = Parameters::parse(text).map_err(|_| Refusal::Malformed)?;
    let (state, token) = given.take("state").zip(given.take("token")).ok_or(Refusal::Malformed)?;
    let link = Link::read(&app.pepper, &state).ok_or(Refusal::Unknown)?;
    let read = app.progress(&link).await?;
    let Some(Progress::Asked(asked)) = &read.content else { return Err(Refusal::Malformed) };
    if !asked.has_token(&app.pepper, &link, &token) {
        return Err(Refusal::Replaced);
    }
    let user = cookie.and_then(|cookie| asked.user(&app.pepper, &link, &cookie));
    let user = user.ok_or(Refusal::OtherBrowser)?;
    let host = app.host.as_ref().ok_or(Refusal::NoHost)?;
    let administered = match host.client.administered(&user, asked.installation).await {
        Err(HostError::NotFound(_) | HostError::Denied(_)) => return Err(Refusal::NoLongerAdministrator),
        administered => administered?,
    };
    if (&administered.installation.account, administered.repositories) != (&asked.account, asked.repositories)
    {
        return Err(Refusal::Changed);
    }
    app.connect(&link, asked, &read).await
}

/// The value of the cookie of the page.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    let mut pairs =
        headers.get_all(COOKIE).iter().filter_map(|one| one.to_str().ok()).flat_map(|one| one.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(callback::COOKIE)?.strip_prefix('='))
}

impl App {
    /// The row of a link that can be used.
    pub(crate) async fn progress(&self, link: &Link) -> Result<Permission<Progress>, Refusal> {
        let (organization, hash) = link.place();
        let found = LINKS.find::<Progress>(&self.kit.directory, organization, hash).await?;
        let found = found.ok_or(Refusal::Unknown)?;
        match &found.content {
            None => Err(Refusal::Used),
            Some(_) if found.expires_at <= self.kit.clock.now() => Err(Refusal::Expired),
            Some(_) => Ok(found),
        }
    }

    pub(crate) async fn organization_name(&self, id: OrganizationId) -> Result<String, Refusal> {
        let found = self.kit.directory.get_organization(id).await?;
        Ok(found.ok_or(Refusal::NoOrganization)?.name)
    }

    /// Connects the installation, which spends the link, and requests its first run.
    async fn connect(
        &self,
        link: &Link,
        asked: &Asked,
        read: &Permission<Progress>,
    ) -> Result<Connected, Refusal> {
        let (directory, id, organization) = (&self.kit.directory, asked.installation, link.organization);
        let name = self.organization_name(organization).await?;
        let permission = LINKS.spending(link.place(), read)?;
        let account = asked.account.as_str();
        connect(directory, organization, (id, account), Some(&permission), self.kit.clock.now()).await?;
        tracing::info!(%organization, installation = %id, account, "an installation of the code host was connected");
        let requested = sync::request_sync(&self.jobs, organization, id).await;
        if let Err(error) = &requested {
            tracing::warn!(%organization, installation = %id, %error, "a connected installation is read with the others");
        }
        Ok(Connected { account: asked.account.clone(), organization: name, is_followed: requested.is_ok() })
    }
}

impl Connected {
    fn page(&self) -> Response {
        let appear = if self.is_followed { "a minute" } else { "six hours" };
        let text = format!(
            "<p>The installation in the account <b>{}</b> is connected to the organization <b>{}</b>. \
             Its repositories appear within {appear}.</p>\n\
             <p>The connection ends when the app is removed in the settings of the account.</p>\n",
            escape(&self.account),
            escape(&self.organization)
        );
        private(page(StatusCode::OK, "Code host connected", &text))
    }
}
