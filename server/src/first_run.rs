//! The first start, or the preparation of a deployment: an organization, a key and a source, written to a file
//! before they become valid. The key is shown once, and only on a terminal: other output is stored, by a journal or
//! by the log of a container.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use directory::Directory;
use directory::bootstrap::{self, Activation, FirstRun};
use serde::Serialize;
use thiserror::Error;

use crate::Failure;
use crate::serve::Served;
use crate::settings::{BackEnds, Role, Settings};

/// Contents of `first-run.json`.
#[derive(Serialize)]
struct Document<'a> {
    base_url: &'a str,
    app_url: &'a str,
    logs_url: &'a str,
    api_key: &'a str,
    organization_id: String,
    source_id: String,
}

/// Reason why there is no first key.
#[derive(Debug, Error)]
enum FirstRunError {
    #[error("the first key cannot be written to {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(
        "{} exists, but the ledger has no organization: the file contains the first key of another \
        deployment and is not overwritten. Move it elsewhere",
        path.display()
    )]
    Present { path: PathBuf },
}

/// Results of a first start, for the person at the terminal.
pub(crate) struct First {
    first_run: FirstRun,
    logs_url: String,
    path: PathBuf,
}

/// Creates the first organization, key and source if there is none, and writes them to a file before they
/// become valid; `None` if there is one, or another process was faster. An existing file is never overwritten.
///
/// # Errors
/// When they can be neither written nor created.
pub(crate) async fn create(
    settings: &Settings,
    directory: &Directory,
    base_url: &str,
) -> Result<Option<First>, Failure> {
    let path = settings.first_run_file();
    let failed = |source| FirstRunError::Write { path: path.clone(), source };
    let Some(first_run) = bootstrap::prepare(directory).await? else {
        take_up(&path, directory).await?;
        return Ok(None);
    };
    if path.try_exists().map_err(failed)? {
        return Err(FirstRunError::Present { path }.into());
    }
    let logs_url = logs_url(base_url, &first_run.source().to_string());
    let beside = unfinished(&path);
    write(&beside, &document(&first_run, base_url, &logs_url)).map_err(failed)?;
    if bootstrap::activate(directory, &first_run).await? == Activation::LostToAnother {
        std::fs::remove_file(&beside).map_err(failed)?;
        return Ok(None);
    }
    publish(&beside, &path).map_err(failed)?;
    Ok(Some(First { first_run, logs_url, path }))
}

/// Completes an interrupted first start: publishes its document if the key became valid, else removes it.
async fn take_up(path: &Path, directory: &Directory) -> Result<(), Failure> {
    let failed = |source| FirstRunError::Write { path: path.to_owned(), source };
    let beside = unfinished(path);
    let left = match std::fs::read(&beside) {
        Ok(left) => left,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error).into()),
    };
    let document: serde_json::Value = serde_json::from_slice(&left).unwrap_or_default();
    let organization = document.get("organization_id").and_then(|id| id.as_str()?.parse().ok());
    let is_valid = match organization {
        Some(organization) => directory.get_organization(organization).await?.is_some(),
        None => false,
    };
    if is_valid && !path.try_exists().map_err(failed)? {
        return Ok(publish(&beside, path).map_err(failed)?);
    }
    Ok(std::fs::remove_file(&beside).map_err(failed)?)
}

/// The document before its key is valid.
fn unfinished(path: &Path) -> PathBuf {
    path.with_extension("new")
}

/// Prints the next steps with a server that serves from now on.
pub(crate) fn say_serving(settings: &Settings, first: Option<&First>, base_url: &str, served: &Served) {
    let logs_url = first.map_or_else(|| logs_url(base_url, "SOURCE_ID"), |first| first.logs_url.clone());
    let addresses = addresses(settings, base_url, &logs_url, served);
    match first {
        Some(first) => say(&first_start(first, settings, base_url, &addresses, &FirstKey::of(first))),
        None => say(&later_start(&addresses, &settings.first_run_file())),
    }
}

/// ... and with a deployment that was just prepared.
pub(crate) fn say_prepared(settings: &Settings, first: Option<&First>, base_url: &str) {
    match first {
        Some(first) => say(&prepared(first, settings, base_url, &FirstKey::of(first))),
        None => say("The deployment was prepared before; this process belongs to it. Nothing was changed.\n"),
    }
}

fn document(first_run: &FirstRun, base_url: &str, logs_url: &str) -> Vec<u8> {
    let document = Document {
        base_url,
        app_url: base_url.strip_suffix("/api/v1").unwrap_or(base_url),
        logs_url,
        api_key: first_run.key().expose(),
        organization_id: first_run.organization().to_string(),
        source_id: first_run.source().to_string(),
    };
    // Texts only: writing them as JSON cannot fail.
    serde_json::to_vec_pretty(&document).unwrap_or_default()
}

/// Readable by its owner only, and durable: a key does not become valid before it is written.
fn write(path: &Path, document: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(document)?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    sync_parent(path)
}

/// Gives the document its name; a link, unlike a rename, fails if the name is taken.
fn publish(beside: &Path, path: &Path) -> io::Result<()> {
    std::fs::hard_link(beside, path)?;
    std::fs::remove_file(beside)?;
    sync_parent(path)
}

fn sync_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |parent| std::fs::File::open(parent)?.sync_all())
}

/// Forms in which the first key is printed.
struct FirstKey {
    /// A sentence that there is one.
    note: String,
    /// The key, or its location.
    shown: String,
    /// A shell line before those that use the key.
    setup: String,
    /// The key in a shell line.
    bearer: String,
}

