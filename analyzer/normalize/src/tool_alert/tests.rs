//! Records of ours after the formats' documentation: GuardDuty finding format, AWS Security Finding Format, Security
//! Command Center `NotificationMessage`, OCSF 1.x Detection Finding, Microsoft Graph `alert` (v2), the alert resource
//! of Defender for Endpoint, Log Analytics `SecurityAlert`, CrowdStrike Streaming API event dictionary, SentinelOne
//! threats, Falco `json_output`, Wazuh `alerts.json`, Suricata EVE, Snort 3 `alert_json`, Zeek `Notice::Info`,
//! AWS WAF log fields, Cloudflare `firewall_events`, ModSecurity `SecAuditLogFormat JSON`.

use super::*;
use crate::json;
use crate::roles::Roles;

fn reading_of(text: &str) -> Reading<'_> {
    let fields = json::entries(text).unwrap_or_else(|| panic!("no object: {text}"));
    let presence = *Roles::of(&fields).presence();
    let mut reading = Reading::default();
    read(&fields, &Vec::new(), &presence, &mut reading);
    reading
}

fn value(reading: &Reading<'_>, name: &str) -> String {
    let found = reading.fields.iter().find(|(own, _)| *own == name);
    found.and_then(|(_, value)| value.to_text()).unwrap_or_default().into_owned()
}

/// Tool, severity, subject and its name, signature.
fn told(reading: &Reading<'_>) -> [String; 5] {
    let kind = value(reading, "alert.subject");
    let field = match kind.as_str() {
        "host" => "host.name",
        "user" => "user.name",
        "address" => "client.address",
        _ => "cloud.resource",
    };
    [
        value(reading, "alert.tool"),
        value(reading, "alert.severity"),
        kind,
        value(reading, field),
        value(reading, "rule.name"),
    ]
}

fn each_tells(records: &[(&str, [&str; 5])]) {
    for (text, expected) in records {
        assert_eq!(told(&reading_of(text)), *expected, "{text}");
    }
}

#[test]
fn cloud_findings_state_severity_and_subject() {
    each_tells(&[
        (
            r#"{"schemaVersion":"2.0","accountId":"1","type":"CryptoCurrency:EC2/BitcoinTool.B!DNS","severity":8,"resource":{"resourceType":"Instance","instanceDetails":{"instanceId":"i-0abc"}},"service":{"serviceName":"guardduty","archived":false}}"#,
            ["guardduty", "high", "host", "i-0abc", "CryptoCurrency:EC2/BitcoinTool.B!DNS"],
        ),
        (
            r#"{"version":"0","source":"aws.guardduty","detail-type":"GuardDuty Finding","detail":{"type":"Policy:S3/BucketPublicAccessGranted","severity":5.3,"resource":{"s3BucketDetails":[{"name":"data"}]},"service":{"serviceName":"guardduty","archived":false}}}"#,
            ["guardduty", "medium", "resource", "data", "Policy:S3/BucketPublicAccessGranted"],
        ),
        (
            r#"{"SchemaVersion":"2018-10-08","Id":"f","ProductArn":"arn:aws:securityhub:eu-west-1::product/aws/securityhub","GeneratorId":"security-control/S3.1","Title":"Bucket is public","Severity":{"Label":"CRITICAL"},"Resources":[{"Type":"AwsS3Bucket","Id":"arn:aws:s3:::data"}],"Compliance":{"Status":"FAILED"},"RecordState":"ACTIVE"}"#,
            ["security_hub", "critical", "resource", "arn:aws:s3:::data", "Bucket is public"],
        ),
        (
            r#"{"detail-type":"Security Hub Findings - Imported","detail":{"findings":[{"ProductArn":"p","GeneratorId":"g","Title":"Key of user is old","Severity":{"Label":"LOW"},"Resources":[{"Id":"arn","Details":{"AwsIamUser":{"UserName":"deploy"}}}]}]}}"#,
            ["security_hub", "low", "user", "deploy", "Key of user is old"],
        ),
        (
            r#"{"notificationConfigName":"n","finding":{"name":"organizations/1/sources/2/findings/3","resourceName":"//iam.googleapis.com/x","category":"Persistence: IAM Anomalous Grant","severity":"HIGH","state":"ACTIVE","access":{"principalEmail":"anna@example.org"}}}"#,
            [
                "security_command_center",
                "high",
                "user",
                "anna@example.org",
                "Persistence: IAM Anomalous Grant",
            ],
        ),
        (
            r#"{"insertId":"i","jsonPayload":{"finding":{"resourceName":"//compute.googleapis.com/vm","category":"Malware: Bad IP","severity":"MEDIUM"}}}"#,
            [
                "security_command_center",
                "medium",
                "resource",
                "//compute.googleapis.com/vm",
                "Malware: Bad IP",
            ],
        ),
        (
            r#"{"class_uid":2004,"severity_id":4,"severity":"High","finding_info":{"uid":"u","title":"Ransomware behaviour"},"device":{"hostname":"pc-7"}}"#,
            ["ocsf", "high", "host", "pc-7", "Ransomware behaviour"],
        ),
        (
            r#"{"AlertDisplayName":"Suspicious process","AlertType":"VM_SuspiciousProcess","Severity":"Medium","CompromisedEntity":"vm-3","Status":"New"}"#,
            ["defender_for_cloud", "medium", "resource", "vm-3", "Suspicious process"],
        ),
        (
            r#"{"AlertName":"Brute force","DisplayName":"Successful brute force","AlertSeverity":"High","CompromisedEntity":"vm-3","TimeGenerated":"2026-11-20T09:10:11Z"}"#,
            ["defender_for_cloud", "high", "resource", "vm-3", "Successful brute force"],
        ),
    ]);
}

