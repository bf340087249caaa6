"""SSH for the sessions: a client's connection up to a refused or successful login, and attacks before any login."""

import time


def transport(session, address):
    """A connection on which the keys are exchanged."""
    import paramiko
    connection = paramiko.Transport(session.connect(address, 22))
    connection.banner_timeout = connection.auth_timeout = 30
    connection.start_client(timeout=30)
    return connection


def leave(connection):
    """Says goodbye as most clients do; `close` alone only closes the connection."""
    import paramiko
    message = paramiko.Message()
    message.add_byte(bytes([1]))
    message.add_int(11)
    message.add_string("Bye Bye")
    message.add_string("")
    connection._send_message(message)
    time.sleep(0.1)
    connection.close()


def end(connection, polite=True):
    """Leaves, or closes the connection and waits for the server, which counts it until its process has ended."""
    if polite:
        leave(connection)
    else:
        connection.close()
        time.sleep(0.2)


def attempt(session, address, account, password, tries=1, polite=True):
    """One connection with refused passwords."""
    import paramiko
    connection = transport(session, address)
    for number in range(tries):
        guess = f"{password}{number or ''}"
        session.expect_refusal(address, lambda guess=guess: connection.auth_password(account, guess, fallback=False),
                               paramiko.AuthenticationException)
    end(connection, polite)


def key(session, address, account, private):
    """One connection with one refused key."""
    import paramiko
    connection = transport(session, address)
    session.expect_refusal(address, lambda: connection.auth_publickey(account, private), paramiko.AuthenticationException)
    end(connection, polite=False)


def own_key(name):
    """The key of an account, see `make_key`."""
    import paramiko
    return paramiko.RSAKey.from_private_key_file(f"/etc/lab/{name}")


def make_key(machine, name, home):
    """Makes a key that an account may log in with."""
    machine.run("mkdir", "-p", "/etc/lab")
    machine.run("ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "", "-C", name, "-f", f"/etc/lab/{name}")
    machine.run("install", "-d", "-m", "700", "-o", name, f"{home}/.ssh")
    machine.run("install", "-m", "600", "-o", name, f"/etc/lab/{name}.pub", f"{home}/.ssh/authorized_keys")


def work(session, address, account, password=None, polite=True):
    """A login with a command, by key unless a password is given."""
    connection = transport(session, address)
    if password is None:
        connection.auth_publickey(account, own_key(account))
    else:
        connection.auth_password(account, password, fallback=False)
    session.logged_in(address)
    channel = connection.open_session()
    channel.exec_command("uptime")
    channel.recv(4096)
    end(connection, polite)


def monitor(session, address):
    """A monitor's checks: two that only connect, and two that say a version."""
    session.drop(address, 22, 2)
    for _ in range(2):
        with session.connect(address, 22) as connection:
            connection.recv(256)
            connection.sendall(b"SSH-2.0-check_ssh_2.3.3\r\n")


def connect_and_drop(service, address):
    """Adds a session that leaves before the login."""
    def connect_and_drop(session):
        """One address connects and leaves: before its version, after it, and once the keys are exchanged."""
        session.drop(address, 22, 5)
        for _ in range(5):
            with session.connect(address, 22) as connection:
                connection.recv(256)
                connection.sendall(b"SSH-2.0-Go\r\n")
            session.acted(address, "closed before login")
        for number in range(5):
            end(transport(session, address), polite=number % 2 == 1)
            session.acted(address, "closed before login")

    service.attack(address)(connect_and_drop)


def too_many_failures(service, address, accounts, tries):
    """Adds a session with more passwords in a connection than the server takes."""
    def until_the_end(session, account):
        import paramiko
        connection = transport(session, address)
        for number in range(tries):
            try:
                connection.auth_password(account, f"spring{number}", fallback=False)
            except paramiko.AuthenticationException:
                session.refused(address)
            except (paramiko.SSHException, EOFError):
                break
            if not connection.is_active():
                break
        session.acted(address, "too many failures")
        connection.close()

    def too_many_failures(session):
        """One address tries passwords until the server ends the connection."""
        session.at_once(lambda account: until_the_end(session, account), accounts)

    service.attack(address)(too_many_failures)


def no_common_method(service, address, cipher):
    """Adds a session whose client has none of the server's methods; `cipher` is one that the server does not take."""
    def no_common_method(session):
        """One address offers only methods that the server does not take."""
        offers = ["KexAlgorithms=diffie-hellman-group1-sha1", "HostKeyAlgorithms=ssh-dss", f"Ciphers={cipher}", "MACs=hmac-md5"]
        for offer in offers * 3:
            # A cipher with a hash of its own would need no other.
            others = ["-oCiphers=aes128-ctr"] if offer.startswith("MACs") else []
            done = session.command(address, "ssh", "-F", "none", "-oBatchMode=yes", "-oStrictHostKeyChecking=no",
                                   "-oUserKnownHostsFile=/dev/null", f"-o{offer}", *others, f"root@{session.server}")
            assert "no matching" in done.stdout, done.stdout
            session.acted(address, "no common method")

    service.attack(address)(no_common_method)
