//! Rules in force after changes of the directory, of time, and of the shared rules.

use common::clock::{Clock, ManualClock};
use common::ids::KeyId;
use common::incident::Actor;
use common::pepper::Pepper;
use directory::{Described, NewDetectionRule, NewSuppression};
use ledger::memory::MemoryLedger;
use sigma::{Placeholders, RuleSet};

use super::*;
use crate::residence::LoadError;
use normalize::aliases::CanonicalFields;

const BUILT_IN: &str = "title: Built in
id: 0d3a7c9e-0000-4000-8000-000000000001
name: built_in
logsource: {product: linux}
detection: {selection: {message: x}, condition: selection}
level: high
";
const OWN: &str = "title: Own
id: 0d3a7c9e-0000-4000-8000-000000000002
logsource: {product: linux}
detection: {selection: {message: y}, condition: selection}
level: high
";
const FILTER: &str = "title: Ours
id: 0d3a7c9e-0000-4000-8000-000000000003
logsource: {product: linux}
filter: {rules: [built_in], selection: {message: z}, condition: selection}
";

struct World {
    directory: Arc<Directory>,
    clock: Arc<ManualClock>,
    organization: OrganizationId,
}

impl World {
    async fn new() -> Self {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_000_000)));
        let shared: SharedClock = Arc::clone(&clock) as SharedClock;
        let ledger = Arc::new(MemoryLedger::new());
        let directory = Arc::new(Directory::new(ledger, shared, Pepper::new([7; 32])));
        let organization = directory.create_organization("one").await.unwrap().id;
        Self { directory, clock, organization }
    }

    async fn follower(&self) -> Follower {
        let clock = Arc::clone(&self.clock) as SharedClock;
        Follower::begin(shared_rules(BUILT_IN), Arc::clone(&self.directory), clock).await.unwrap()
    }

    async fn version(&self) -> u64 {
        self.directory.own_detection(self.organization).await.unwrap().version
    }

    async fn add_rule(&self, enabled: bool) {
        self.add(self.organization, OWN, enabled).await;
    }

    async fn add(&self, organization: OrganizationId, yaml: &str, enabled: bool) {
        let (yaml, described) = (yaml.to_owned(), described(yaml));
        let new = NewDetectionRule { id: None, yaml, enabled, described, ends_suspension: false };
        let (version, _) = self.directory.own_detection_size(organization).await.unwrap();
        self.directory.create_detection_rule(organization, version, new, actor()).await.unwrap();
    }

    async fn suppress_until(&self, expires_at: Option<Timestamp>) {
        let new = NewSuppression {
            id: None,
            yaml: FILTER.to_owned(),
            described: described(FILTER),
            reason: "it is ours".to_owned(),
            expires_at,
        };
        let version = self.version().await;
        self.directory.create_suppression(self.organization, version, new, actor()).await.unwrap();
    }

    /// Rules and filters that the organization has.
    fn in_force(&self, follower: &Follower) -> (usize, usize) {
        let catalogue = Arc::clone(&follower.in_force().borrow());
        let plan = catalogue.plan(self.organization);
        plan.rules_and_filters()
    }
}

fn actor() -> Actor {
    Actor { key_id: KeyId::from_bytes([1; 16]), key_name: "ops".to_owned() }
}

fn described(yaml: &str) -> Described {
    let id = yaml.lines().find_map(|line| line.strip_prefix("id: ")).unwrap_or("none");
    Described { title: "A title".to_owned(), sigma_ids: vec![id.to_owned()] }
}

fn shared_rules(yaml: &str) -> SharedRules {
    let documents: Vec<_> = sigma::parse("built_in.yml", yaml).into_iter().map(Result::unwrap).collect();
    let (rules, refused) = RuleSet::compile(documents, &CanonicalFields);
    assert!(refused.is_empty(), "{refused:?}");
    SharedRules {
        documents: Arc::new(Documents::new(Arc::new(rules), Placeholders::default())),
        milder_environments: BTreeSet::new(),
    }
}