#[test]
fn alerts_about_hosts_state_severity_and_subject() {
    each_tells(&[
        (
            r##"{"@odata.type":"#microsoft.graph.security.alert","id":"a","title":"Mimikatz","severity":"high","status":"new","serviceSource":"microsoftDefenderForEndpoint","evidence":[{"processId":1},{"deviceDnsName":"pc-7.example.org"}]}"##,
            ["microsoft_defender", "high", "host", "pc-7.example.org", "Mimikatz"],
        ),
        (
            r#"{"id":"a","severity":"Medium","status":"New","detectionSource":"WindowsDefenderAv","title":"Unwanted software","computerDnsName":"pc-7","machineId":"m"}"#,
            ["defender_for_endpoint", "medium", "host", "pc-7", "Unwanted software"],
        ),
        (
            r#"{"time":"t","category":"AdvancedHunting-AlertEvidence","properties":{"AlertId":"a","Title":"Credential theft","Severity":"High","DeviceName":"pc-7","AccountName":"anna"}}"#,
            ["microsoft_defender", "high", "host", "pc-7", "Credential theft"],
        ),
        (
            r#"{"metadata":{"eventType":"DetectionSummaryEvent","version":"1.0"},"event":{"ComputerName":"PC-7","UserName":"anna","DetectName":"Process Terminated","Severity":5,"SeverityName":"Critical"}}"#,
            ["crowdstrike", "critical", "host", "PC-7", "Process Terminated"],
        ),
        (
            r#"{"metadata":{"eventType":"IdpDetectionSummaryEvent"},"event":{"SourceAccountName":"anna","DetectName":"Unusual login","SeverityName":"Medium"}}"#,
            ["crowdstrike", "medium", "user", "anna", "Unusual login"],
        ),
        (
            r#"{"id":"1","threatInfo":{"threatId":"1","threatName":"evil.exe","confidenceLevel":"malicious","incidentStatus":"unresolved"},"agentRealtimeInfo":{"agentComputerName":"pc-7"}}"#,
            ["sentinelone", "high", "host", "pc-7", "evil.exe"],
        ),
        (
            r#"{"hostname":"node-1","output":"o","priority":"Warning","rule":"Read sensitive file","output_fields":{"proc.name":"cat"}}"#,
            ["falco", "medium", "host", "node-1", "Read sensitive file"],
        ),
        (
            r#"{"output":"o","priority":"Critical","rule":"Escape","output_fields":{"k8s.pod.name":"web-0","container.id":"c"}}"#,
            ["falco", "critical", "resource", "web-0", "Escape"],
        ),
        (
            r#"{"rule":{"level":12,"description":"Rootkit","id":"510"},"agent":{"name":"web-1"},"manager":{"name":"m"},"decoder":{"name":"rootcheck"}}"#,
            ["wazuh", "high", "host", "web-1", "Rootkit"],
        ),
        (
            r#"{"kibana.alert.rule.name":"Shell","kibana.alert.severity":"high","host":{"name":"web-1"}}"#,
            ["elastic", "high", "host", "web-1", "Shell"],
        ),
        (
            r#"{"Channel":"Microsoft-Windows-Windows Defender/Operational","EventID":1116,"Computer":"pc-7","Severity Name":"Severe","Threat Name":"Trojan:Win32/Own"}"#,
            ["windows_defender", "critical", "host", "pc-7", "Trojan:Win32/Own"],
        ),
    ]);
}

