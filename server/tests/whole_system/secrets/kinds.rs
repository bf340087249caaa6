//! Lines that hold a secret, one of each kind, and lines that look like them and hold none.

/// By kind; what stands in braces is described in [`super::draw`].
pub(super) const SECRETS: &[(&str, &str)] = &[
    ("curl", "curl -fsSL -u mirror:{password} https://{word}.example/stable/InRelease"),
    ("mysql", "mysql -uroot -p{password} -h {word}.example -e status"),
    ("sshpass", "sshpass -p {password} ssh -o ConnectTimeout=5 ops@{word}.example hostname"),
    ("ldapsearch", "ldapsearch -LLL -x -D cn={word},dc=example -w {password} -b dc=example uid"),
    ("net user", "net user {word} {password} /add"),
    ("secure string", r#"$s = ConvertTo-SecureString "{password}" -AsPlainText -Force; Unlock-Vault {word}"#),
    ("openssl", "openssl pkey -in /etc/pki/{word}.pem -passin pass:{password} -noout"),
    ("chpasswd", "logger {word}; echo 'root:{password}' | chpasswd"),
    ("argument array", r#"spawned on {word} ["mysql","-uroot","-p{password}"]"#),
    ("name and value", r#"container {word} env {"name":"DB_PASSWORD","value":"{password}"}"#),
    ("create user", "CREATE USER '{word}'@'10.%' IDENTIFIED BY '{password}'"),
    ("alter role", "ALTER ROLE {word} WITH PASSWORD '{password}'"),
    ("netrc", "machine {word}.example login u password {password}"),
    ("percent-encoded", "GET /{word}/enter?next=%2Fhome%3Flang%3Den%26password%3D{password} HTTP/1.1"),
    ("form", "POST /{word} with user=u&pass={password}"),
    ("registry", r#"{"auths":{"{word}.example":{"auth":"{account}"}}}"#),
    ("password hash", "{word}:$6${crypt16}${crypt86}:20401:0:99999:7:::"),
    (
        "authorization code",
        "POST /{word}/token?code={mixed40}&redirect_uri=https%3A%2F%2Fdesk.example%2Fback HTTP/1.1",
    ),
    (
        "PuTTY key",
        "saved {word}\nPuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: desk\nPublic-Lines: 1\n\
         AAAAC3Nz\nPrivate-Lines: 2\n{base64}\n{base40}\nPrivate-MAC: 5e0c\n",
    ),
    ("Azure AD client secret", "application {word} was given {azure} until autumn"),
    ("Airtable token", "sheet {word} was read with {airtable}"),
    ("environment", "PGPASSWORD={password} pg_dump -h {word}.example shop"),
    ("connection string", "Server={word}.example;Database=shop;Uid=app;Pwd={password};Encrypt=true"),
];

/// By what they look like. Each is kept as it is.
pub(super) const LOOK_ALIKES: &[(&str, &str)] = &[
    ("port of mysql", "mysql -P3306 -h {word}.example"),
    ("prompt of mysql", "mysql -u root -p -h {word}.example"),
    ("status code", "{word} answered with status code=200"),
    ("identified", "asset {word} was identified by 10023"),
    ("inner class", "at com.example.{word}.Handler$1$2.run(Handler.java:88)"),
    ("parents", "mkdir -p /srv/{word}/releases"),
    ("port of ssh", "ssh -p 2222 ops@{word}.example hostname"),
    ("query of a user", "net user {word} /domain"),
    ("counted tests", "suite {word}: pass=41 fail=0"),
    ("openssl", "openssl pkey -in /etc/pki/{word}.pem -passin env:KEY_PHRASE -noout"),
    ("prompt of ldapsearch", "ldapsearch -x -W -D cn={word},dc=example -b dc=example"),
    ("chpasswd", "chpasswd: line 3: user '{word}' does not exist"),
    ("name and value", r#"container {word} env {"name":"LOG_LEVEL","value":"debug"}"#),
    ("percent-encoded", "GET /{word}?next=%2Flist%3Fpage%3D2%26sort%3Dname HTTP/1.1"),
    ("expired password", "ALTER USER {word} PASSWORD EXPIRE"),
    ("machine", "machine {word} rebooted after login failure"),
    ("format of curl", "curl -o /dev/null -w '%{http_code}' https://{word}.example/health"),
    ("country code", "GET /{word}?code=US&state=CA HTTP/1.1"),
];