#[tokio::test]
async fn what_is_added_is_in_force_after_a_look_and_at_the_next_start() {
    let world = World::new().await;
    let mut follower = world.follower().await;
    assert_eq!(world.in_force(&follower), (1, 0));
    let before = follower.in_force().borrow().version().to_owned();
    follower.look().await.unwrap();
    assert_eq!(follower.in_force().borrow().version(), before, "nothing was added");
    world.add_rule(true).await;
    follower.look().await.unwrap();
    assert_eq!(world.in_force(&follower), (2, 0));
    assert_eq!(world.in_force(&world.follower().await), (2, 0));
    let rule = world.directory.detection_rules(None).list(world.organization).await.unwrap().remove(0);
    let version = world.version().await;
    world.directory.detection_rules(Some(version)).delete(world.organization, rule.id).await.unwrap();
    follower.look().await.unwrap();
    assert_eq!(follower.in_force().borrow().version(), before, "the shared rules are enough again");
}

#[tokio::test]
async fn a_disabled_rule_costs_nothing() {
    let world = World::new().await;
    world.add_rule(false).await;
    let follower = world.follower().await;
    assert_eq!(follower.in_force().borrow().organizations(), 0);
}

#[tokio::test]
async fn a_suppression_ends_when_it_expires() {
    let world = World::new().await;
    let end = world.clock.now().plus(Duration::from_secs(3_600));
    world.suppress_until(Some(end)).await;
    let mut follower = world.follower().await;
    assert_eq!(world.in_force(&follower), (1, 1));
    world.clock.advance(Duration::from_secs(3_599));
    follower.look().await.unwrap();
    assert_eq!(world.in_force(&follower), (1, 1));
    world.clock.advance(Duration::from_secs(1));
    follower.look().await.unwrap();
    assert_eq!(world.in_force(&follower), (1, 0));
    assert_eq!(follower.held[&world.organization].next_expiry, None, "and is not looked at again");
}

#[tokio::test]
async fn replaced_shared_rules_come_into_force_with_those_of_organizations() {
    let world = World::new().await;
    world.add_rule(true).await;
    let mut follower = world.follower().await;
    let second = BUILT_IN.replace("0000-4000-8000-000000000001", "0000-4000-8000-000000000009");
    let second = second.replace("built_in", "another");
    follower.replace(shared_rules(&format!("{BUILT_IN}---\n{second}")));
    assert_eq!(world.in_force(&follower), (2, 0), "half of it is never in force");
    follower.look().await.unwrap();
    assert_eq!(world.in_force(&follower), (3, 0));
}

#[tokio::test]
async fn what_cannot_be_used_any_more_is_left_out_alone() {
    let world = World::new().await;
    world.add_rule(true).await;
    world.suppress_until(None).await;
    let mut follower = world.follower().await;
    assert_eq!(world.in_force(&follower), (2, 1));
    follower.replace(shared_rules(&BUILT_IN.replace("built_in", "renamed")));
    follower.look().await.unwrap();
    assert_eq!(world.in_force(&follower), (2, 0));
}

impl World {
    fn is_loaded(&self, follower: &Follower) -> bool {
        let catalogue = Arc::clone(&follower.in_force().borrow());
        catalogue.resident(self.organization).unwrap().loaded().is_some()
    }

    /// Looks until unused rules are unloaded.
    async fn let_unload(&self, follower: &mut Follower) {
        for looks in 0..700 {
            if !self.is_loaded(follower) {
                assert!(looks >= 600, "after {looks} looks");
                return;
            }
            follower.look().await.unwrap();
        }
        panic!("they stay loaded");
    }
}

#[tokio::test]
async fn rules_that_nobody_uses_are_unloaded_and_loaded_again_when_they_are_needed() {
    let world = World::new().await;
    world.add_rule(true).await;
    let mut follower = world.follower().await;
    let catalogue = Arc::clone(&follower.in_force().borrow());
    let held = catalogue.layer(world.organization).await.unwrap();
    for _ in 0..700 {
        follower.look().await.unwrap();
    }
    assert!(world.is_loaded(&follower), "somebody has them");
    drop(held);
    follower.look().await.unwrap();
    assert!(!world.is_loaded(&follower));
    let version = catalogue.version().to_owned();
    assert_eq!(follower.in_force().borrow().version(), version, "it does not depend on what is loaded");
    assert_eq!(world.in_force(&follower), (2, 0));
    assert!(catalogue.layer(world.organization).await.unwrap().is_some());
    assert!(world.is_loaded(&follower));
    assert!(catalogue.layer(OrganizationId::from_bytes([5; 16])).await.unwrap().is_none());
}

