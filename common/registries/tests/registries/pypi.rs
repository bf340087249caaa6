//! PyPI: the simple index with archives that setuptools made.

use std::process::Command;

use registries::{Algorithm, ArtifactKind, Detail, Evidence, WithdrawalKind};
use serde_json::json;
use versions::Ecosystem;

use crate::site::{File, Site, access, run};

const SETUP: &str =
    "from setuptools import setup; setup(name='acme-widgets', version='1.2.0', py_modules=['widgets'])";
/// Writes a wheel without a build tool, and prints the digests of the source distribution and of the wheel.
const WHEEL: &str = r#"
import glob, hashlib, zipfile
name = "dist/acme_widgets-1.1.0-py3-none-any.whl"
info = "acme_widgets-1.1.0.dist-info/"
with zipfile.ZipFile(name, "w") as wheel:
    wheel.writestr("widgets.py", "VALUE = 1\n")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: acme-widgets\nVersion: 1.1.0\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(info + "RECORD", "widgets.py,,\n")
for path in glob.glob("dist/*.tar.gz") + [name]:
    print(hashlib.sha256(open(path, "rb").read()).hexdigest())
"#;

/// An archive and its SHA-256 by Python.
type Built = (Vec<u8>, String);

/// A source distribution made by setuptools, and a wheel.
fn built() -> Option<(Built, Built)> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("setup.py"), SETUP).unwrap();
    std::fs::write(folder.path().join("widgets.py"), "VALUE = 1\n").unwrap();
    run(Command::new("python3").args(["setup.py", "-q", "sdist"]).current_dir(folder.path()))?;
    let digests = run(Command::new("python3").args(["-c", WHEEL]).current_dir(folder.path()))?;
    let mut digests = digests.lines().map(str::to_owned);
    let mut archive = |ending: &str| {
        let files = std::fs::read_dir(folder.path().join("dist")).unwrap().map(|file| file.unwrap().path());
        let mut files = files.filter(|path| path.to_str().unwrap().ends_with(ending));
        (std::fs::read(files.next().unwrap()).unwrap(), digests.next().unwrap())
    };
    Some((archive(".tar.gz"), archive(".whl")))
}

#[tokio::test]
async fn a_project_is_described_and_its_archive_verified_and_downloaded_by_pip() {
    let Some(((archive, digest), (wheel, wheel_digest))) = built() else { return };
    let site = Site::start().await;
    let file = |name: &str, more: serde_json::Value| {
        let digest = if name.ends_with(".whl") { &wheel_digest } else { &digest };
        let mut file =
            json!({"filename": name, "url": format!("../../files/{name}"), "hashes": {"sha256": digest}});
        file.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        file
    };
    let simple = json!({
        "meta": {"api-version": "1.4"}, "name": "acme-widgets", "project-status": {"status": "active"}, "versions": ["1.1.0", "1.2.0"],
        "files": [
            file("acme_widgets-1.2.0.tar.gz", json!({"upload-time": "2026-05-01T10:00:00.5Z", "size": archive.len(), "requires-python": ">=3.8"})),
            file("acme_widgets-1.1.0-py3-none-any.whl", json!({"yanked": "leaks keys", "upload-time": "2025-01-01T00:00:00Z",
                 "provenance": "https://pypi.example/integrity"})),
            file("acme-widgets-1.0.win32.exe", json!({"yanked": false})),
        ],
    });
    let index = File {
        headers: "content-type: application/vnd.pypi.simple.v1+json\r\n".to_owned(),
        ..File::of(simple.to_string())
    };
    site.put("/simple/acme-widgets/", index);
    site.put("/files/acme_widgets-1.2.0.tar.gz", File::of(archive.clone()));
    site.put("/files/acme_widgets-1.1.0-py3-none-any.whl", File::of(wheel));
    let project = json!({"info": {"summary": "Widgets.", "home_page": "", "project_urls": {"Source": "https://github.com/acme/widgets"}},
        "ownership": {"roles": [{"role": "Owner", "user": "ada"}]}});
    site.put("/pypi/acme-widgets/json", File::of(project.to_string()));
    let client = site.client();
    let package = client.registries.package(&access(), Ecosystem::Pypi, "Acme_Widgets").await.unwrap();

    assert_eq!(package.latest.as_deref(), Some("1.2.0"));
    assert_eq!(package.maintainers, ["ada"]);
    assert_eq!(package.repository.as_deref(), Some("https://github.com/acme/widgets"));
    assert!(package.gaps.iter().any(|gap| gap.detail == Detail::Artifacts), "{:?}", package.gaps);
    let old = package.release("1.1").unwrap();
    assert_eq!(old.withdrawn.as_ref().unwrap().kind, WithdrawalKind::Yanked);
    assert_eq!(old.withdrawn.as_ref().unwrap().reason.as_deref(), Some("leaks keys"));
    assert_eq!((old.evidence, old.install_script), (Some(Evidence::TrustedPublisher), Some(false)));
    let latest = package.latest_release().unwrap();
    assert_eq!((latest.evidence, latest.install_script), (Some(Evidence::None), Some(true)));
    let artifact = &latest.artifacts[0];
    assert_eq!((artifact.kind, artifact.size), (ArtifactKind::Sdist, Some(archive.len() as u64)));
    let found = client
        .registries
        .archive(&access(), (Ecosystem::Pypi, "acme-widgets"), artifact, None)
        .await
        .unwrap();
    assert_eq!(found.bytes, archive);
    assert_eq!(found.verified.unwrap().algorithm, Algorithm::Sha256);
    pip_accepts(&site.url).await;
}

/// The real client downloads from the same layout.
async fn pip_accepts(url: &str) {
    let index = format!("{url}/simple/");
    let downloaded = tokio::task::spawn_blocking(move || {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["-m", "pip", "download", "--quiet", "--no-deps", "--isolated"];
        let mut command = Command::new("python3");
        command
            .args(arguments)
            .args(["--index-url", &index, "acme-widgets==1.1.0"])
            .current_dir(folder.path());
        run(&mut command)?;
        Some(folder.path().join("acme_widgets-1.1.0-py3-none-any.whl").is_file())
    });
    assert_ne!(downloaded.await.unwrap(), Some(false));
}

#[tokio::test]
async fn a_quarantined_project_is_withdrawn_and_missing_documents_are_gaps() {
    let site = Site::start().await;
    let simple = json!({"meta": {"api-version": "1.4"}, "name": "acme", "files": [], "project-status": {"status": "quarantined"}});
    site.put("/simple/acme/", File::of(simple.to_string()));
    let package = site.client().registries.package(&access(), Ecosystem::Pypi, "acme").await.unwrap();
    assert_eq!(package.withdrawn.unwrap().kind, WithdrawalKind::Quarantined);
    assert_eq!(package.latest, None);
    assert!(package.gaps.iter().any(|gap| gap.detail == Detail::Maintainers));
}
