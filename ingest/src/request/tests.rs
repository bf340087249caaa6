//! Heads as senders write them, and as they should not.

use common::clock::ManualClock;
use common::timestamp::Timestamp;

use super::*;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&'static str, &str)| {
        (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
    };
    // `from_iter` would replace repeated names.
    let mut map = HeaderMap::new();
    for (name, value) in pairs.iter().map(pair) {
        map.append(name, value);
    }
    map
}

#[test]
fn the_path_is_matched_whole() {
    assert_eq!(source_segment("/api/v1/infrastructure/sources/x/v1/logs"), Some("x"));
    assert_eq!(source_segment("/api/v1/infrastructure/sources//v1/logs"), Some(""));
    for other in ["x/v1/logs/", "x/y/v1/logs", "x/v1/traces", "x", "v1/logs"] {
        assert_eq!(source_segment(&format!("{PATH_PREFIX}{other}")), None, "{other}");
    }
    let id = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    assert_eq!(source_id(&format!("{PATH_PREFIX}{id}{PATH_SUFFIX}")).unwrap().to_string(), id);
    assert_eq!(source_id(&format!("{PATH_PREFIX}67e55044{PATH_SUFFIX}")), Err(RequestError::SourceId));
}

#[test]
fn keys_come_as_bearer_tokens_only() {
    let key = |pairs| bearer_key(&headers(pairs)).map(str::to_owned);
    assert_eq!(key(&[("authorization", "Bearer abc")]), Ok("abc".into()));
    assert_eq!(key(&[("authorization", "bearer  abc ")]), Ok("abc".into()));
    for wrong in [
        &[][..],
        &[("authorization", "Basic abc")],
        &[("authorization", "Bearer")],
        &[("authorization", "Bearer a"), ("authorization", "Bearer b")],
    ] {
        assert_eq!(key(wrong), Err(RequestError::KeyMissing));
    }
}

#[test]
fn formats_are_told_by_their_media_type() {
    let format = |value| format(&headers(&[("content-type", value)]));
    assert_eq!(format("application/x-protobuf"), Ok(Format::OtlpProtobuf));
    assert_eq!(format("Application/JSON ; charset=\"UTF-8\""), Ok(Format::Json));
    assert_eq!(format("application/ndjson;charset=utf-8;x=y"), Ok(Format::Ndjson));
    assert_eq!(format("application/x-ndjson"), Ok(Format::Ndjson));
    assert_eq!(format("application/json; charset=utf8"), Ok(Format::Json));
    for wrong in ["", "text/plain", "application/json; charset=latin1", "application/jsonx", "json"] {
        assert_eq!(format(wrong), Err(RequestError::ContentType { found: wrong.into() }));
    }
    assert!(content(&HeaderMap::new()).is_err());
    assert!(content(&headers(&[("content-type", "application/json"), ("content-type", "text/x")])).is_err());
    assert!(is_protobuf(&headers(&[("content-type", "application/X-Protobuf; x=y")])));
}

#[test]
fn encodings_are_identity_and_gzip() {
    let encoding = |value| encoding(&headers(&[("content-encoding", value)]));
    assert_eq!(encoding("GZIP"), Ok(Encoding::Gzip));
    assert_eq!(encoding("x-gzip"), Ok(Encoding::Gzip));
    assert_eq!(encoding("identity"), Ok(Encoding::Identity));
    assert_eq!(super::encoding(&HeaderMap::new()), Ok(Encoding::Identity));
    for wrong in ["br", "gzip, gzip", "deflate", "zstd"] {
        assert!(encoding(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn idempotency_keys_are_bounded() {
    let longest = "k".repeat(255);
    assert_eq!(idempotency_key(&headers(&[("idempotency-key", &longest)])), Ok(Some(longest.as_bytes())));
    assert_eq!(idempotency_key(&HeaderMap::new()), Ok(None));
    assert!(idempotency_key(&headers(&[("idempotency-key", "")])).is_err());
    assert!(idempotency_key(&headers(&[("idempotency-key", &"k".repeat(256))])).is_err());
    assert!(idempotency_key(&headers(&[("idempotency-key", "a"), ("idempotency-key", "b")])).is_err());
}

#[test]
fn request_ids_are_taken_over_when_sane_and_made_otherwise() {
    let clock = ManualClock::new(Timestamp::from_millis(1_700_000_000_000));
    let id = |value| request_id(&headers(&[("x-request-id", value)]), &clock);
    assert_eq!(id("abc-1"), "abc-1");
    let too_long = "x".repeat(129);
    for wrong in ["", "two words", "a,b", &too_long] {
        let made = id(wrong);
        let made = Uuid::parse_str(made.to_str().unwrap()).unwrap();
        assert_eq!(made.get_version_num(), 7);
        assert_eq!(made.get_timestamp().unwrap().to_unix().0, 1_700_000_000);
    }
    assert_ne!(id(""), id(""));
}