#[tokio::test]
async fn rules_that_changed_since_they_were_unloaded_wait_for_a_later_catalogue() {
    let world = World::new().await;
    world.add_rule(true).await;
    let mut follower = world.follower().await;
    world.let_unload(&mut follower).await;
    // This changes the version in the directory, and no rule in force.
    world.add_rule(false).await;
    follower.look().await.unwrap();
    let catalogue = Arc::clone(&follower.in_force().borrow());
    assert!(catalogue.layer(world.organization).await.unwrap().is_some());
    world.let_unload(&mut follower).await;
    world.suppress_until(None).await;
    let refused = catalogue.layer(world.organization).await;
    assert!(matches!(refused, Err(LoadError::Changed(_))), "{refused:?}");
    follower.look().await.unwrap();
    let latest = Arc::clone(&follower.in_force().borrow());
    assert!(latest.layer(world.organization).await.unwrap().is_some());
    assert_eq!(world.in_force(&follower), (2, 1));
}

#[tokio::test]
async fn the_same_shared_rules_are_not_compiled_again() {
    let world = World::new().await;
    world.add_rule(true).await;
    let mut follower = world.follower().await;
    let before = Arc::clone(follower.in_force().borrow().plan(world.organization));
    let milder = BTreeSet::from(["staging".to_owned()]);
    follower.replace(SharedRules { milder_environments: milder, ..shared_rules(BUILT_IN) });
    follower.look().await.unwrap();
    let catalogue = Arc::clone(&follower.in_force().borrow());
    assert!(catalogue.is_milder("staging"));
    assert!(Arc::ptr_eq(&before, catalogue.plan(world.organization)));
}

#[tokio::test]
async fn a_stored_rule_that_is_over_a_limit_is_noted_until_it_is_replaced() {
    let world = World::new().await;
    let yaml = OWN.replace("{message: y}", "{message|re: 'a[ab]{20000}'}");
    let new = |yaml: &str| NewDetectionRule {
        id: None,
        yaml: yaml.to_owned(),
        enabled: true,
        described: described(yaml),
        ends_suspension: false,
    };
    let organization = world.organization;
    let rule = world.directory.create_detection_rule(organization, 0, new(&yaml), actor()).await.unwrap();
    let mut follower = world.follower().await;
    assert_eq!(world.in_force(&follower), (1, 0));
    let noted = world.directory.unusable_documents(organization).await.unwrap();
    let reason = &noted[&rule.id.to_string()].reason;
    assert!(reason.contains("expected at most 1000 counted repetitions, found 20000"), "{reason}");
    world.directory.replace_detection_rule(organization, 1, rule.id, new("not: [YAML")).await.unwrap();
    follower.look().await.unwrap();
    let noted = world.directory.unusable_documents(organization).await.unwrap();
    let reason = &noted[&rule.id.to_string()].reason;
    assert!(reason.contains("not readable as YAML"), "{reason}");
    world.directory.replace_detection_rule(organization, 2, rule.id, new(OWN)).await.unwrap();
    follower.look().await.unwrap();
    assert!(world.directory.unusable_documents(organization).await.unwrap().is_empty());
    assert_eq!(world.in_force(&follower), (2, 0));
}

#[tokio::test]
async fn a_small_change_is_in_force_before_large_ones_are_compiled() {
    let world = World::new().await;
    let others = [world.organization, world.directory.create_organization("two").await.unwrap().id];
    let small = world.directory.create_organization("three").await.unwrap().id;
    let mut follower = world.follower().await;
    // More than a MiB of YAML each.
    let padding = format!("{OWN}# {}\n", "x".repeat(60_000));
    for organization in others {
        for number in 0..18 {
            let yaml = padding.replace("000000000002", &format!("0000000001{number:02}"));
            world.add(organization, &yaml, true).await;
        }
    }
    world.add(small, OWN, true).await;
    let in_force = |follower: &Follower| {
        let catalogue = Arc::clone(&follower.in_force().borrow());
        [others[0], others[1], small].map(|of| catalogue.plan(of).rules_and_filters().0)
    };
    follower.look().await.unwrap();
    assert_eq!(in_force(&follower), [1, 1, 2]);
    follower.look().await.unwrap();
    assert_eq!(in_force(&follower).iter().sum::<usize>(), 19 + 1 + 2, "one at a time");
    follower.look().await.unwrap();
    assert_eq!(in_force(&follower), [19, 19, 2]);
}
