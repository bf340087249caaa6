//! Log shippers: syslog-ng, rsyslog and curl.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;

use crate::installed;
use crate::machine::{Daemon, bounded, free_port, or_skip, printed, program, run, write_program};
use crate::page::adapted;
use crate::receiver::Receiver;
use crate::server::wait_for;

/// A line as a daemon on another host sends it.
const LINE: &str = "<38>Nov 23 09:13:40 web-1 shop[812]: login failed for root from 203.0.113.9\n";

/// Sends the line to a daemon that was started to receive it.
fn send_line(port: u16) {
    let mut stream = wait_for("the daemon listens", || TcpStream::connect(("127.0.0.1", port)).ok());
    stream.write_all(LINE.as_bytes()).unwrap();
}

/// Lines of syslog have no year: the test knows day and time only.
fn is_at_the_time_of_the_line(evidence: &serde_json::Value) {
    let time = evidence["event_time"].as_str().unwrap();
    assert!(time.ends_with("-11-23T09:13:40.000Z"), "{evidence}");
}

#[test]
fn syslog_ng_delivers_by_http() {
    let Some(senders) = installed::find("syslog-ng") else { return };
    let root = senders.join("debian/root");
    let receiver = Receiver::start();
    let directory = tempfile::tempdir().unwrap();
    let (at, port) = (directory.path(), free_port());
    let block = adapted("syslog-ng", 0, &receiver).replace("/var/lib/syslog-ng", &at.display().to_string());
    let configuration = format!(
        "@version: 3.38\nsource s_src {{ network(ip(\"127.0.0.1\") port({port}) transport(\"tcp\") keep-hostname(yes)); }};\n{block}"
    );
    std::fs::write(at.join("syslog-ng.conf"), configuration).unwrap();
    let file = |option: &str, name: &str| format!("{option}={}", at.join(name).display());
    let arguments = [
        format!("LD_LIBRARY_PATH={}", root.join("usr/lib/syslog-ng").display()),
        root.join("usr/sbin/syslog-ng").display().to_string(),
        "--foreground".to_owned(),
        "--no-caps".to_owned(),
        "--stderr".to_owned(),
        format!("--module-path={}", root.join("usr/lib/syslog-ng/3.38").display()),
        file("--cfgfile", "syslog-ng.conf"),
        file("--persist-file", "persist"),
        file("--control", "control"),
        file("--pidfile", "pid"),
    ];
    let _daemon = Daemon::start(Path::new("env"), arguments, &at.join("log"));
    send_line(port);
    is_at_the_time_of_the_line(&receiver.arrived_from_the_shop());
}

#[test]
fn rsyslog_delivers_by_its_program() {
    let Some(senders) = installed::find("rsyslog") else { return };
    let root = senders.join("debian/root");
    let receiver = Receiver::start();
    let directory = tempfile::tempdir().unwrap();
    let (at, port) = (directory.path(), free_port());
    let program = at.join("palisade-send");
    write_program(&program, &adapted("rsyslog", 0, &receiver));
    let block = adapted("rsyslog", 1, &receiver);
    assert!(block.contains("\"/usr/local/bin/palisade-send\""));
    let block = block.replace("/usr/local/bin/palisade-send", &program.display().to_string());
    let configuration = format!(
        "global(workDirectory=\"{}\")\nmodule(load=\"imptcp\")\n\
         input(type=\"imptcp\" address=\"127.0.0.1\" port=\"{port}\")\n{block}",
        at.display()
    );
    std::fs::write(at.join("rsyslog.conf"), configuration).unwrap();
    let modules = root.join("usr/lib/x86_64-linux-gnu/rsyslog").display().to_string();
    let (configuration, pid) = (at.join("rsyslog.conf"), at.join("pid"));
    let (configuration, pid) = (configuration.display().to_string(), pid.display().to_string());
    let arguments = ["-n", "-M", &modules, "-f", &configuration, "-i", &pid];
    let _daemon = Daemon::start(&root.join("usr/sbin/rsyslogd"), arguments, &at.join("log"));
    send_line(port);
    is_at_the_time_of_the_line(&receiver.arrived_from_the_shop());
}

#[test]
fn curl_delivers_a_file() {
    if or_skip("curl", program("curl")).is_none() {
        return;
    }
    let receiver = Receiver::start();
    let directory = tempfile::tempdir().unwrap();
    let block = adapted("curl", 0, &receiver);
    let said = run(bounded("bash").args(["-ec", &block]).current_dir(directory.path()));
    assert!(said.contains("{}"), "{said}");
    let evidence = receiver.arrived_from_the_shop();
    assert_eq!(evidence["fields"]["client.address"], "203.0.113.9", "{evidence}");
}

#[test]
fn a_refused_batch_is_seen_by_curl() {
    if or_skip("curl", program("curl")).is_none() {
        return;
    }
    let receiver = Receiver::start();
    let directory = tempfile::tempdir().unwrap();
    let block = adapted("curl", 0, &receiver).replace("\"host\": \"web-1\",", "\"host\" \"web-1\",");
    let output = bounded("bash").args(["-ec", &block]).current_dir(directory.path()).output().unwrap();
    assert!(!output.status.success() && printed(&output).contains("record 0"), "{}", printed(&output));
    assert!(!receiver.has_received());
}
