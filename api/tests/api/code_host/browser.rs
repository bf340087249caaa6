//! The browser of a user who connects an account.

use axum::body::Body;
use http::{Method, Request};

use crate::harness::{Reply, World};

/// A page as a browser has it.
#[derive(Clone)]
pub(super) struct Page {
    pub(super) status: u16,
    pub(super) html: String,
    /// Name and value of the cookie that it set.
    pub(super) cookie: Option<String>,
    /// The `Set-Cookie` header.
    pub(super) attributes: String,
    pub(super) policy: String,
}

impl Page {
    pub(super) fn of(reply: Reply) -> Self {
        assert!(reply.header("content-type").starts_with("text/html"));
        assert_eq!((reply.header("cache-control"), reply.header("x-frame-options")), ("no-store", "DENY"));
        let policy = reply.header("content-security-policy").to_owned();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(policy.ends_with("frame-ancestors 'none'"), "{policy}");
        let set = reply.headers.get("set-cookie").map(|set| set.to_str().unwrap().to_owned());
        let cookie = set.as_ref().map(|set| set.split(';').next().unwrap().to_owned());
        let html = String::from_utf8(reply.body).unwrap();
        assert!(!html.contains("<script"), "{html}");
        Self { status: reply.status.as_u16(), html, cookie, attributes: set.unwrap_or_default(), policy }
    }

    /// The browser of a user comes back from the host.
    pub(super) async fn open(world: &World, query: &str) -> Self {
        Self::of(world.page(Method::GET, &format!("/code-host/callback?{query}")).await)
    }

    /// The value of a hidden field of the form.
    pub(super) fn field(&self, name: &str) -> String {
        let (_, rest) = self.html.split_once(&format!("name=\"{name}\" value=\"")).expect(&self.html);
        rest.split_once('"').unwrap().0.to_owned()
    }

    /// Sends the form as the browser that was shown the page.
    pub(super) async fn confirm(&self, world: &World) -> Self {
        self.confirm_with(world, self.cookie.as_deref(), (&self.field("state"), &self.field("token"))).await
    }

    pub(super) async fn confirm_with(
        &self,
        world: &World,
        cookie: Option<&str>,
        (state, token): (&str, &str),
    ) -> Self {
        let body = format!("state={state}&token={token}");
        Self::of(world.send_unchecked(form(cookie, &body)).await)
    }
}

/// A form as a browser sends it.
pub(super) fn form(cookie: Option<&str>, body: &str) -> Request<Body> {
    let request =
        Request::post("/code-host/callback").header("content-type", "application/x-www-form-urlencoded");
    let request = cookie.into_iter().fold(request, |request, cookie| request.header("cookie", cookie));
    request.body(Body::from(body.to_owned())).unwrap()
}
