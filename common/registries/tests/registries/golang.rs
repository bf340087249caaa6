//! Go: a module proxy that the go command reads too; both compute the same sum.

use std::io::Write;
use std::process::Command;

use registries::{Checksum, RegistryError, WithdrawalKind};
use versions::Ecosystem;
use zip::write::SimpleFileOptions;

use crate::site::{File, Site, access, run};

const MODULE: &str = "example.com/Acme/widgets";
const FILE: &str = "// Deprecated: use example.com/new.\nmodule example.com/Acme/widgets\n\ngo 1.20\n\nretract v1.0.0 // Broken.\n";

fn archive(version: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [("go.mod", FILE), ("widgets.go", "package widgets\n"), ("LICENSE", "")] {
        archive.start_file(format!("{MODULE}@{version}/{name}"), SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn fill(site: &Site) {
    let path = "/example.com/!acme/widgets/@v";
    site.put(&format!("{path}/list"), File::of("v1.2.0\nv1.0.0\nv1.10.0-rc.1\n"));
    let info = r#"{"Version":"v1.2.0","Time":"2026-05-01T10:00:00Z","Origin":{"VCS":"git","URL":"https://github.com/acme/widgets","Hash":"abc"}}"#;
    site.put("/example.com/!acme/widgets/@latest", File::of(info));
    site.put(&format!("{path}/v1.2.0.info"), File::of(info));
    site.put(&format!("{path}/v1.2.0.mod"), File::of(FILE));
    site.put(&format!("{path}/v1.2.0.zip"), File::of(archive("v1.2.0")));
}

#[tokio::test]
async fn a_module_is_described_with_its_retractions() {
    let site = Site::start().await;
    fill(&site);
    let client = site.client();
    let package = client.registries.package(&access(), Ecosystem::Go, MODULE).await.unwrap();
    let versions: Vec<_> = package.releases.iter().map(|release| release.version.as_str()).collect();
    assert_eq!(versions, ["v1.0.0", "v1.2.0", "v1.10.0-rc.1"]);
    assert_eq!(package.latest.as_deref(), Some("v1.2.0"));
    assert_eq!(package.withdrawn.as_ref().unwrap().reason.as_deref(), Some("use example.com/new."));
    let retracted = package.release("v1.0.0").unwrap().withdrawn.as_ref().unwrap();
    assert_eq!((retracted.kind, retracted.reason.as_deref()), (WithdrawalKind::Retracted, Some("Broken.")));
    let latest = package.latest_release().unwrap();
    assert_eq!((latest.commit.as_deref(), latest.install_script), (Some("abc"), Some(false)));
    let one = client.registries.module_version(&access(), MODULE, "v1.2.0").await.unwrap();
    assert_eq!(one.published_at.unwrap().to_iso(), "2026-05-01T10:00:00.000Z");
    let missing = client.registries.module_version(&access(), MODULE, "v9.0.0").await;
    assert!(matches!(missing, Err(RegistryError::NoVersion { .. })));
    let file = client.registries.module_file(&access(), MODULE, "v1.2.0").await.unwrap();
    assert_eq!(file, FILE);
    let bad = client.registries.module_file(&access(), "../..", "v1.2.0").await;
    assert!(matches!(bad, Err(RegistryError::Name(_))));
}

#[tokio::test]
async fn the_sum_of_an_archive_is_that_of_the_go_command() {
    let site = Site::start().await;
    fill(&site);
    let url = site.url.clone();
    let report = tokio::task::spawn_blocking(move || {
        let cache = tempfile::tempdir().unwrap();
        let mut command = Command::new("go");
        command.args(["mod", "download", "-json", &format!("{MODULE}@v1.2.0")]).current_dir(cache.path());
        command.envs([
            ("GOPROXY", url.as_str()),
            ("GONOSUMDB", "*"),
            ("GOSUMDB", "off"),
            ("GOTOOLCHAIN", "local"),
        ]);
        command
            .envs([("GOFLAGS", "-modcacherw"), ("GOINSECURE", "*")])
            .env("GOMODCACHE", cache.path().join("mod"));
        run(&mut command)
    });
    let Some(report) = report.await.unwrap() else { return };
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let sum = Checksum::from_go_sum(report["Sum"].as_str().unwrap()).unwrap();
    let client = site.client();
    let package = client.registries.package(&access(), Ecosystem::Go, MODULE).await.unwrap();
    let artifact = &package.latest_release().unwrap().artifacts[0];
    let target = (Ecosystem::Go, MODULE);
    let found = client.registries.archive(&access(), target, artifact, Some(&sum)).await.unwrap();
    assert_eq!(found.verified, Some(sum.clone()));
    site.put("/example.com/!acme/widgets/@v/v1.2.0.zip", File::of(archive("v1.2.1")));
    let changed = client.registries.archive(&access(), target, artifact, Some(&sum)).await;
    assert!(matches!(changed, Err(RegistryError::Checksum { .. })));
    site.put("/example.com/!acme/widgets/@v/v1.2.0.zip", File::of("no archive"));
    let broken = client.registries.archive(&access(), target, artifact, Some(&sum)).await.unwrap_err();
    assert!(broken.to_string().ends_with("found no module archive"), "{broken}");
}
