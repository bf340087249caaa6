//! Rules for clients: their content, entity tag and signature.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::Ed25519KeyPair;
use serde_json::{Value, json};

use super::client::{BLOCKING, Client, RULES, monitored};
use crate::agents::path;
use crate::harness::World;

const OWN: &str = "title: Deployment by an agent
id: 3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a001
logsource:
  product: ai_agent
  category: process_creation
detection:
  selection:
    CommandLine|contains: deploy.sh
  condition: selection
level: high
response: block
reason: Open a merge request.
";
const OF_LOGS: &str = "title: Rule for logs
id: 3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a002
logsource:
  product: linux
detection:
  selection:
    message: x
  condition: selection
";

fn ids(rules: &Value) -> Vec<String> {
    let documents = rules["documents"].as_array().unwrap();
    documents.iter().map(|document| document["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_client_gets_the_built_in_rules_signed_with_the_key_from_pairing() {
    let world = World::new();
    let tenant = world.tenant("rules").await;
    let (agent, client) = monitored(&world, &tenant).await;
    let reply = client.rules(&world, None).await;
    let rules = reply.ok(200);
    assert!(reply.body.len() < 1024 * 1024);
    assert_eq!((&rules["mode"], &rules["evidence"]), (&json!("monitor"), &json!("redacted")));
    assert!(ids(&rules).len() >= 20 && ids(&rules).contains(&BLOCKING.to_owned()));
    assert!(client.verifies(&rules));
    for (part, value) in [("mode", json!("enforce")), ("evidence", json!("none"))] {
        let mut changed = rules.clone();
        changed[part] = value;
        assert!(!client.verifies(&changed), "{part}");
    }
    for part in ["id", "version", "yaml"] {
        let mut changed = rules.clone();
        let text = changed["documents"][0][part].as_str().unwrap().replace('a', "b");
        changed["documents"][0][part] = json!(format!("{text} "));
        assert!(!client.verifies(&changed), "{part}");
    }
    let mut fewer = rules.clone();
    fewer["documents"].as_array_mut().unwrap().pop();
    assert!(!client.verifies(&fewer));
    let yaml = rules["documents"][0]["yaml"].as_str().unwrap();
    assert!(yaml.contains("product: ai_agent") && yaml.contains("response: ") && yaml.contains("reason: "));
    // Another organization signs with another key.
    let other = world.tenant("other").await;
    let (_, stranger) = monitored(&world, &other).await;
    assert!(!stranger.verifies(&rules) && stranger.verifies(&stranger.rules(&world, None).await.ok(200)));
    assert_eq!(world.patch(&tenant.key, &path(&agent), json!({"mode": "enforce"})).await.status, 200);
    let enforced = client.rules(&world, None).await.ok(200);
    assert!(enforced["mode"] == "enforce" && client.verifies(&enforced));
    assert_ne!(enforced["version"], rules["version"]);
}

#[tokio::test]
async fn an_entity_tag_changes_with_the_rules_and_is_the_same_in_every_process() {
    let world = World::new();
    let tenant = world.tenant("tags").await;
    let (_, client) = monitored(&world, &tenant).await;
    let first = client.rules(&world, None).await;
    let tag = first.header("etag").to_owned();
    assert_eq!(tag, format!("\"{}\"", first.json()["version"].as_str().unwrap()));
    let neighbour = world.neighbour();
    let elsewhere = client.rules(&neighbour, None).await;
    assert_eq!((elsewhere.header("etag"), &elsewhere.body), (tag.as_str(), &first.body));
    for current in [tag.clone(), format!("\"x\", W/{tag}"), "*".to_owned()] {
        let unchanged = client.rules(&world, Some(&current)).await;
        assert_eq!((unchanged.status.as_u16(), unchanged.body.len()), (304, 0), "{current}");
        assert_eq!(unchanged.header("etag"), tag);
    }
    assert_eq!(client.rules(&world, Some("\"x\"")).await.status, 200);
    let own = world.post(&tenant.key, "/detection-rules", json!({"yaml": OWN})).await.ok(201);
    world.post(&tenant.key, "/detection-rules", json!({"yaml": OF_LOGS})).await.ok(201);
    for world in [&world, &neighbour] {
        let reply = client.rules(world, Some(&tag)).await;
        let rules = reply.ok(200);
        assert!(ids(&rules).contains(&"3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a001".to_owned()));
        assert_eq!(ids(&rules).len(), ids(&first.json()).len() + 1, "rules for logs are not among them");
        assert!(client.verifies(&rules) && ids(&rules).is_sorted());
    }
    let path = format!("/detection-rules/{}", own["id"].as_str().unwrap());
    let disabled = world.send(crate::harness::request(
        http::Method::PUT,
        &path,
        Some(&tenant.key),
        Some(json!({"yaml": OWN, "enabled": false})),
    ));
    assert_eq!(disabled.await.status, 200);
    let without = client.rules(&neighbour, None).await;
    assert_eq!((without.header("etag"), ids(&without.json())), (tag.as_str(), ids(&first.json())));
}

#[tokio::test]
async fn the_private_key_is_in_no_row_and_two_clients_verify_with_one_key() {
    let world = World::new();
    let tenant = world.tenant("key").await;
    let (agent, first) = monitored(&world, &tenant).await;
    let codes = format!("{}/pairing-codes", path(&agent));
    let code = world.post(&tenant.key, &codes, json!({})).await.ok(201);
    let second = Client::pair(&world, &code["code"], 2).await;
    let rules = first.rules(&world, None).await.ok(200);
    assert!(first.verifies(&rules) && second.verifies(&rules));
    // The header of an Ed25519 key in PKCS #8 (RFC 8410), in the forms in which a row could hold it.
    let header: [u8; 8] = [0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04];
    let forms = [header.to_vec(), b"300506032b657004".to_vec(), b"BQYDK2Vw".to_vec()];
    let shows = |body: &[u8]| forms.iter().any(|form| body.windows(form.len()).any(|window| window == form));
    let rows = world.ledger.memory.dump();
    assert!(rows.iter().all(|(_, _, row)| !shows(&row.body)));
    assert!(rows.iter().any(|(_, _, row)| row.key.starts_with(b"agent-signing-key/")), "the key is stored");
    let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    assert!(shows(document.as_ref()) && shows(STANDARD.encode(document.as_ref()).as_bytes()));
    let posted = world.post(&first.token, RULES, json!({})).await;
    posted.refused(405, "method_not_allowed");
}
