//! The model of payloads of the product is the one that its packages give, and its data is complete.

use std::path::Path;

use train::data::Data;
use train::payload::{packages, popular};
use train::trainer::SEED;

static SHIPPED: &[u8] = include_bytes!("../../../../models/payload.plm");

#[test]
fn the_model_of_the_product_is_the_one_that_its_packages_and_seed_give() {
    let trained = train::payload::train(&mut Data::open(Path::new("unread")), SEED).unwrap();
    assert!(trained == SHIPPED, "run `palisade-train payload --data . --out models/payload.plm`");
}

#[test]
fn every_author_has_malicious_and_honest_packages_with_code() {
    let packages = packages::all().unwrap();
    for source in ["bench", "mixed", "npm", "pypi", "wild"] {
        let of = |malicious: bool| {
            packages.iter().filter(|one| one.source == source && one.is_malicious == malicious).count()
        };
        assert!(of(true) >= 40 && of(false) >= 20, "{source}: {} and {}", of(true), of(false));
    }
    let with_code = packages.iter().filter(|one| !one.rows.is_empty()).count();
    assert!(with_code * 10 > packages.len() * 9, "{with_code} of {}", packages.len());
}

#[test]
fn popular_packages_of_both_registries_are_honest() {
    let popular = popular::all().unwrap();
    for registry in ["npm/", "pypi/"] {
        assert!(popular.iter().filter(|one| one.name.starts_with(registry)).count() >= 200, "{registry}");
    }
    assert!(popular.iter().all(|one| !one.is_malicious));
}
