//! Templates that the rules were written with.

/// By class.
pub(crate) const TABLE: &[(&str, &[&str])] = &[
    (
        "curl",
        &[
            "curl -u deploy:{p} https://repo.corp.example/api/v2/files",
            "  812  2026-11-02 10:14:07 curl -sS -X PUT --user ci-bot:{p} -T a.tar https://nexus.corp.example/raw/",
            r#"sudo:   alice : TTY=pts/1 ; PWD=/home/alice ; USER=root ; COMMAND=/usr/bin/curl -k -u "svc:{p}" https://10.0.4.7/"#,
            "curl --proxy-user 'bob:{p}' -x http://proxy.example:3128 https://example.org",
        ],
    ),
    (
        "mysql",
        &[
            "mysql -uroot -p{p} -h db1 -e 'show databases'",
            "/usr/bin/mysqldump --single-transaction -u backup -p'{p}' shop > /backup/shop.sql",
            "root      4411  0.0  0.1 mariadb -u app -p{l} -h 10.3.2.1 orders",
            "CMD (mysqladmin -u monitor -p\"{p}\" extended-status | logger -t mysql)",
        ],
    ),
    (
        "sshpass",
        &[
            "sshpass -p {p} ssh -o StrictHostKeyChecking=no admin@10.1.1.4 uptime",
            "sshpass -p'{p}' scp dump.gz backup@store:/srv/",
            "sh -c sshpass -p\"{p}\" rsync -a /data host:/data",
        ],
    ),
    (
        "ldap",
        &[
            "ldapsearch -x -H ldap://dc1.corp.example -D cn=admin,dc=corp,dc=example -w {p} -b dc=corp,dc=example",
            "ldapmodify -D 'uid=svc,ou=people,dc=example' -w '{p}' -f change.ldif",
            "ldapadd -x -w {l} -D cn=root,dc=x -f new.ldif",
        ],
    ),
    (
        "net user",
        &[
            "net user backdoor {p} /add",
            r#"CommandLine: C:\Windows\system32\net.exe  user svc_sql {p} /add /domain"#,
            r"net use Z: \\files01\share {p} /user:CORP\alice",
            r#""CommandLine":"C:\\Windows\\System32\\net1 user helpdesk {p}""#,
        ],
    ),
    (
        "secure strings",
        &[
            r#"$p = ConvertTo-SecureString "{p}" -AsPlainText -Force"#,
            "powershell.exe -c New-LocalUser bob -Password (ConvertTo-SecureString '{p}' -AsPlainText -Force)",
            "ConvertTo-SecureString -String {p} -AsPlainText -Force",
            "$s = '{p}' | ConvertTo-SecureString -AsPlainText -Force",
        ],
    ),
    (
        "openssl",
        &[
            "openssl pkcs12 -in a.p12 -passin pass:{p} -nodes -out a.pem",
            "openssl rsa -in k.pem -passin 'pass:{p}' -passout pass:{p} -out n.pem",
            "openssl enc -aes-256-cbc -salt -in f -out f.enc -pass pass:{l}",
        ],
    ),
    (
        "chpasswd",
        &[
            "echo 'root:{p}' | chpasswd",
            "bash -c echo \"deploy:{p}\" | sudo chpasswd",
            "printf 'admin:{p}\\n' | /usr/sbin/chpasswd -e",
            "chpasswd <<< 'root:{p}'",
        ],
    ),
    (
        "argument arrays",
        &[
            r#"{"argv":["mysql","-u","root","-p{p}","shop"]}"#,
            r#"type=EXECVE msg=audit(1793491201.114:771): argc=4 a0="curl" a1="-u" a2="svc:{p}" a3="https://x.example""#,
            r#"args: ['sshpass', '-p', '{p}', 'ssh', 'root@10.0.0.9']"#,
            r#"type=EXECVE msg=audit(1793491207.420:812): argc=5 a0="mysqldump" a1="-uroot" a2="-p{p}" a3="--all-databases""#,
            r#"exec: ["ldapsearch","-x","-D","cn=admin","-w","{p}","-b","dc=x"]"#,
            r#"["psql-wrapper","--password","{p}","--host","db"]"#,
            r#"a0="vault-cli" a1="--token" a2="{t24}" a3="read""#,
            r#"{"process":{"args":["net","user","bob","{p}","/add"]}}"#,
            r#"{"cmd":"[\"openssl\",\"pkcs12\",\"-passin\",\"pass:{p}\"]"}"#,
        ],
    ),
    (
        "name and value",
        &[
            r#"{"name":"DB_PASSWORD","value":"{p}"}"#,
            r#""env":[{"name":"LOG_LEVEL","value":"info"},{"name":"API_TOKEN","value":"{t32}"},{"name":"PORT","value":"8080"}]"#,
            r#"{"key":"client_secret","value":"{p}","type":"text"}"#,
            "env:\n- name: REDIS_PASSWORD\n  value: {p}\n- name: MODE\n  value: fast",
            r#"{"patch":"{\"env\":[{\"name\":\"SMTP_PASSWORD\",\"value\":\"{p}\"}]}"}"#,
            r#"{"value":"{p}","name":"MYSQL_ROOT_PASSWORD"}"#,
            r#"<input type="hidden" name="csrf_token" value="{t32}">"#,
            "env:[{Name:DB_PASSWORD Value:{t16} ValueFrom:nil}]",
        ],
    ),
    (
        "sql",
        &[
            "CREATE USER 'app'@'%' IDENTIFIED BY '{p}';",
            "statement: ALTER ROLE reporting WITH PASSWORD '{p}'",
            "ALTER USER bob IDENTIFIED WITH mysql_native_password BY '{p}'",
            "LOG:  statement: CREATE ROLE etl LOGIN ENCRYPTED PASSWORD '{p}' VALID UNTIL 'infinity';",
            "GRANT ALL ON shop.* TO 'x'@'10.%' IDENTIFIED BY \"{p}\"",
            "alter user scott identified by {l} account unlock",
            "SET PASSWORD FOR 'root'@'localhost' = PASSWORD('{p}')",
            r#"{"statement":"CREATE USER etl WITH PASSWORD '{p}' NOSUPERUSER"}"#,
        ],
    ),
    (
        "password hashes",
        &[
            "root:$6${c16}${c86}:19700:0:99999:7:::",
            "admin:$2y$05${c53}",
            "htpasswd line bob:$apr1${c8}${c22} written",
            "password_hash is $argon2id$v=19$m=65536,t=3,p=4${b22}${b43}",
            "usermod -p '$6$rounds=5000${c12}${c86}' deploy",
            "verify failed for $2b$12${c53} (cost 12)",
            "svc:$5${c16}${c43}:19000::::::",
            "bob:$y$j9T${c22}${c43}:19700:0:99999:7:::",
            "legacy:$1${c8}${c22}:12000:0:::::",
        ],
    ),
    (
        "pass",
        &[
            "user=alice pass={n6} from 203.0.113.7",
            r#"{"username":"bob","pass":"{n8}"}"#,
            "login attempt user=admin pass={p} from 10.2.3.4",
            "GET /wp-login.php?log=admin&pass={p}&redirect=1 HTTP/1.1",
            "POST /login body: user=root&pass={n6}&submit=1",
            r#"{"user":"bob","pass":"{p}"}"#,
            "smtp auth user: mailer, pass: {p}",
        ],
    ),
    (
        "netrc",
        &[
            "machine api.heroku.example login bob@example.com password {p}",
            "machine git.example\n  login deploy\n  password {p}\n",
            "wrote 'machine ftp.example login anonymous password {l}' to /root/.netrc",
        ],
    ),
    (
        "registry auth",
        &[
            r#"{"auths":{"https://index.docker.io/v1/":{"auth":"{B}"}}}"#,
            r#"config.json: {\"auths\":{\"ghcr.example\":{\"auth\":\"{B}\"}}}"#,
            "//registry.example/:_auth={B}",
        ],
    ),
    (
        "percent-encoded",
        &[
            "GET /go?next=%2Flogin%3Fuser%3Dbob%26password%3D{p}%26x%3D1 HTTP/1.1",
            "payload=%7B%22user%22%3A%22bob%22%2C%22password%22%3A%22{p}%22%7D",
            "q=client_secret%3D{t32}%26grant_type%3Dclient_credentials",
            "url=https%253A%252F%252Fx%252F%253Ftoken%253D{t24}%2526a%253Db",
        ],
    ),
    (
        "forms",
        &[
            "Content-Disposition: form-data; name=\"password\"\r\n\r\n{p}\r\n--XyZ--",
            r#"body="--b1\r\nContent-Disposition: form-data; name=\"passwd\"\r\n\r\n{p}\r\n--b1--\r\n""#,
        ],
    ),
    (
        "authorization codes",
        &[
            r#"{"code":"{t40}","redirect_uri":"https://app.example/cb"}"#,
            r#"{"code_verifier":"{=t43}","code":"{t32}"}"#,
            "GET /oauth/callback?code={t32}&state={=t20} HTTP/1.1",
            "POST /token grant_type=authorization_code&code={d40}&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&client_id=web",
            "\"GET /signin?state={=t24}&code={t43}&scope=openid HTTP/2.0\" 302 0",
            "Location: https://app.example/cb?code=4/{t48}&scope=email",
        ],
    ),
    (
        "vendor tokens",
        &[
            "AZURE client {t3}8Q~{d34} expires soon",
            "found {t3}7Q~{d34} in settings.ini",
            "git clone with ATBB{t32} ok",
            "square access token EAAA{t60} revoked",
            "doppler run with dp.pt.{t43}",
            "export X=dp.st.prd.{t43}",
            "fly auth fo1_{t43}",
            "flyctl uses FlyV1 fm2_{b120}",
            "HRKU-AA{t58} was rotated",
            "legacy HRKU-{u}",
            "airtable pat{t14}.{h64} used",
            "age key AGE-SECRET-KEY-1{k58} imported",
            "posting to https://corp.webhook.office.com/webhookb2/{u}@{=u}/IncomingWebhook/{h32}/{u}",
            "bitbucket ATCTT3x{t180}=1A2B3C4D",
        ],
    ),
    (
        "PuTTY",
        &[
            "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: k\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\n{b64}\nPrivate-MAC: {=h64}\n",
            r#"{"f":"PuTTY-User-Key-File-2: ssh-rsa\r\nPrivate-Lines: 2\r\n{b64}\r\n{b24}\r\nPrivate-MAC: x"}"#,
        ],
    ),
];
