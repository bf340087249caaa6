//! Redirects: each hop is judged by the address guard and by the policy as a first request is.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method};
use outbound::{
    ConnectError, DestinationError, Hop, HostPattern, Hosts, Policy, PolicyError, RedirectError, Request,
    Schemes, SendError,
};

use crate::server::{
    Authority, NAME, Script, Server, following, get, named, ok, others_leading_to, redirect, resolving, send,
    way_out,
};

/// Addresses that nothing is sent to, each in a form of its own.
const REFUSED: [&str; 9] = [
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "::1",
    "fd00::1",
    "64:ff9b::7f00:1",
    "::ffff:10.0.0.1",
];

/// A server of a chain of `hops` redirects below its own paths, whose last one leads `to`.
async fn chain(hops: usize, to: &str) -> Server {
    let step = |at: usize| match at + 1 == hops {
        true => redirect(302, to),
        false => redirect(307, &format!("/{}", at + 1)),
    };
    let replies: Vec<(String, Vec<u8>)> = (0..hops).map(|at| (format!("/{at}"), step(at))).collect();
    Server::start(Script { replies, ..Script::default() }).await
}

fn redirected(error: SendError) -> (SendError, Vec<Hop>) {
    let SendError::Redirected { cause, hops } = error else { panic!("{error:?}") };
    (*cause, hops)
}

#[tokio::test]
async fn a_name_that_leads_to_a_private_address_is_refused_at_every_hop() {
    for (hops, address) in (1..=3).flat_map(|hops| REFUSED.map(|address| (hops, address))) {
        let server = chain(hops, "https://other.example/").await;
        // Plain http: the chain is on loopback, which is allowed.
        let server_url = server.url_of(NAME, "/0");
        let error = send(&others_leading_to(address), &server_url, get(following(9))).await.unwrap_err();
        let (cause, told) = redirected(error);
        assert!(matches!(cause, SendError::Connect(ConnectError::Blocked { .. })), "{address}: {cause:?}");
        assert_eq!((told.len(), server.heard().len()), (hops, hops));
        assert_eq!(told[hops - 1].location, "https://other.example/");
    }
}

#[tokio::test]
async fn a_private_address_is_refused_at_every_hop() {
    for (hops, address) in (1..=3).flat_map(|hops| REFUSED.map(|address| (hops, address))) {
        let host = if address.contains(':') { format!("[{address}]") } else { address.to_owned() };
        let server = chain(hops, &format!("https://{host}:8443/")).await;
        let error = send(&way_out(), &server.url("/0"), get(following(9))).await.unwrap_err();
        let (cause, told) = redirected(error);
        let SendError::Redirect(RedirectError::Destination(cause)) = cause else { panic!("{cause:?}") };
        assert!(matches!(cause, DestinationError::Address { .. }), "{address}: {cause:?}");
        assert_eq!((told.len(), server.heard().len()), (hops, hops));
    }
}

#[tokio::test]
async fn a_name_that_is_rebound_between_two_hops_is_judged_again() {
    for (hops, home) in (1..=3).flat_map(|hops| REFUSED.map(|address| (hops, address))) {
        let server = chain(hops, "/again").await;
        // Each hop of this server needs a connection of its own, and so a look-up.
        let addresses = [vec!["127.0.0.1"; hops], vec![home]].concat();
        let error = send(&resolving(&addresses), &server.url_of(NAME, "/0"), get(following(9))).await;
        let (cause, told) = redirected(error.unwrap_err());
        assert!(matches!(cause, SendError::Connect(ConnectError::Blocked { .. })), "{home}: {cause:?}");
        assert_eq!((told.len(), server.heard().len()), (hops, hops));
    }
}

#[tokio::test]
async fn redirects_are_followed_as_far_as_the_policy_allows_and_told() {
    let replies = [
        ("/a", redirect(302, "/b")),
        ("/b", redirect(307, "/c")),
        ("/c", ok("here")),
        ("/loop", redirect(302, "/loop")),
    ];
    let server = Server::replying(&replies).await;
    let reply = send(&way_out(), &server.url("/a"), get(following(2))).await.unwrap();
    assert_eq!((reply.status, &reply.body[..]), (200, &b"here"[..]));
    let hops: Vec<_> = reply.hops.iter().map(|hop| (hop.url.clone(), hop.status)).collect();
    assert_eq!(hops, [(server.url("/a"), 302), (server.url("/b"), 307)]);
    assert_eq!(send(&way_out(), &server.url("/a"), get(following(0))).await.unwrap().status, 302);
    let before = server.heard().len();
    let error = send(&way_out(), &server.url("/loop"), get(following(5))).await.unwrap_err();
    let (cause, hops) = redirected(error);
    assert!(matches!(cause, SendError::Redirect(RedirectError::TooMany { most: 5 })), "{cause:?}");
    assert_eq!((hops.len(), server.heard().len() - before), (6, 6));
}

