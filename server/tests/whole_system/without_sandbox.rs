//! A system on which the sandbox cannot start: a filter of system calls around the process refuses Landlock, as the kernel does
//! where it lacks it, or a container runtime. PDFs are refused there, since they are read in the sandbox only; texts are not.

use std::process::{Output, Stdio};

use nix::libc;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use serde_json::{Value, json};

use crate::guard::forms::Form;
use crate::guard::{assert_error, data_uri, pdf};
use crate::http::{Request, Response};
use crate::server::Server;

const TEXT: &str = "Write to ana.pereira@mail.example.";

/// Runs a function whose child processes have no Landlock. A filter cannot be removed, so that it is on a thread of its own.
pub(crate) fn without_landlock<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    let filter = || -> BpfProgram {
        let rules = [(libc::SYS_landlock_create_ruleset, Vec::new())].into();
        let refused = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
        let architecture = std::env::consts::ARCH.try_into().unwrap();
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, architecture).unwrap();
        filter.try_into().unwrap()
    };
    let restricted = || {
        seccompiler::apply_filter(&filter()).unwrap();
        run()
    };
    std::thread::scope(|scope| scope.spawn(restricted).join().unwrap())
}

fn post(server: &Server, path: &str, body: &Value) -> Response {
    Request::new("POST", path)
        .header("authorization", &format!("Bearer {}", server.key()))
        .header("content-type", "application/json")
        .body(body.to_string().into_bytes())
        .send(server.address())
}

#[track_caller]
fn assert_busy(response: &Response) {
    assert_error(response, 503, "Service busy");
    let seconds: u32 = response.header("retry-after").unwrap().parse().unwrap();
    assert!(seconds > 0, "a client that asks again at once finds the same");
}

#[test]
fn a_pdf_is_refused_where_the_sandbox_cannot_start_and_a_text_is_not() {
    let mut server = Server::unstarted();
    without_landlock(|| server.run());
    let file = pdf::page(TEXT);
    for path in ["/api/guard", "/api/redact"] {
        assert_busy(&post(&server, path, &json!({"file": data_uri(&file)})));
        assert_busy(&post(&server, path, &json!({"text": TEXT, "file": data_uri(&file)})));
        assert_busy(&Form::new().part("file", Some("a.pdf"), &file).send(&server, path));
        // Nothing reads the file to find that out.
        let (_, broken) = pdf::unreadable().into_iter().next().unwrap();
        assert_busy(&post(&server, path, &json!({"file": data_uri(&broken)})));
        let text = post(&server, path, &json!({"text": TEXT}));
        assert_eq!(text.status, 200, "{path}: {}", text.text());
    }
    assert_busy(&post(&server, "/api/redact", &json!({"file": data_uri(&file), "format": "pdf"})));
    let written = post(&server, "/api/redact", &json!({"text": TEXT, "format": "pdf"}));
    assert!(written.status == 200 && written.body.starts_with(b"%PDF-"), "writing needs no sandbox");

    // The same server, started again without the filter.
    server.kill();
    server.run();
    for path in ["/api/guard", "/api/redact"] {
        let read = post(&server, path, &json!({"file": data_uri(&file)}));
        assert_eq!(read.status, 200, "{path}: {}", read.text());
    }
}

#[test]
fn doctor_and_the_commands_name_the_feature_that_the_sandbox_lacks() {
    let mut server = Server::unstarted();
    server.run();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.pdf");
    std::fs::write(&file, pdf::page(TEXT)).unwrap();
    let file = file.to_str().unwrap();
    let run = |arguments: &[&str]| -> Output {
        server.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap()
    };
    let lacking = "the kernel feature Landlock is not available (ENOSYS: Function not implemented)";

    let looked = without_landlock(|| run(&["doctor"]));
    let lines = String::from_utf8(looked.stdout).unwrap();
    let line = lines.lines().find(|line| line.contains("sandbox")).unwrap();
    assert_eq!(
        line,
        format!(
            "FAIL  sandbox         the sandbox cannot be started: {lacking}; PDF input is answered with 503"
        )
    );
    assert!(!looked.status.success(), "{lines}");
    assert_eq!(lines.matches("FAIL").count(), 1, "{lines}");
    assert!(run(&["doctor"]).status.success(), "nothing else is wrong");

    for command in ["guard", "redact"] {
        let output = without_landlock(|| run(&[command, file]));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{command}: {told}");
        assert!(told.contains(lacking), "{command}: {told}");
        assert!(run(&[command, file]).status.success(), "{command}");
    }
}