#[test]
fn network_intrusion_alerts_state_severity_and_subject() {
    each_tells(&[
        (
            r#"{"event_type":"alert","src_ip":"2001:db8::7","dest_ip":"10.0.0.5","alert":{"signature_id":1,"signature":"S","severity":1}}"#,
            ["suricata", "high", "address", "2001:db8::7", "S"],
        ),
        (
            r#"{"event_type":"alert","direction":"to_client","src_ip":"203.0.113.9","dest_ip":"10.0.0.5","alert":{"signature":"S","severity":2}}"#,
            ["suricata", "medium", "address", "10.0.0.5", "S"],
        ),
        (
            r#"{"seconds":1,"action":"allow","class":"none","msg":"S","priority":3,"sid":1,"gid":1,"src_addr":"203.0.113.9","dst_addr":"10.0.0.5"}"#,
            ["snort", "low", "address", "203.0.113.9", "S"],
        ),
        (
            r#"{"timestamp":"t","pkt_num":1,"proto":"TCP","dir":"C2S","src_ap":"203.0.113.9:4711","dst_ap":"10.0.0.5:80","rule":"1:1:1","action":"allow","msg":"S","priority":1}"#,
            ["snort", "high", "address", "203.0.113.9", "S"],
        ),
        (
            r#"{"ts":1.5,"note":"SSH::Password_Guessing","msg":"m","src":"203.0.113.9","actions":["Notice::ACTION_LOG"]}"#,
            ["zeek", "medium", "address", "203.0.113.9", "SSH::Password_Guessing"],
        ),
        (
            r#"{"ts":1.5,"id.orig_h":"10.0.0.5","note":"SSL::Invalid_Server_Cert","msg":"m","actions":["Notice::ACTION_LOG"]}"#,
            ["zeek", "low", "address", "10.0.0.5", "SSL::Invalid_Server_Cert"],
        ),
    ]);
}

#[test]
fn closed_findings_and_other_records_are_no_alerts() {
    for text in [
        r#"{"schemaVersion":"2.0","type":"x","severity":8,"service":{"serviceName":"guardduty","archived":true}}"#,
        r#"{"ProductArn":"p","GeneratorId":"g","Title":"t","Severity":{"Label":"HIGH"},"Compliance":{"Status":"PASSED"}}"#,
        r#"{"ProductArn":"p","GeneratorId":"g","Title":"t","Severity":{"Label":"HIGH"},"Workflow":{"Status":"SUPPRESSED"}}"#,
        r#"{"finding":{"resourceName":"r","category":"c","severity":"HIGH","state":"INACTIVE"}}"#,
        r#"{"threatInfo":{"threatName":"x","confidenceLevel":"malicious","incidentStatus":"resolved"}}"#,
        r#"{"event_type":"dns","src_ip":"203.0.113.9","dns":{"rrname":"example.org"}}"#,
        r#"{"Channel":"Microsoft-Windows-Windows Defender/Operational","EventID":5007,"Computer":"pc-7"}"#,
        r#"{"detail-type":"EC2 Instance State-change Notification","detail":{"type":"x","severity":8}}"#,
        r#"{"metadata":{"name":"x"},"event":{"SeverityName":"High"}}"#,
        r#"{"rule":"x","priority":"high","output":"y"}"#,
        r#"{"note":"buy milk","msg":"hello"}"#,
        r#"{"category":"Administrative","properties":{"Title":"x","Severity":"High"}}"#,
    ] {
        assert_eq!(reading_of(text), Reading::default(), "{text}");
    }
}

