//! npm: archives made by `npm pack`, and packuments of every form.

use std::process::Command;

use registries::{Algorithm, Detail, Evidence, Publisher, WithdrawalKind};
use serde_json::{Value, json};
use versions::Ecosystem;

use crate::site::{File, Site, access, run};

const ABBREVIATED: &str = "application/vnd.npm.install-v1+json";

/// Packs a package with the real client: its report and its archive.
fn packed() -> Option<(Value, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let manifest =
        json!({"name": "@acme/widgets", "version": "1.2.0", "scripts": {"postinstall": "node setup.js"}});
    std::fs::write(folder.path().join("package.json"), manifest.to_string()).unwrap();
    std::fs::write(folder.path().join("setup.js"), "console.log('installed')\n").unwrap();
    let report = run(Command::new("npm").args(["pack", "--json", "--offline"]).current_dir(folder.path()))?;
    let mut report: Value = serde_json::from_str(&report).unwrap();
    // Lists of reports, or an object by name, depending on the version of npm.
    let report = match &mut report {
        Value::Array(reports) => reports.remove(0),
        Value::Object(reports) => reports.values_mut().next().unwrap().take(),
        _ => panic!("expected reports"),
    };
    let archive = std::fs::read(folder.path().join(report["filename"].as_str().unwrap())).unwrap();
    Some((report, archive))
}

#[tokio::test]
async fn a_packed_package_is_described_and_its_archive_verified() {
    let Some((report, archive)) = packed() else { return };
    let site = Site::start().await;
    let dist = |tarball: &str| json!({"tarball": format!("{}{tarball}", site.url), "integrity": report["integrity"], "shasum": report["shasum"]});
    let mut proven = dist("/old.tgz");
    proven["attestations"] =
        json!({"url": "https://registry.example/a", "provenance": {"predicateType": "p"}});
    let packument = json!({
        "name": "@acme/widgets",
        "dist-tags": {"latest": "1.2.0", "next": "2.0.0-rc.1"},
        "maintainers": [{"name": "ada", "email": "ada@acme.example"}],
        "repository": {"type": "git", "url": "git+https://github.com/acme/widgets.git"},
        "time": {"created": "2024-01-01T00:00:00.000Z", "1.2.0": "2026-05-01T10:00:00.000Z", "1.1.0": "2025-01-01T00:00:00Z"},
        "versions": {
            "1.2.0": {"dist": dist("/widgets.tgz"), "scripts": {"postinstall": "node setup.js"}, "_npmUser": {"name": "ada"},
                      "engines": {"node": ">=18"}, "gitHead": "abc"},
            "1.1.0": {"dist": proven, "deprecated": "use 1.2", "hasInstallScript": false,
                      "_npmUser": {"name": "GitHub Actions", "trustedPublisher": {"id": "github"}}, "engines": ["node"]},
            "1.10.0-rc.1": {"dist": dist("/rc.tgz"), "deprecated": false, "repository": "acme/widgets", "scripts": {"test": 1}},
        },
    });
    site.put("/@acme%2fwidgets", File::of(packument.to_string()));
    site.put("/widgets.tgz", File::of(archive.clone()));
    let client = site.client();
    let package = client.registries.package(&access(), Ecosystem::Npm, "@acme/widgets").await.unwrap();

    assert_eq!(package.latest.as_deref(), Some("1.2.0"));
    let versions: Vec<_> = package.releases.iter().map(|release| release.version.as_str()).collect();
    assert_eq!(versions, ["1.1.0", "1.2.0", "1.10.0-rc.1"]);
    assert_eq!(package.maintainers, ["ada"]);
    assert_eq!(package.repository.as_deref(), Some("git+https://github.com/acme/widgets.git"));
    assert!(package.gaps.is_empty(), "{:?}", package.gaps);
    let latest = package.latest_release().unwrap();
    assert_eq!(latest.install_script, Some(true));
    assert_eq!(latest.evidence, Some(Evidence::None));
    assert_eq!(latest.publisher, Some(Publisher::Account("ada".to_owned())));
    assert_eq!(latest.published_at.unwrap().to_iso(), "2026-05-01T10:00:00.000Z");
    assert_eq!(latest.requires_runtime.as_deref(), Some(">=18"));
    let old = package.release("v1.1.0").unwrap();
    assert_eq!(old.withdrawn.as_ref().unwrap().kind, WithdrawalKind::Deprecated);
    assert_eq!((old.evidence, old.install_script), (Some(Evidence::TrustedPublisher), Some(false)));

    let artifact = &latest.artifacts[0];
    let found = client
        .registries
        .archive(&access(), (Ecosystem::Npm, "@acme/widgets"), artifact, None)
        .await
        .unwrap();
    assert_eq!(found.bytes, archive);
    assert_eq!(found.verified.unwrap().algorithm, Algorithm::Sha512);
}

#[tokio::test]
async fn a_long_document_is_replaced_by_the_abbreviated_one() {
    let site = Site::start().await;
    let short = json!({"name": "big", "dist-tags": {"latest": "1.0.0"},
        "versions": {"1.0.0": {"dist": {"tarball": "https://r.example/big.tgz"}, "hasInstallScript": true}}});
    site.put("/big", File::of(format!("{{\"readme\": \"{}\"}}", "x".repeat(10_000))));
    site.put(&format!("/big {ABBREVIATED}"), File::of(short.to_string()));
    let client = site.client_with(|config| config.metadata_bytes = 2_000);
    let package = client.registries.package(&access(), Ecosystem::Npm, "big").await.unwrap();
    assert_eq!(package.latest_release().unwrap().install_script, Some(true));
    assert!(package.gaps.iter().any(|gap| gap.detail == Detail::PublicationTimes));
    assert_eq!(package.latest_release().unwrap().evidence, None);
}
