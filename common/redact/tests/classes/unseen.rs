//! Templates that were kept apart while the rules were written.

/// By class.
pub(crate) const TABLE: &[(&str, &[&str])] = &[
    (
        "curl",
        &[
            "wget failed, retry: curl -L -o out.bin -u releases:{p} https://dl.example/out.bin",
            r#"{"process":{"command_line":"curl.exe --user \"CORP\\svc:{p}\" https://intranet.example"}}"#,
            "+ curl -fsSL -uadmin:{p} http://localhost:9200/_cat/indices",
            "curl --user=api:{p} https://api.mailer.example/v3/send",
        ],
    ),
    (
        "mysql",
        &[
            "mysql --host db2 --user=app -p{p} --execute 'select 1'",
            "+ mysqlimport -u loader -p{p} shop /tmp/items.csv",
            "USER=root ; COMMAND=/usr/bin/mysql -u root -p{n8}",
            "mysqlcheck -p'{p}' -A; echo done",
        ],
    ),
    (
        "sshpass",
        &[
            "  17  sshpass -p \"{p}\" ssh root@192.0.2.44 'systemctl restart x'",
            "COMMAND=/usr/bin/sshpass -p {l} sftp partner@sftp.example",
            "sshpass -v -p {p} ssh host",
        ],
    ),
    (
        "ldap",
        &[
            "COMMAND=/usr/bin/ldapsearch -LLL -w {p} -x -b ou=x",
            "ldapwhoami -H ldaps://x -D \"cn=bind\" -w \"{p}\"",
            "ldappasswd -D cn=admin -w {p} -s {p} uid=bob,ou=people",
        ],
    ),
    (
        "net user",
        &[
            "cmd.exe /c net user Administrator {p}",
            "net  user /add temp {p}",
            "ParentCommandLine: cmd /c \"net user guest {p} /active:yes\"",
            r"net.exe use \\10.0.0.8\C$ {p} /u:WORKGROUP\admin",
        ],
    ),
    (
        "secure strings",
        &[
            "ConvertTo-SecureString -AsPlainText \"{p}\" -Force",
            r#""ScriptBlockText":"$c = ConvertTo-SecureString -String \"{p}\" -AsPlainText -Force""#,
            "convertto-securestring '{l}' -asplaintext -force",
        ],
    ),
    (
        "openssl",
        &[
            "openssl pkcs12 -export -out c.pfx -inkey k.pem -in c.pem -passout pass:{p}",
            "COMMAND=/usr/bin/openssl rsautl -passin pass:{p} -decrypt",
        ],
    ),
    (
        "chpasswd",
        &[
            "RUN echo \"app:{p}\" | chpasswd && rm -rf /tmp/x",
            "sh -c 'echo root:{p} | chpasswd'",
            "echo -e 'a1:{p}' | sudo /usr/sbin/chpasswd",
        ],
    ),
    (
        "argument arrays",
        &[
            r#"Cmd=["mysqldump", "-h", "db", "-ubackup", "-p{p}", "shop"]"#,
            r#"type=EXECVE msg=audit(1793500000.020:99): argc=6 a0="sshpass" a1="-p" a2="{p}" a3="ssh" a4="root@10.0.0.5" a5="id""#,
            "command: [curl, -u, ops:{p}, https://x.example/health]",
            "Popen(['mysql', '-uroot', '-p{p}', '-e', 'select 1'])",
            r#"type=EXECVE argc=4 a0="ldapsearch" a1="-w" a2="{p}" a3="-x""#,
            r#""args": ["--user", "bob", "--password", "{p}", "--verbose"]"#,
            r#"a0="net" a1="user" a2="eve" a3="{p}" a4="/add""#,
            r#"entrypoint ["openssl", "rsa", "-passin", "pass:{p}"]"#,
            r#"{"command":"[\"curl\", \"-u\", \"x:{p}\", \"https://y\"]"}"#,
        ],
    ),
    (
        "name and value",
        &[
            r#"[{"name": "GITHUB_TOKEN", "value": "{t40}"}]"#,
            r#"{"Key":"db_password","Value":"{p}"}"#,
            "        - name: SESSION_SECRET\n          value: \"{p}\"\n",
            r#"{"value": "{t24}", "key": "apiKey"}"#,
            "containers:[{Env:[{Name:PGPASSWORD,Value:{t16}}]}]",
            r#"{"log":"env {\"key\":\"access_token\",\"value\":\"{t32}\"} set"}"#,
            r#"ParameterKey=DbPassword,ParameterValue={p}"#,
            "name = \"STRIPE_SECRET\"\n  value = \"{p}\"",
        ],
    ),
    (
        "sql",
        &[
            "2026-11-02 mysqld: Query CREATE USER IF NOT EXISTS etl@localhost IDENTIFIED BY '{p}'",
            "ERROR:  syntax error in ALTER USER app WITH ENCRYPTED PASSWORD '{p}' at character 12",
            "create role bi with login password '{p}';",
            "CREATE USER hr IDENTIFIED BY \"{p}\" DEFAULT TABLESPACE users",
            "ALTER USER 'x'@'%' IDENTIFIED WITH caching_sha2_password BY '{p}' PASSWORD EXPIRE NEVER",
            "CREATE LOGIN web WITH PASSWORD = N'{p}', CHECK_POLICY = OFF",
            "create user tiger identified by {l};",
            "duration: 1.2 ms  statement: alter role x password '{p}'",
        ],
    ),
    (
        "password hashes",
        &[
            "bob:$6${c8}${c86}",
            "getent shadow returned daemon:$y$j9T${c22}${c43}:19000:0:99999:7:::",
            "nginx auth file: alice:$apr1${c8}${c22}",
            r#"{"stored":"$2a$10${c53}"}"#,
            "hash=$argon2i$v=19$m=4096,t=3,p=1${b22}${b43},ok",
            "users:\n  - name: x\n    crypted: $5$rounds=1000${c16}${c43}\n",
            "ident $2b$10${c53}, next",
            "$1${c8}${c22}",
        ],
    ),
    (
        "pass",
        &[
            "ftp: USER anonymous pass={p}",
            "auth failed (user='carol', pass='{p}')",
            "/login.cgi?username=admin&pass={l}",
            "login=root;pass={p};host=x",
            "imap login: user=<bob>, pass=<{p}>",
        ],
    ),
    (
        "netrc",
        &[
            "cat .netrc: machine nexus.example login ci password {p} ",
            "machine a.example password {p} login b",
            "default login anonymous password {p}",
            r"machine x.example\n  login y\n  password {p}\n",
        ],
    ),
    ("registry auth", &[r#""quay.example": { "auth": "{B}", "email": "" }"#, "registry:\n  auth: {B}\n"]),
    (
        "percent-encoded",
        &[
            "Referer: https://x.example/?r=%3Fapi_key%3D{t32}%26v%3D2",
            "body=user%3Deve%26passwd%3D{p}",
            "state=%7B%22access_token%22%3A%22{t40}%22%7D",
            "data=pwd%3a{p}%0a",
        ],
    ),
    (
        "forms",
        &[
            "------WebKitFormBoundary7MA4\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\n{t24}\r\n------WebKitFormBoundary7MA4--",
            "Content-Disposition: form-data; name=\"token\"\r\nContent-Type: text/plain\r\n\r\n{t24}\r\n--x",
            "Content-Disposition: form-data; name=\"new_password\"\n\n{p}\n--x",
        ],
    ),
    (
        "authorization codes",
        &[
            "10.0.0.9 - - \"GET /auth/google/callback?state={=t16}&code={t60} HTTP/1.1\" 302 5",
            "redirect to https://client.example/cb?code={h20}&state={=t10}",
            "client_id=abc&code={t22}&code_verifier=x&grant_type=authorization_code",
            "GET /login/oauth2/code/okta?code={t40} HTTP/1.1",
            r#"{"grant_type":"authorization_code","code":"{t30}","client_id":"web"}"#,
        ],
    ),
    (
        "vendor tokens",
        &[
            "client secret value: {t3}8Q~{d34}",
            "ARM {t3}6Q~{d34}.",
            "BITBUCKET app ATBB{t28} created",
            "\"EAAA{t60}\"",
            "dp.sa.{t40} loaded",
            "key dp.st.dev_personal.{t43} end",
            "dp.ct.{t43}",
            "FlyV1 fm1r_{b140},fm1a_{b140}",
            "token: fo1_{t43}",
            "heroku says HRKU-AA{t58}.",
            "pat{t14}.{h64}",
            "(pat{t14}.{h64})",
            "# age\\nAGE-SECRET-KEY-1{k58}\\n",
            "https://outlook.office.com/webhook/{u}@{=u}/IncomingWebhook/{h32}/{u} 400",
            "sq0csp-{t43}",
        ],
    ),
    (
        "PuTTY",
        &[
            "PuTTY-User-Key-File-3: ssh-rsa\r\nEncryption: aes256-cbc\r\nPrivate-Lines: 3\r\n{b64}\r\n{b64}\r\n{b32}==\r\nPrivate-MAC: y\r\n",
            r"cat k.ppk: PuTTY-User-Key-File-3: ecdsa\nPrivate-Lines: 1\n{b44}\nPrivate-MAC: z",
        ],
    ),
];
