//! The table: its creation, and refused cases.

use super::*;

#[tokio::test]
async fn a_schema_that_is_missing_or_foreign_is_refused_in_words() {
    let Some(config) = config("schema") else { return };
    let refused = connect(&config).await.unwrap_err();
    assert!(matches!(&refused, ConnectError::SchemaMissing { .. }), "{refused}");
    for part in ["palisade init", "CREATE KEYSPACE", "CREATE TABLE"] {
        assert!(refused.to_string().contains(part), "{refused}");
    }

    let ledger = created(&config).await;
    assert_eq!(create_schema(&config).await.unwrap(), Schema::Present, "a second time it is there");
    let run = async |text: String| ledger.store.session.query_unpaged(text, ()).await.unwrap();
    run(format!("DROP TABLE {}.ledger", config.keyspace)).await;
    run(format!("CREATE TABLE {}.ledger (ledger int PRIMARY KEY, body text)", config.keyspace)).await;
    for refused in [connect(&config).await.unwrap_err(), create_schema(&config).await.unwrap_err()] {
        let refused = refused.to_string();
        for part in
            ["expected ledger to be partition_key blob, found partition_key int", "seq", "it is missing"]
        {
            assert!(refused.contains(part), "{refused}");
        }
    }
    let elsewhere = Config { datacenter: Some("elsewhere".to_owned()), ..config.clone() };
    let refused = connect(&elsewhere).await.unwrap_err();
    assert!(
        matches!(&refused, ConnectError::Datacenter { .. } | ConnectError::Unreachable { .. }),
        "{refused}"
    );
    drop_keyspace(&ledger, &config).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_may_create_the_schema_at_the_same_moment() {
    let Some(config) = config("init") else { return };
    let mut processes = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let config = config.clone();
        processes.spawn(async move {
            create_schema(&config).await.unwrap();
            // As every process does that has just prepared the deployment.
            connect(&config).await.unwrap();
        });
    }
    processes.join_all().await;
    let ledger = connect(&config).await.unwrap();
    let done = ledger.commit(LedgerId::Platform, Seq(0), vec![put("a", "1")]).await.unwrap();
    assert_eq!(done, Commit::Done(Seq(1)));
    assert_eq!(create_schema(&config).await.unwrap(), Schema::Present);
    assert_eq!(ledger.seq(LedgerId::Platform).await.unwrap(), Seq(1), "what was written is still there");
    drop_keyspace(&ledger, &config).await;
}

#[tokio::test]
async fn what_the_server_will_never_create_is_refused_in_its_words() {
    let Some(config) = config("tablets") else { return };
    let refused = create_schema(&Config { tablets: Some(false), ..config }).await;
    // ScyllaDB supports tablets, Cassandra does not.
    let Err(refused) = refused else { return };
    assert!(refused.to_string().contains("refused to create the keyspace"), "{refused}");
    assert!(refused.to_string().contains("tablets"), "{refused}");
}
