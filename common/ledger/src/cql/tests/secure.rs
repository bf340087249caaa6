//! TLS and passwords, on the server that `PALISADE_TEST_CQL_SECURE` names, with the certificates and keys in
//! the directory `PALISADE_TEST_CQL_SECURE_FILES`: `authority.pem`, `client.pem` and `client.key`, and the same
//! of a `stranger`. The server requires a client's certificate, and its first user still exists.

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

/// A user of our own, so that the password is not the user's name.
struct Account {
    config: Config,
    admin: CqlLedger,
    files: PathBuf,
    passwords: TempDir,
    password: String,
}

impl Account {
    async fn open(test: &str) -> Option<Self> {
        let node = server("PALISADE_TEST_CQL_SECURE")?;
        let files = PathBuf::from(server("PALISADE_TEST_CQL_SECURE_FILES")?);
        let passwords = TempDir::new().unwrap();
        let mut config = config_at(node, test);
        config.tls = Some(Tls {
            authorities: Some(files.join("authority.pem")),
            certificate: Some(files.join("client.pem")),
            key: Some(files.join("client.key")),
        });
        config.user = Some("cassandra".to_owned());
        config.password_file = Some(password_file(&passwords, "first", "cassandra"));
        create_schema(&config).await.unwrap();
        let admin = connect(&config).await.unwrap();
        let (user, password) = (config.keyspace.clone(), format!("secret-{}", Uuid::new_v4()));
        let create =
            format!("CREATE ROLE {user} WITH PASSWORD = '{password}' AND LOGIN = true AND SUPERUSER = true");
        admin.store.session.query_unpaged(create, ()).await.unwrap();
        config.user = Some(user);
        config.password_file = Some(password_file(&passwords, "own", &password));
        Some(Self { config, admin, files, passwords, password })
    }

    async fn close(self) {
        let drop = format!("DROP ROLE {}", self.config.keyspace);
        self.admin.store.session.query_unpaged(drop, ()).await.unwrap();
        drop_keyspace(&self.admin, &self.config).await;
    }
}

/// With a line break at its end, as an editor leaves it.
fn password_file(directory: &TempDir, name: &str, password: &str) -> PathBuf {
    let path = directory.path().join(name);
    std::fs::write(&path, format!("{password}\n")).unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms_with_tls_and_a_password() {
    let Some(account) = Account::open("secure").await else { return };
    let ledger = Arc::new(connect(&account.config).await.unwrap());
    assert!(!format!("{ledger:?}").contains(&account.password), "a ledger does not tell the password");
    conformance::run(ledger).await;
    account.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_not_the_right_secrets_is_refused_in_words() {
    let Some(account) = Account::open("refused").await else { return };
    let file = |name: &str| Some(account.files.join(name));
    let good = &account.config;
    let tls = good.tls.clone().unwrap();
    let wrong = "not-the-password-either";
    let cases = [
        (
            "another password",
            "password",
            Config { password_file: Some(password_file(&account.passwords, "wrong", wrong)), ..good.clone() },
        ),
        ("no user", "cql.user is not set", Config { user: None, password_file: None, ..good.clone() }),
        (
            "another authority",
            "comes from one of the authorities",
            Config { tls: Some(Tls { authorities: file("stranger.pem"), ..tls.clone() }), ..good.clone() },
        ),
        (
            "no certificate of ours",
            "may ask for a certificate of ours",
            Config { tls: Some(Tls { certificate: None, key: None, ..tls.clone() }), ..good.clone() },
        ),
        (
            "a stranger's certificate",
            "or not accept it",
            Config {
                tls: Some(Tls {
                    certificate: file("stranger-client.pem"),
                    key: file("stranger-client.key"),
                    ..tls.clone()
                }),
                ..good.clone()
            },
        ),
        ("no TLS", "cql.tls is not set", Config { tls: None, ..good.clone() }),
    ];
    for (case, expected, config) in cases {
        let began = Instant::now();
        let refused = connect(&config).await.map(|_| ()).expect_err(case);
        say(&format!("{case}, after {:?}: {refused}", began.elapsed()));
        assert!(matches!(&refused, ConnectError::Unreachable { .. }), "{case}: {refused}");
        assert!(refused.to_string().contains(expected), "{case}: {refused}");
        assert!(began.elapsed() <= config.connect_timeout() + Duration::from_secs(1), "{case}");
        for secret in [wrong, &account.password] {
            assert!(!format!("{refused} {refused:?}").contains(secret), "{case}");
        }
    }
    account.close().await;
}
