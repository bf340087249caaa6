//! Hosts that imitate brands, and honest hosts.

use lookalikes::{Brands, Resemblance};
use proptest::prelude::*;

thread_local! {
    static BRANDS: Brands = Brands::built_in();
}

#[test]
fn the_list_is_long_enough() {
    assert!(Brands::built_in().count() >= 300);
}

#[test]
fn imitations_are_found_with_their_brand_and_kind() {
    let brands = Brands::built_in();
    for (host, brand, resemblance) in [
        ("paypa1.com", "paypal", Resemblance::Skeleton),
        ("xn--pypal-4ve.com", "paypal", Resemblance::Skeleton),
        ("g00gle.com", "google", Resemblance::Skeleton),
        ("rnicrosoft.com", "microsoft", Resemblance::Skeleton),
        ("аррӏе.com", "apple", Resemblance::Skeleton),
        ("faceboook.com", "facebook", Resemblance::Near),
        ("netfilx.com", "netflix", Resemblance::Near),
        ("gihtub.com", "github", Resemblance::Near),
        ("instagrarn.com", "instagram", Resemblance::Skeleton),
        ("wellsfarg0.com", "wellsfargo", Resemblance::Skeleton),
        ("bankofamerrica.com", "bankofamerica", Resemblance::Near),
        ("paypal.com.evil.example", "paypal", Resemblance::Label),
        ("paypal-login.com", "paypal", Resemblance::Label),
        ("secure-paypal.net", "paypal", Resemblance::Label),
        ("login.microsoftonline.com.attacker.io", "microsoft", Resemblance::Label),
        ("apple-id-verify.com", "apple", Resemblance::Label),
        ("paypallogin.com", "paypal", Resemblance::Label),
        ("coinbase.xyz", "coinbase", Resemblance::OtherSuffix),
        ("steamcommunnity.com", "steamcommunity", Resemblance::Near),
        ("dropboxx.com", "dropbox", Resemblance::Near),
    ] {
        let found = brands.lookalike(host).unwrap_or_else(|| panic!("{host} is not found"));
        assert_eq!((found.brand.as_str(), found.resemblance), (brand, resemblance), "{host}");
    }
}

#[test]
fn honest_hosts_are_not_reported() {
    let hosts = "www.paypal.com accounts.google.com github.com raw.githubusercontent.com docs.rs crates.io rust-lang.org
        python.org nodejs.org debian.org ubuntu.com kernel.org gnu.org apache.org nginx.org postgresql.org sqlite.org
        bbc.co.uk theguardian.com nytimes.com washingtonpost.com reuters.com spiegel.de zeit.de heise.de lemonde.fr elpais.com
        mit.edu stanford.edu ox.ac.uk tum.de ethz.ch cern.ch nasa.gov nih.gov europa.eu who.int un.org stackoverflow.com
        archive.org arxiv.org nature.com science.org ieee.org acm.org w3.org ietf.org iana.org unicode.org example.com
        applepie-recipes.com targetpractice.org orangejuice.net mondaymotivation.com chasing-trains.org windowsill-garden.com
        steamengine-museum.org unityinvites.org amdahl.com intelligent-design.net dellwood.org visaliatimes.com upstream.dev
        uber-geek.net notional.org stripes.com squaredance.org zoomer.com slackline.org discordant.net signalfire.com
        metallica.com threadsofhope.org teamsters.org wisdom.org allyoucanread.com phantomofopera.com geminids.org
        bingham.com orangecounty.gov sentryinsurance.com spectrumnews.org teslamuseum.org dhlawrence.org dpdk.org
        blog.cloudflare.com huggingface.co claude.ai chat.openai.com web.de gmx.net t-online.de mailbox.org posteo.de
        hetzner.com ovh.com linode.com fly.io render.com railway.app deno.com bun.sh vitejs.dev reactjs.org vuejs.org angular.io
        djangoproject.com flask.palletsprojects.com rubyonrails.org spring.io golang.org go.dev kotlinlang.org swift.org
        mastodon.social lobste.rs news.ycombinator.com medium.com substack.com patreon.com kickstarter.com indiegogo.com
        booking.com hotels.com kayak.com skyscanner.net trivago.com seat61.com bahn.de sbb.ch oebb.at ns.nl sncf.com
        192.0.2.1 localhost 日本語.jp münchen.de straße.de россия.рф";
    let brands = Brands::built_in();
    let all: Vec<&str> = hosts.split_whitespace().collect();
    let reported: Vec<String> =
        all.iter().filter_map(|host| Some(format!("{host}: {:?}", brands.lookalike(host)?))).collect();
    println!("{} of {} honest hosts: {reported:#?}", reported.len(), all.len());
    assert!(reported.is_empty(), "{reported:#?}");
}

#[test]
fn every_domain_of_a_brand_and_every_host_below_it_is_honest() {
    let brands = Brands::built_in();
    for line in include_str!("../data/brands.txt").lines().filter(|line| !line.starts_with('#')) {
        for domain in line.split_whitespace().skip(1) {
            assert_eq!(brands.lookalike(domain), None, "{domain}");
            assert_eq!(brands.lookalike(&format!("login.account.{domain}")), None, "{domain}");
        }
    }
}

#[test]
fn domains_of_the_caller_are_protected() {
    let mut brands = Brands::built_in();
    assert_eq!(brands.lookalike("palisad3.example"), None);
    brands.add(["palisade.example"]);
    assert_eq!(brands.lookalike("palisad3.example").unwrap().brand, "palisade.example");
    assert_eq!(brands.lookalike("palisade.example"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_text_is_read(text in "\\PC{0,300}") {
        let _ = BRANDS.with(|brands| brands.lookalike(&text));
    }
}

#[test]
fn texts_name_brands_as_words_and_ordinary_words_need_a_lure() {
    let brands = Brands::built_in();
    for (text, brand) in [
        ("PayPal", "paypal"),
        ("Your PayPal account", "paypal"),
        ("Bank of America Alerts", "bankofamerica"),
        ("Apple Support", "apple"),
        ("Apple", "apple"),
        ("Netf1ix", "netflix"),
    ] {
        assert_eq!(brands.named(text), Some(brand), "{text}");
    }
    for text in
        ["pineapple juice", "Orange juice on the target list", "Anna", "", "A new chase in the windows"]
    {
        assert_eq!(brands.named(text), None, "{text}");
    }
    assert!(brands.owns("paypal", "www.paypal.com") && !brands.owns("paypal", "paypal.example"));
    assert_eq!(brands.owner("mail.github.com"), Some("github"));
    assert_eq!(brands.owner("example.org"), None);
}
