//! The order of a board.

use engine::Level;
use serde_json::json;

use super::observed::seed;
use crate::harness::World;

#[tokio::test(start_paused = true)]
async fn a_finding_can_be_put_between_two_neighbours_sixteen_times() {
    let world = World::new();
    let tenant = world.tenant("board").await;
    let ids = seed(&world, &tenant, &[("/a", Level::Low), ("/b", Level::Low), ("/c", Level::Low)]).await;
    let listed = world.get(&tenant.key, "/findings?sort=board").await.ok(200);
    let position = |at: usize| listed["data"][at]["board_position"].as_u64().unwrap();
    let (mut above, below) = (position(0), position(1));
    assert_eq!(below - above, 65_536, "the newest one is on top");
    for _ in 0..16 {
        let between = above.midpoint(below);
        assert!(above < between && between < below);
        let body = json!({"board_position": between});
        world.patch(&tenant.key, &format!("/findings/{}", ids[0]), body).await.ok(200);
        let page = world.get(&tenant.key, "/findings?sort=board").await.ok(200);
        assert_eq!(page["data"][1]["id"], ids[0].as_str());
        above = between;
    }
}

#[tokio::test(start_paused = true)]
async fn columns_follow_the_triage_status() {
    let world = World::new();
    let tenant = world.tenant("columns").await;
    let ids = seed(&world, &tenant, &[("/a", Level::Low), ("/b", Level::Low), ("/c", Level::Low)]).await;
    let status =
        |id: usize, status: &str| (format!("/findings/{}", ids[id]), json!({"triage_status": status}));
    for (path, body) in [status(2, "in_progress"), status(1, "triaged")] {
        world.patch(&tenant.key, &path, body).await.ok(200);
    }
    let page = world.get(&tenant.key, "/findings?sort=board").await.ok(200);
    let order: Vec<_> =
        page["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(order, [&ids[0], &ids[1], &ids[2]]);
}
