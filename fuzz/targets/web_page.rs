//! Replies of a web application: any reply is read within the documented bounds, and leads to no request outside of the scope.
//!
//! The first byte selects the purpose; a header `Location` or `Set-Cookie` in the first line, the body behind it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use web::crawl::{Answer, Config, Crawl};
use web::parse::{Purpose, Reply, decode_readings, encode_batch, read, read_batch};

const APPLICATION: &str = "https://shop.test/";

fuzz_target!(|input: &[u8]| {
    let Some((first, rest)) = input.split_first() else { return };
    let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or_default();
    let (header, body) = rest.split_at(line);
    let header = String::from_utf8_lossy(header).into_owned();
    let purpose = Purpose::ALL[usize::from(*first) % Purpose::ALL.len()];
    let redirects = first & 0x80 != 0;
    let reply = Reply {
        request: 0,
        url: APPLICATION.into(),
        base: APPLICATION.into(),
        purpose,
        status: if redirects { 302 } else { 200 },
        headers: vec![(if redirects { "location" } else { "set-cookie" }.into(), header)],
        body: body.to_vec(),
        certificate: body.to_vec(),
    };
    let reading = read(&reply);
    assert_eq!(decode_readings(&read_batch(&encode_batch(&[reply]))), Ok(vec![reading.clone()]));

    let mut crawl = Crawl::new(Config { url: APPLICATION.into(), ..Config::default() }).unwrap();
    // The robots file, then pages and files: every request gets the same reply.
    for _ in 0..4 {
        let requests = crawl.next_batch();
        for request in &requests {
            assert_eq!(request.url.host_str(), Some("shop.test"));
            assert_eq!((request.url.port(), request.url.username()), (None, ""));
        }
        let answer =
            |number| Answer::Read(Box::new(web::parse::Reading { request: number, ..reading.clone() }));
        crawl.absorb(requests.iter().map(|request| answer(request.number)).collect());
    }
    let checkpoint = crawl.checkpoint();
    assert!(checkpoint.len() <= web::crawl::MOST_CHECKPOINT_BYTES);
    let config = Config { url: APPLICATION.into(), ..Config::default() };
    Crawl::restore(config, &checkpoint).unwrap();
});
