//! Failures of a registry, each with its error; the cache; redirects.

use std::time::Duration;

use outbound::Budget;
use registries::{Access, Artifact, ArtifactKind, Checksum, Package, Registry, RegistryError};
use serde_json::json;
use versions::Ecosystem;

use crate::site::{Client, File, Site, access};

fn packument(site: &Site) -> String {
    let dist =
        json!({"tarball": format!("{}/widgets.tgz", site.url), "integrity": "sha512-xx", "shasum": "00"});
    json!({"name": "widgets", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"dist": dist}}})
        .to_string()
}

async fn package(client: &Client) -> Result<Package, RegistryError> {
    client.registries.package(&access(), Ecosystem::Npm, "widgets").await
}

fn artifact(site: &Site, checksum: Option<Checksum>) -> Artifact {
    Artifact {
        url: format!("{}/widgets.tgz", site.url),
        file_name: "widgets.tgz".to_owned(),
        kind: ArtifactKind::NpmTarball,
        size: None,
        checksums: checksum.into_iter().collect(),
        provenance: None,
    }
}

async fn archive(client: &Client, artifact: &Artifact) -> Result<registries::Archive, RegistryError> {
    client.registries.archive(&access(), (Ecosystem::Npm, "widgets"), artifact, None).await
}

#[tokio::test]
async fn a_missing_package_is_not_found_and_a_bad_name_is_refused() {
    let site = Site::start().await;
    let client = site.client();
    let error = package(&client).await.unwrap_err();
    assert!(matches!(error, RegistryError::NotFound { .. }), "{error}");
    let error = client.registries.package(&access(), Ecosystem::Npm, "../etc/passwd").await.unwrap_err();
    assert!(matches!(error, RegistryError::Name(_)), "{error}");
    assert_eq!(site.asked(), ["/widgets 404"]);
    let error =
        client.registries.package(&access(), Ecosystem::GitHubAction, "actions/cache").await.unwrap_err();
    assert!(matches!(error, RegistryError::NoRegistry { .. }), "{error}");
}

#[tokio::test]
async fn errors_of_the_server_may_pass_and_other_statuses_not() {
    let site = Site::start().await;
    let client = site.client();
    site.put("/widgets", File { headers: "retry-after: 30\r\n".to_owned(), ..File::status(503) });
    let error = package(&client).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert!(
        matches!(error, RegistryError::Unavailable { retry_after: Some(wait), .. } if wait == Duration::from_secs(30))
    );
    site.put("/widgets", File::status(429));
    assert!(package(&client).await.unwrap_err().is_retryable());
    site.put("/widgets", File::status(401));
    let error = package(&client).await.unwrap_err();
    assert!(matches!(error, RegistryError::Status { found: 401, .. }) && !error.is_retryable(), "{error}");
}

#[tokio::test]
async fn truncated_and_long_documents_are_told_apart() {
    let site = Site::start().await;
    site.put("/widgets", File::truncated(packument(&site)));
    let error = package(&site.client()).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    site.put("/widgets", File::of(packument(&site)));
    let error = package(&site.client_with(|config| config.metadata_bytes = 20)).await.unwrap_err();
    assert!(matches!(error, RegistryError::TooLarge { most: 20, .. }), "{error}");
}

#[tokio::test]
async fn a_registry_that_does_not_answer_is_given_up_after_the_time_of_the_document() {
    let site = Site::start().await;
    site.put("/widgets", File::held());
    site.put("/widgets.tgz", File::held());
    let client = site.client_with(|config| {
        (config.metadata_timeout_ms, config.archive_timeout_ms) = (50, 60);
    });
    let error = package(&client).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    let error = archive(&client, &artifact(&site, None)).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert_eq!(site.asked(), ["/widgets 200", "/widgets.tgz 200"], "each is asked for once");
}

