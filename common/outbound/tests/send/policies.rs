//! Methods, headers, and the policy of a call.

use std::sync::Arc;
use std::time::Duration;

use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderValue, Method};
use outbound::{
    Addresses, Budget, ConnectError, HostPattern, Hosts, Policy, PolicyError, Rate, Request, Schemes,
    SendError,
};

use crate::server::{NAME, Server, following, get, ok, redirect, send, way_out};

#[tokio::test]
async fn every_method_is_sent_and_framing_headers_of_the_caller_are_not() {
    for method in [Method::GET, Method::HEAD, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS] {
        let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
        let mut headers = HeaderMap::new();
        for (name, value) in [("host", "evil.example"), ("transfer-encoding", "chunked"), ("x-mine", "1")] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        let request = Request { method: method.clone(), headers, ..get(Policy::default()) };
        assert_eq!(send(&way_out(), &server.url("/"), request).await.unwrap().status, 204);
        let heard = server.heard().concat();
        assert!(heard.starts_with(&format!("{method} / HTTP/1.1\r\n")), "{heard}");
        assert!(heard.contains(&format!("host: {}\r\n", server.address)), "{heard}");
        assert!(heard.contains("x-mine: 1") && !heard.contains("chunked"), "{heard}");
    }
    let tunnel = Request { method: Method::CONNECT, ..get(Policy::default()) };
    let error = send(&way_out(), "http://127.0.0.1:8080/", tunnel).await.unwrap_err();
    assert!(matches!(error, SendError::Policy(PolicyError::Method)), "{error:?}");
}

#[tokio::test]
async fn a_connection_to_an_allowed_network_is_not_used_where_only_public_addresses_are() {
    let server = Server::answering(ok("")).await;
    let outbound = way_out();
    let url = format!("https://receiver.example:{}/", server.address.port());
    let policy = Policy { addresses: Addresses::Public, ..Policy::default() };
    let error = send(&outbound, &url, get(policy)).await.unwrap_err();
    assert!(matches!(error, SendError::Connect(ConnectError::Blocked { .. })), "{error:?}");
    assert_eq!(server.heard().len(), 0);
}

#[tokio::test]
async fn calls_share_a_budget_and_a_rate() {
    let server = Server::answering(ok("12345678")).await;
    // A reply of 8 bytes, and its header `content-length: 8`.
    let budget = Budget::new(3, 40);
    let policy = Policy { budget: Some(Arc::clone(&budget)), ..Policy::default() };
    send(&way_out(), &server.url("/"), get(policy.clone())).await.unwrap();
    let error = send(&way_out(), &server.url("/"), get(policy.clone())).await.unwrap_err();
    assert!(matches!(error, SendError::Budget(_)), "{error:?}");
    assert_eq!((budget.requests(), budget.bytes()), (2, 40), "it is used up");
    let policy = Policy { rate: Some(Rate::every(Duration::from_secs(3_600))), ..Policy::default() };
    send(&way_out(), &server.url("/"), get(policy.clone())).await.unwrap();
    let error = send(&way_out(), &server.url("/"), get(policy)).await.unwrap_err();
    assert!(matches!(error, SendError::Rate { .. }), "{error:?}");
}

#[tokio::test]
async fn what_a_policy_refuses_is_not_connected_to() {
    let server = Server::answering(ok("")).await;
    let hosts = Hosts::Only([HostPattern::Exact("other.example".to_owned())].into());
    let elsewhere = Policy { hosts, ..Policy::default() };
    let ports = Policy { ports: Some([443].into()), ..Policy::default() };
    let https = Policy { schemes: Schemes::Https, ..Policy::default() };
    for policy in [elsewhere, ports, https] {
        let error = send(&way_out(), &server.url_of(NAME, "/"), get(policy)).await.unwrap_err();
        assert!(matches!(error, SendError::Policy(_)) && error.is_final(), "{error:?}");
    }
    assert_eq!(server.connections.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[tokio::test]
async fn each_redirect_is_a_request_of_the_budget() {
    let server = Server::answering(redirect(302, "/")).await;
    let budget = Budget::new(3, 10_000);
    let policy = Policy { budget: Some(Arc::clone(&budget)), ..following(20) };
    let error = send(&way_out(), &server.url("/"), get(policy)).await.unwrap_err();
    let SendError::Redirected { cause, hops } = error else { panic!("{error:?}") };
    assert!(matches!(*cause, SendError::Budget(_)), "{cause:?}");
    assert_eq!((hops.len(), budget.requests(), server.heard().len()), (3, 3, 3));
}

#[tokio::test]
async fn a_target_is_sent_as_it_is_and_only_to_the_destination() {
    let raw = "/a/../%2e%2e/./x?q='a%0d";
    let target = Some(PathAndQuery::from_static(raw));
    let server = Server::replying(&[(raw, redirect(302, "/next")), ("/next", ok(""))]).await;
    let request = Request { target, ..get(following(1)) };
    let reply = send(&way_out(), &server.url("/ignored"), request).await.unwrap();
    assert!(server.heard()[0].starts_with(&format!("GET {raw} HTTP/1.1\r\n")), "{:?}", server.heard());
    assert!(server.heard()[1].starts_with("GET /next HTTP/1.1\r\n"), "{:?}", server.heard());
    assert_eq!(reply.hops[0].url, server.url(raw));
}