impl FirstKey {
    fn of(first: &First) -> Self {
        Self::on(io::stdout().is_terminal(), first.first_run.key().expose(), &first.path)
    }

    fn on(terminal: bool, key: &str, path: &Path) -> Self {
        let path = path.display();
        if terminal {
            let note = format!(
                "shown only once\n(it is also in {path}; delete that file once the key is in a safe place)"
            );
            return Self { note, shown: key.to_owned(), setup: String::new(), bearer: key.to_owned() };
        }
        Self {
            note: "not shown here\nbecause this is not a terminal".to_owned(),
            shown: format!("in {path}; delete that file once the key is in a safe place"),
            setup: format!("\n  key=$(sed -n 's/.*\"api_key\": \"\\(.*\\)\".*/\\1/p' '{path}')\n"),
            bearer: "$key".to_owned(),
        }
    }
}

/// The addresses that this process serves, one on each line: other roles are served elsewhere.
fn addresses(settings: &Settings, base_url: &str, logs_url: &str, served: &Served) -> String {
    let scheme = if settings.listen.tls.is_some() { "https" } else { "http" };
    let mut rows = Vec::new();
    if settings.has(Role::Api) {
        rows.push(("API", base_url.to_owned()));
    }
    if settings.has(Role::Ingest) {
        rows.push(("Logs", logs_url.to_owned()));
    }
    rows.push(("Health", format!("{scheme}://{}/readyz", served.listener)));
    rows.extend(served.admin.map(|admin| ("Metrics", format!("http://{admin}/metrics"))));
    rows.into_iter().fold(String::new(), |text, (name, url)| format!("{text}  {name:<8} {url}\n"))
}

fn logs_url(base_url: &str, source: &str) -> String {
    format!("{base_url}/infrastructure/sources/{source}/v1/logs")
}

fn first_start(
    first: &First,
    settings: &Settings,
    base_url: &str,
    addresses: &str,
    key: &FirstKey,
) -> String {
    let FirstKey { note, shown, .. } = key;
    let to_paste = to_paste(settings, key, base_url, &first.logs_url);
    format!(
        "\nPalisade is running. This is the first start, so a first API key was created, {note}:\n\n\
         \x20 API key  {shown}\n{addresses}{to_paste}"
    )
}

/// Shell lines that make an incident and show it, as far as the roles of the process allow.
fn to_paste(settings: &Settings, key: &FirstKey, base_url: &str, logs_url: &str) -> String {
    let FirstKey { setup, bearer, .. } = key;
    let mut text = String::new();
    if settings.has(Role::Ingest) {
        text += &format!(
            r#"
Run this command to send six failed logins from one address, as a log drain does:
{setup}
  for n in 1 2 3 4 5 6; do echo '{{"message":"Failed password for root from 203.0.113.9 port 4022'$n' ssh2","program":"sshd","host":"web-1"}}'; done | curl -sS -H "Authorization: Bearer {bearer}" -H 'Content-Type: application/x-ndjson' --data-binary @- {logs_url}
"#
        );
    }
    if settings.has(Role::Ingest) && settings.has(Role::Api) {
        text += &format!(
            r#"
Then list the incidents:

  curl -sS -H "Authorization: Bearer {bearer}" {base_url}/incidents
"#
        );
    }
    text
}

fn prepared(first: &First, settings: &Settings, base_url: &str, key: &FirstKey) -> String {
    let (FirstKey { note, shown, .. }, logs_url) = (key, &first.logs_url);
    let start = match settings.back_ends() {
        BackEnds::Embedded => one_process(settings, key, base_url, logs_url),
        BackEnds::Distributed { .. } => MANY_PROCESSES.to_owned(),
    };
    format!(
        "The deployment is prepared. A first API key was created, {note}:\n\n\
         \x20 API key  {shown}\n  API      {base_url}\n  Logs     {logs_url}\n\n{start}"
    )
}

/// Command that starts a deployment in one data directory: it has one server.
fn one_process(settings: &Settings, key: &FirstKey, base_url: &str, logs_url: &str) -> String {
    let (directory, to_paste) = (settings.data_dir.display(), to_paste(settings, key, base_url, logs_url));
    format!(
        "Start the server, with the other settings of this command:\n\n  palisade serve --data-dir '{directory}'\n\
         {to_paste}"
    )
}

const MANY_PROCESSES: &str = "\
Start any number of processes with these settings, the same pepper and the same key-encryption keys. Processes on one
machine need different ports:

  palisade serve --role ingest   --listen 127.0.0.1:8080 --admin-listen 127.0.0.1:9464
  palisade serve --role api      --listen 127.0.0.1:8081 --admin-listen 127.0.0.1:9465
  palisade serve --role analyzer --listen 127.0.0.1:8082 --admin-listen 127.0.0.1:9466
  palisade serve --role worker   --listen 127.0.0.1:8083 --admin-listen 127.0.0.1:9467

Without a proxy that routes by path, the API is at the address of the role api.
";

fn later_start(addresses: &str, path: &Path) -> String {
    let hint = match path.try_exists() {
        Ok(true) => format!("  First key {}\n", path.display()),
        _ => String::new(),
    };
    format!("\nPalisade is running.\n\n{addresses}{hint}")
}

/// Standard output is for people here; log lines go to standard error.
fn say(text: &str) {
    let mut terminal = io::stdout().lock();
    // A closed standard output is no reason not to serve.
    let _ = terminal.write_all(text.as_bytes()).and_then(|()| terminal.flush());
}
