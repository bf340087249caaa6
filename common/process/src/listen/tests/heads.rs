//! Heads that are refused before any handler sees their request.

use super::*;

#[tokio::test]
async fn heads_over_their_bounds_are_refused() {
    let running = run(ListenConfig { max_head_bytes: 1024, max_headers: 10, ..config() }).await;
    let long = format!("GET / HTTP/1.1\r\nx-long: {}\r\n\r\n", "x".repeat(2000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "x-many: 1\r\n".repeat(20));
    for head in [long, many] {
        let mut stream = running.connect().await;
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let text = rest(stream).await;
        assert!(text.starts_with("HTTP/1.1 431"), "{text}");
    }
}

#[tokio::test]
async fn a_request_without_its_one_host_is_refused_and_nothing_behind_it_answered() {
    let running = run(config()).await;
    for head in [
        "HTTP/1.1",
        "HTTP/1.1\r\nhost: a\r\nhost: b",
        "HTTP/1.0\r\nhost: a\r\nhost: b",
        "HTTP/1.0\r\nconnection: keep-alive\r\nhost: a\r\nhost: b",
        "HTTP/1.1\r\nhost: a/b",
    ] {
        let mut stream = running.connect().await;
        let said = format!("GET /one {head}\r\n\r\n{}", get("/two"));
        stream.write_all(said.as_bytes()).await.unwrap();
        let text = rest(stream).await;
        assert!(text.contains(" 400 Bad Request") && text.contains("expected one Host header"), "{text}");
        assert!(!text.contains(" 200 ") && !text.contains("keep-alive"), "{text}");
    }
    let mut stream = running.connect().await;
    stream.write_all(b"GET /one HTTP/1.0\r\n\r\n").await.unwrap();
    assert!(rest(stream).await.contains(" 200 "));
}
