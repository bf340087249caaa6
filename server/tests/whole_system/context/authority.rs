//! A certificate authority of a test, by openssl.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An authority with its files in a directory.
pub(super) struct Authority {
    directory: PathBuf,
}

fn openssl(directory: &Path, arguments: &str) {
    let output =
        Command::new("openssl").args(arguments.split_whitespace()).current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

impl Authority {
    pub(super) fn new(directory: &Path) -> Self {
        let settings = "[ca]\ndefault_ca = own\n[own]\ndatabase = index\nserial = serial\nnew_certs_dir = .\n\
            default_md = sha256\npolicy = any\ncopy_extensions = copy\nunique_subject = no\n[any]\ncommonName = supplied\n\
            [req]\ndistinguished_name = name\n[name]\n[root]\nbasicConstraints = critical,CA:true\n\
            keyUsage = critical,keyCertSign,cRLSign\nsubjectKeyIdentifier = hash\n";
        fs::write(directory.join("authority.conf"), settings).unwrap();
        fs::write(directory.join("index"), "").unwrap();
        fs::write(directory.join("serial"), "1000\n").unwrap();
        openssl(directory, "ecparam -genkey -name prime256v1 -noout -out authority.key");
        openssl(
            directory,
            "req -x509 -new -config authority.conf -extensions root -key authority.key -subj /CN=Test -days 30 -out authority.pem",
        );
        Self { directory: directory.to_owned() }
    }

    /// The certificate of the authority.
    pub(super) fn file(&self) -> PathBuf {
        self.directory.join("authority.pem")
    }

    /// Issues a certificate for names: `{file}.pem` and `{file}.key`. Dates are in the form YYMMDDHHMMSSZ.
    pub(super) fn issue(&self, file: &str, names: &[&str], (from, until): (&str, &str)) {
        let names: Vec<String> = names.iter().map(|name| format!("DNS:{name}")).collect();
        let run = |arguments: String| openssl(&self.directory, &arguments);
        run(format!("ecparam -genkey -name prime256v1 -noout -out {file}.key"));
        run(format!(
            "req -new -config authority.conf -key {file}.key -subj /CN={file} -addext subjectAltName={} -out {file}.csr",
            names.join(",")
        ));
        run(format!(
            "ca -batch -config authority.conf -cert authority.pem -keyfile authority.key -startdate {from} -enddate {until} -notext -in {file}.csr -out {file}.pem"
        ));
    }
}