#[tokio::test]
async fn two_servers_that_redirect_to_each_other_end_too() {
    let authority = Authority::new();
    let tls = || authority.acceptor(&named(&[NAME]));
    let ping = Server::secure(tls(), ok("")).await;
    let pong = Server::secure(tls(), redirect(308, &ping.url_of(NAME, "/"))).await;
    let ring = Server::secure(tls(), redirect(308, &pong.url_of(NAME, "/"))).await;
    let reply = send(&authority.trusted(), &ring.url_of(NAME, "/"), get(following(2))).await.unwrap();
    assert_eq!((reply.status, reply.hops.len()), (200, 2));
    let error = send(&authority.trusted(), &ring.url_of(NAME, "/"), get(following(1))).await.unwrap_err();
    assert!(matches!(redirected(error).0, SendError::Redirect(RedirectError::TooMany { most: 1 })));
}

#[tokio::test]
async fn another_origin_gets_no_credentials() {
    let target = Server::answering(ok("")).await;
    let server = Server::answering(redirect(308, &target.url("/"))).await;
    let mut headers = HeaderMap::new();
    for name in ["authorization", "cookie", "x-api-key"] {
        headers.insert(name, HeaderValue::from_static("secret"));
    }
    let body = Bytes::from_static(b"body");
    let request = Request { method: Method::PUT, headers, body, ..get(following(1)) };
    send(&way_out(), &server.url("/"), request).await.unwrap();
    assert_eq!(server.heard().concat().matches("secret").count(), 3);
    let heard = target.heard().concat();
    assert!(heard.starts_with("PUT / ") && !heard.contains("secret"), "{heard}");
}

#[tokio::test]
async fn other_schemes_and_plain_http_after_https_are_refused() {
    for to in ["file:///etc/passwd", "ftp://one.example/", "gopher://127.0.0.1:8080/", "http://0x0a000001/"] {
        let server = Server::answering(redirect(302, to)).await;
        let error = send(&way_out(), &server.url("/"), get(following(5))).await.unwrap_err();
        let (cause, _) = redirected(error);
        assert!(matches!(cause, SendError::Redirect(RedirectError::Destination(_))), "{to}: {cause:?}");
    }
    let authority = Authority::new();
    let plain = Server::answering(ok("")).await;
    let secure = Server::secure(authority.acceptor(&named(&[NAME])), redirect(301, &plain.url("/"))).await;
    let error = send(&authority.trusted(), &secure.url_of(NAME, "/"), get(following(5))).await.unwrap_err();
    assert!(matches!(redirected(error).0, SendError::Redirect(RedirectError::Downgrade)));
    assert_eq!((secure.heard().len(), plain.heard().len()), (1, 0));
}

#[tokio::test]
async fn the_policy_holds_for_redirects_too() {
    let target = Server::answering(ok("")).await;
    let server = Server::answering(redirect(302, &target.url_of("other.example", "/"))).await;
    let port = server.address.port();
    let hosts = Hosts::Only([HostPattern::Exact("127.0.0.1".to_owned())].into());
    let elsewhere = Policy { hosts, ..following(5) };
    let ports = Policy { ports: Some([port].into()), ..following(5) };
    for policy in [elsewhere, ports] {
        let error = send(&way_out(), &server.url("/"), get(policy)).await.unwrap_err();
        let (cause, _) = redirected(error);
        let SendError::Redirect(RedirectError::Policy(cause)) = cause else { panic!("{cause:?}") };
        assert!(matches!(cause, PolicyError::Host { .. } | PolicyError::Port { .. }), "{cause:?}");
    }
    assert_eq!(target.heard().len(), 0);
    assert_eq!(send(&way_out(), &server.url("/"), get(following(5))).await.unwrap().status, 200);

    let https = Policy { schemes: Schemes::Https, ..following(5) };
    let error = send(&way_out(), &server.url("/"), get(https)).await.unwrap_err();
    assert!(matches!(error, SendError::Policy(PolicyError::Scheme)), "{error:?}");
}
