//! RubyGems: the API, and the compact index where a registry has no API.

use registries::{Checksum, Detail};
use serde_json::json;
use versions::Ecosystem;

use crate::site::{File, Site, access};

#[tokio::test]
async fn a_gem_is_described_by_the_api_and_its_archive_verified() {
    let site = Site::start().await;
    let archive = b"the bytes of a gem".to_vec();
    let sha = Checksum::of(registries::Algorithm::Sha256, &archive).unwrap().to_string();
    let listed = json!([
        {"number": "1.2.0", "platform": "ruby", "created_at": "2026-05-01T10:00:00.000Z", "sha": sha, "ruby_version": ">= 3.0",
         "metadata": {"source_code_uri": "https://github.com/acme/widgets"}},
        {"number": "1.2.0", "platform": "x86_64-linux", "created_at": "2026-05-01T11:00:00.000Z", "sha": sha, "metadata": {}},
        {"number": "1.10.0.rc1", "platform": "ruby", "created_at": null},
    ]);
    site.put("/api/v1/versions/widgets.json", File::of(listed.to_string()));
    let gem = json!({"name": "widgets", "info": "Widgets.", "homepage_uri": "", "source_code_uri": "https://github.com/acme/widgets"});
    site.put("/api/v1/gems/widgets.json", File::of(gem.to_string()));
    site.put(
        "/api/v1/gems/widgets/owners.json",
        File::of(json!([{"handle": "ada"}, {"handle": null}]).to_string()),
    );
    site.put("/gems/widgets-1.2.0.gem", File::of(archive.clone()));
    let client = site.client();
    let package = client.registries.package(&access(), Ecosystem::RubyGems, "widgets").await.unwrap();
    assert_eq!(package.latest.as_deref(), Some("1.2.0"));
    assert_eq!(package.maintainers, ["ada"]);
    let latest = package.latest_release().unwrap();
    assert_eq!(latest.published_at.unwrap().to_iso(), "2026-05-01T10:00:00.000Z");
    assert_eq!(latest.artifacts[1].file_name, "widgets-1.2.0-x86_64-linux.gem");
    let target = (Ecosystem::RubyGems, "widgets");
    let found = client.registries.archive(&access(), target, &latest.artifacts[0], None).await.unwrap();
    assert_eq!(found.bytes, archive);
}

#[tokio::test]
async fn a_gem_is_described_by_the_compact_index() {
    let site = Site::start().await;
    let sha = "a".repeat(64);
    let index = format!(
        "---\n1.1.0 rack:>= 2|checksum:{sha},ruby:>= 2.7,rubygems:>= 3\n-1.1.5 |checksum:{sha}\n1.2.0-java |checksum:{sha}\n"
    );
    site.put("/info/widgets", File::of(index));
    let package = site.client().registries.package(&access(), Ecosystem::RubyGems, "widgets").await.unwrap();
    let versions: Vec<_> = package.releases.iter().map(|release| release.version.as_str()).collect();
    assert_eq!(versions, ["1.1.0", "1.2.0"]);
    assert_eq!(package.release("1.1").unwrap().requires_runtime.as_deref(), Some(">= 2.7"));
    assert_eq!(package.releases[1].artifacts[0].file_name, "widgets-1.2.0-java.gem");
    assert!(package.gaps.iter().any(|gap| gap.detail == Detail::PublicationTimes));
}
