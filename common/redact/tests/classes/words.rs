//! Templates of lines in which a word, a name or a form is that of a secret and means something else.

/// By their form.
pub(crate) const TABLE: &[(&str, &[&str])] = &[
    (
        "programs as words",
        &[
            "find / -perm -4000 -name mysql -print",
            "sudo find / -name mysql -print",
            "find / -name sshpass -print",
            "find / -name ldapsearch -writable",
            "find /usr -name curl -user www:data -print",
            r#"["find","/","-name","mysql","-print"]"#,
            r#"type=EXECVE argc=5 a0="find" a1="/" a2="-name" a3="mysql" a4="-print""#,
            "ssh mysql -p2222",
            "ssh root@mysql -p2222",
            "psql -h mysql -p5432",
            "nmap mysql -p3306",
            "nmap -sV mysql -p1-65535",
            "mysql-exporter -p9104",
            "docker run -d --name=mysql -p13306:3306/udp mysql",
            "docker run -p13306:3306/udp mysql -ptest",
            "mysqlrouter -p6446",
            "docker run --rm mysql -p13306:3306/udp",
            "iptables -m mysql -ptcp",
        ],
    ),
    (
        "passes",
        &[
            "render pass=gbuffer01",
            "llvm pass=loop-unroll2 changed=1",
            "pass=\"inline-2023\"",
            "pass=depth_prepass_2x draw=14",
            "hostname=web-1 pass=quick",
            "filename=x.c pass=inlining",
            "users=4 pass=partial",
            "mailbox=inbox pass=cleanup",
            "syslog=on pass=partial",
            "name=loop pass=second-level",
            r#"{"name":"opt","pass":"inlining"}"#,
            r#"{"low-pass":"40Hz"}"#,
            r#"{"render_pass":"shadow"}"#,
            "high_pass=20Hz first-pass=ok boarding_pass: A12",
        ],
    ),
    (
        "directories",
        &["pwd=/home/bob", "PWD=/root", r#"{"env":{"PWD":"/root"}}"#, r#"{"name":"PWD","value":"/root"}"#],
    ),
    (
        "pipes",
        &[
            "Read-Host | ConvertTo-SecureString -AsPlainText -Force",
            "Get-Content p.txt | ConvertTo-SecureString -AsPlainText -Force",
            "$cred | ConvertTo-SecureString -AsPlainText -Force",
            "docker logs reg:5000 | grep chpasswd",
            "journalctl -u app | grep 'a:b' | grep chpasswd",
        ],
    ),
    (
        "codes",
        &[
            "GET /signin?error=x&code=AADSTS50126 HTTP/1.1",
            "GET /oauth/error?code=ERR_4012 HTTP/1.1",
            "GET /callback?code=SUCCESS_200 HTTP/1.1",
            "GET /signin?country_code=DE&code=SAVE20NOW HTTP/1.1",
        ],
    ),
    (
        "words that begin as tokens",
        &[
            "call fm2_some_function_name_that_is_rather_long_indeed()",
            "call fo1_this_is_a_long_identifier_name_in_code_yes_really()",
            "field dp.st.some_module.some_class.some_method.some_field_name",
            "xapp-configuration-loader started",
        ],
    ),
    (
        "prose",
        &[
            "net user growth +5%",
            "net use policy V2",
            "user must create new password 'soon'",
            "error: alter user failed: password \"too short\"",
            "to create user accounts identified by email",
            "q=password%3A+what+is+it",
            "Authorization: required for {=l9} access",
            "the authorization: checks of {=t12} were skipped",
            "<input name=\"password\" type=\"password\">\n\n<button>Sign in</button>",
            "Content-Type: text/html\n<label name=\"token\">\n\nYour token",
        ],
    ),
    (
        "private keys that are only named",
        &[
            r#"{"expected":"-----BEGIN CERTIFICATE-----","sha256":"{=h64}"}"#,
            "emoji \u{2764}\u{fe0f} and keycap 1\u{fe0f}\u{20e3} in a message",
        ],
    ),
];