#[test]
fn a_firewall_s_decision_is_an_action_on_the_request() {
    for (text, expected) in [
        (
            r#"{"timestamp":1,"webaclId":"arn","terminatingRuleId":"Managed","terminatingRuleType":"MANAGED_RULE_GROUP","action":"BLOCK","ruleGroupList":[{"ruleGroupId":"g","terminatingRule":null},{"ruleGroupId":"AWSManagedRulesSQLiRuleSet","terminatingRule":{"ruleId":"SQLi_QUERYARGUMENTS","action":"BLOCK"}}],"httpRequest":{"clientIp":"203.0.113.9","uri":"/search","args":"q=1","httpMethod":"GET","requestId":"r1"}}"#,
            ["request_blocked", "203.0.113.9", "r1", "/search", "attack-sqli"],
        ),
        (
            r#"{"webaclId":"arn","terminatingRuleId":"limit","terminatingRuleType":"RATE_BASED","action":"BLOCK","httpRequest":{"clientIp":"203.0.113.9","uri":"/login","requestId":"r1"}}"#,
            ["request_rate_limited", "203.0.113.9", "r1", "/login", ""],
        ),
        (
            r#"{"webaclId":"arn","terminatingRuleId":"Default_Action","action":"ALLOW","httpRequest":{"clientIp":"203.0.113.9","uri":"/","requestId":"r1"}}"#,
            ["", "203.0.113.9", "r1", "/", ""],
        ),
        (
            r#"{"Action":"managed_challenge","ClientIP":"203.0.113.9","ClientRequestPath":"/a","Description":"XSS, HTML Injection - Script Tag","RayID":"ray","RuleID":"1","Source":"firewallManaged"}"#,
            ["request_blocked", "203.0.113.9", "ray", "/a", "attack-xss"],
        ),
        (
            r#"{"Action":"skip","ClientIP":"203.0.113.9","ClientRequestPath":"/a","RayID":"ray","RuleID":"1","Source":"firewallCustom"}"#,
            ["", "203.0.113.9", "ray", "/a", ""],
        ),
        (
            r#"{"transaction":{"transaction_id":"t","remote_address":"203.0.113.9"},"request":{"request_line":"GET /search?q=1 HTTP/1.1"},"response":{"status":403},"audit_data":{"messages":["Warning. x [id \"942100\"] [tag \"attack-generic\"] [tag \"attack-sqli\"]"],"action":{"intercepted":true,"phase":2}}}"#,
            ["request_blocked", "203.0.113.9", "t", "/search", "attack-sqli"],
        ),
        (
            r#"{"transaction":{"client_ip":"203.0.113.9","unique_id":"t","request":{"method":"GET","uri":"/x"},"response":{"http_code":200},"messages":[{"message":"Traversal","details":{"ruleId":"930100","tags":["application-multi","attack-lfi"]}}]}}"#,
            ["request_flagged", "203.0.113.9", "t", "/x", "attack-lfi"],
        ),
    ] {
        let reading = reading_of(text);
        let found = ["event.action", "client.address", "http.request.id", "url.path", "rule.category"];
        assert_eq!(found.map(|name| value(&reading, name)), expected, "{text}");
    }
    assert_eq!(
        reading_of(r#"{"RayID":"ray","EdgeResponseStatus":200,"ClientIP":"203.0.113.9"}"#),
        Reading::default()
    );
}

#[test]
fn lines_of_scanners_and_sensors() {
    const FULL: &str = "[**] [1:1000001:3] Own signature [**]\n[Classification: Misc activity] [Priority: 3]\n\
                        11/20-09:10:11.123456 203.0.113.9:4711 -> 10.0.0.5:80\nTCP TTL:64 TOS:0x0 ID:1\n";
    for (line, expected) in [
        ("/srv/up/a: b.exe: Win.Test.Own-1 FOUND", ["clamav", "high", "host", "", "Win.Test.Own-1"]),
        (
            "Fri Nov 20 09:10:11 2026 -> /srv/up/a.exe: PUA.Win.Tool.Own-1 FOUND",
            ["clamav", "medium", "host", "", "PUA.Win.Tool.Own-1"],
        ),
        (
            "11/20-09:10:11.123456  [**] [1:1000001:3] Own signature [**] [Classification: Misc activity] [Priority: 1] {TCP} 203.0.113.9:4711 -> 10.0.0.5:80",
            ["snort", "high", "address", "203.0.113.9", "Own signature"],
        ),
        (
            "11/20/2026-09:10:11.123456  [Drop] [**] [1:1000001:3] Own signature [**] [Classification: (null)] [Priority: 3] {ICMP} 2001:db8::7 -> 2001:db8::10",
            ["snort", "low", "address", "2001:db8::7", "Own signature"],
        ),
        (
            "[1:1000001:3] Own signature [Classification: Misc activity] [Priority: 2] {UDP} 203.0.113.9:53 -> 10.0.0.5:4711",
            ["snort", "medium", "address", "203.0.113.9", "Own signature"],
        ),
        (FULL, ["snort", "low", "address", "203.0.113.9", "Own signature"]),
    ] {
        let reading = lines::read_malware(line).or_else(|| lines::intrusion(line));
        let reading = reading.unwrap_or_else(|| panic!("not read: {line}"));
        assert_eq!(told(&reading), expected, "{line}");
    }
    for line in [
        "LOST AND FOUND",
        "Looking for a.txt: NOT FOUND",
        "/srv/a.exe: OK",
        "[1:2:3] hello",
        r#"203.0.113.9 - - [20/Nov/2026:09:10:11 +0000] "GET / HTTP/1.1" 200 1 "-" "[**] [1:2:3] x [**] [Priority: 1] {TCP} 192.0.2.1:1 -> 10.0.0.5:2""#,
        "[a:b:c] x [Priority: 1] {TCP} 203.0.113.9:1 -> 10.0.0.5:2",
        "[**] [1:2:3] x [**] [Priority: 1] {TCP} nobody -> 10.0.0.5:2",
    ] {
        assert!(lines::read_malware(line).is_none() && lines::intrusion(line).is_none(), "{line}");
    }
}
