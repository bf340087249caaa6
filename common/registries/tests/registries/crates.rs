//! crates.io: a sparse index with an archive that cargo made.

use std::process::Command;

use registries::{Algorithm, Detail, Evidence, Publisher, WithdrawalKind};
use serde_json::json;
use versions::Ecosystem;

use crate::site::{File, Site, access, run};

/// A crate made by cargo, and its SHA-256 by `sha256sum`.
fn packaged() -> Option<(Vec<u8>, String)> {
    let folder = tempfile::tempdir().unwrap();
    let manifest = "[package]\nname = \"acme-widgets\"\nversion = \"1.2.0\"\nedition = \"2021\"\nlicense = \"MIT\"\ndescription = \"-\"\n[workspace]\n";
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    std::fs::write(folder.path().join("src/lib.rs"), "").unwrap();
    let mut cargo = Command::new("cargo");
    cargo
        .args(["package", "--quiet", "--no-verify", "--offline", "--allow-dirty"])
        .current_dir(folder.path());
    run(cargo.env("CARGO_TARGET_DIR", folder.path().join("target")))?;
    let path = folder.path().join("target/package/acme-widgets-1.2.0.crate");
    let digest = run(Command::new("sha256sum").arg(&path))?;
    Some((std::fs::read(path).unwrap(), digest.split(' ').next().unwrap().to_owned()))
}

#[tokio::test]
async fn a_crate_is_described_and_its_archive_verified() {
    let Some((archive, digest)) = packaged() else { return };
    let site = Site::start().await;
    let line = |version: &str, more: serde_json::Value| {
        let mut line =
            json!({"name": "acme-widgets", "vers": version, "deps": [], "cksum": digest, "features": {}});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.to_string()
    };
    let lines = [
        line("1.1.0", json!({"yanked": true})),
        line("1.2.0", json!({"yanked": false, "rust_version": "1.70"})),
    ];
    site.put("/ac/me/acme-widgets", File::of(lines.join("\n")));
    site.put("/config.json", File::of(json!({"dl": format!("{}/crates", site.url)}).to_string()));
    site.put("/crates/acme-widgets/1.2.0/download", File::of(archive.clone()));
    let client = site.client();
    let package = client.registries.package(&access(), Ecosystem::Cargo, "acme-widgets").await.unwrap();
    assert!(package.gaps.iter().any(|gap| gap.detail == Detail::PublicationTimes));

    let described = json!({
        "crate": {"description": "Widgets.", "homepage": null, "repository": "https://github.com/acme/widgets"},
        "versions": [
            {"num": "1.2.0", "created_at": "2026-05-01T10:00:00.123456+00:00", "crate_size": archive.len(),
             "trustpub_data": {"provider": "github", "repository": "acme/widgets"}},
            {"num": "1.1.0", "published_by": {"login": "ada"}, "yank_message": "unsound"},
        ],
    });
    site.put("/api/v1/crates/acme-widgets", File::of(described.to_string()));
    site.put(
        "/api/v1/crates/acme-widgets/owners",
        File::of(json!({"users": [{"login": "ada"}]}).to_string()),
    );
    let package = client.registries.package(&access(), Ecosystem::Cargo, "acme-widgets").await.unwrap();
    assert!(package.gaps.is_empty(), "{:?}", package.gaps);
    assert_eq!(package.latest.as_deref(), Some("1.2.0"));
    let latest = package.latest_release().unwrap();
    assert_eq!(latest.evidence, Some(Evidence::TrustedPublisher));
    assert_eq!(latest.publisher, Some(Publisher::Workflow("acme/widgets".to_owned())));
    let yanked = package.release("1.1.0").unwrap().withdrawn.as_ref().unwrap();
    assert_eq!((yanked.kind, yanked.reason.as_deref()), (WithdrawalKind::Yanked, Some("unsound")));
    let target = (Ecosystem::Cargo, "acme-widgets");
    let found = client.registries.archive(&access(), target, &latest.artifacts[0], None).await.unwrap();
    assert_eq!(found.bytes, archive);
    assert_eq!(found.verified.unwrap().algorithm, Algorithm::Sha256);
}