#[tokio::test]
async fn a_malformed_document_names_the_field() {
    let site = Site::start().await;
    for (body, field) in [
        ("<html>", "document"),
        (r#"{"name": "widgets", "versions": {"1.0.0": {"dist": {}}}}"#, "versions.1.0.0.dist"),
        (r#"{"name": 1}"#, "name"),
        (r#"{"name": "widgets", "dist-tags": {"latest": 1}}"#, "dist-tags.latest"),
    ] {
        site.put("/widgets", File::of(body));
        let error = package(&site.client()).await.unwrap_err();
        assert!(matches!(&error, RegistryError::Malformed { field: found, .. } if found == field), "{error}");
    }
}

#[tokio::test]
async fn an_archive_with_another_checksum_or_length_is_refused() {
    let site = Site::start().await;
    let client = site.client();
    let right = Checksum::of(registries::Algorithm::Sha256, b"right");
    site.put("/widgets.tgz", File::of("wrong"));
    let error = archive(&client, &artifact(&site, right.clone())).await.unwrap_err();
    assert!(matches!(error, RegistryError::Checksum { .. }), "{error}");
    site.put("/widgets.tgz", File::of("right"));
    assert!(archive(&client, &artifact(&site, right.clone())).await.unwrap().verified.is_some());
    assert!(archive(&client, &artifact(&site, None)).await.unwrap().verified.is_none());
    site.put("/widgets.tgz", File::truncated("right"));
    assert!(archive(&client, &artifact(&site, right.clone())).await.unwrap_err().is_retryable());
    let small = site.client_with(|config| config.archive_bytes = 3);
    site.put("/widgets.tgz", File::of("right"));
    let error = archive(&small, &artifact(&site, right)).await.unwrap_err();
    assert!(matches!(error, RegistryError::TooLarge { most: 3, .. }), "{error}");
    let announced = Artifact { size: Some(1_000), ..artifact(&site, None) };
    let asked = site.asked().len();
    assert!(matches!(archive(&small, &announced).await, Err(RegistryError::TooLarge { found: 1_000, .. })));
    assert_eq!(site.asked().len(), asked, "an announced length is refused without a request");
}

#[tokio::test]
async fn redirects_stay_within_the_hosts_of_the_registry_and_public_addresses() {
    let site = Site::start().await;
    site.put("/moved", File::of(packument(&site)));
    site.put("/widgets", File::redirect(&format!("{}/moved", site.url)));
    assert!(package(&site.client()).await.is_ok());
    for to in [
        "https://elsewhere.example/x",
        "http://10.0.0.1/x",
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
    ] {
        site.put("/widgets", File::redirect(to));
        let error = package(&site.client()).await.unwrap_err();
        assert!(matches!(error, RegistryError::Refused { .. }), "{to}: {error}");
        // Hosts that the settings permit are still judged by their addresses.
        let hosts = ["elsewhere.example", "10.0.0.1", "169.254.169.254"].map(str::to_owned).to_vec();
        let client =
            site.client_with(|config| config.npm = Registry { archive_hosts: hosts, ..config.npm.clone() });
        let error = package(&client).await.unwrap_err();
        assert!(matches!(error, RegistryError::Refused { .. }), "{to}: {error}");
    }
    site.put("/widgets", File::redirect(&format!("{}/widgets", site.url)));
    let error = package(&site.client()).await.unwrap_err();
    assert!(matches!(error, RegistryError::Refused { .. }), "a loop: {error}");
}

#[tokio::test]
async fn a_tagged_document_is_asked_for_again_after_its_time_and_read_again_when_it_changed() {
    let site = Site::start().await;
    let client = site.client();
    site.put("/widgets", File::tagged(packument(&site), "\"1\""));
    package(&client).await.unwrap();
    package(&client).await.unwrap();
    assert_eq!(site.asked(), ["/widgets 200"]);
    client.advance(301);
    assert_eq!(package(&client).await.unwrap().latest.as_deref(), Some("1.0.0"));
    package(&client).await.unwrap();
    assert_eq!(site.asked(), ["/widgets 200", "/widgets 304"]);
    client.advance(301);
    site.put("/widgets", File::tagged(packument(&site).replace("1.0.0", "2.0.0"), "\"2\""));
    assert_eq!(package(&client).await.unwrap().latest.as_deref(), Some("2.0.0"));
    assert_eq!(site.asked().len(), 3);
}

#[tokio::test]
async fn a_budget_bounds_the_requests_of_several_calls() {
    let site = Site::start().await;
    site.put("/widgets", File::of(packument(&site)));
    let access = Access { budget: Some(Budget::new(1, 1_000_000)), ..access() };
    let client = site.client();
    assert!(client.registries.package(&access, Ecosystem::Npm, "widgets").await.is_ok());
    let error = client.registries.package(&access, Ecosystem::Npm, "widgets").await.unwrap_err();
    assert!(matches!(error, RegistryError::Refused { .. }), "{error}");
}
