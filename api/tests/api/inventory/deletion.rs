//! Inventories of applications that are deleted.

use serde_json::json;

use super::site::Site;
use super::{application, assets, discover};
use crate::harness::World;

/// Rows of assets and inventories.
fn rows(world: &World) -> usize {
    let names = [b"asset/".as_slice(), b"inventory/"];
    let is_one =
        |key: &[u8]| names.iter().any(|name| key.get(16..).is_some_and(|rest| rest.starts_with(name)));
    world.ledger.memory.dump().iter().filter(|(_, _, row)| is_one(&row.key)).count()
}

#[tokio::test]
async fn a_deleted_application_leaves_no_assets_and_its_run_ends() {
    let world = World::new();
    let tenant = world.tenant("deleted").await;
    let (site, kept_site) = (Site::start(), Site::start());
    let links: String = (0..150).map(|number| format!("<a href=/{}>n</a>", letters(number))).collect();
    site.page("/", &links);
    kept_site.page("/", "");
    let shop = application(&world, &tenant, &site).await;
    let body = json!({"name": "Kept", "url": kept_site.url("/")});
    let kept = world.post(&tenant.key, "/applications", body).await.ok(201);
    let kept = format!("/applications/{}", kept["id"].as_str().unwrap());
    discover(&world, &tenant, &kept).await;
    let others = rows(&world);
    discover(&world, &tenant, &shop).await;
    // Links that lead nowhere are no endpoints: pages that exist are.
    for number in 0..150 {
        site.page(&format!("/{}", letters(number)), "");
    }
    discover(&world, &tenant, &shop).await;
    assert!(rows(&world) > others + 150, "more than a commit removes");
    world.post(&tenant.key, &format!("{shop}/inventory"), json!({})).await.ok(202);
    site.requests();
    assert_eq!(world.delete(&tenant.key, &shop).await.status, 204);
    assert_eq!(rows(&world), others);
    world.work().await;
    assert_eq!((rows(&world), site.requests().len()), (others, 0), "the run was cancelled");
    world.get(&tenant.key, &format!("{shop}/inventory")).await.refused(404, "not_found");
    assert!(!assets(&world, &tenant, &kept, "").await.is_empty());
}

/// A word that is no number, so that pages have routes of their own.
fn letters(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(digit + 49)).collect()
}
