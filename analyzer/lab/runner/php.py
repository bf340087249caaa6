"""Applications in PHP behind nginx and PHP-FPM, with MariaDB where they need it."""

SOCKET = "/run/php/php8.2-fpm.sock"


def site(machine, root, name, settings):
    """Writes nginx's only site: all `.php` below a root goes to PHP-FPM; `settings` are further lines of it."""
    machine.write("/etc/nginx/sites-enabled/default", f"""server {{
    listen 80 default_server;
    listen [::]:80 default_server;
    root {root};
    server_name {name};
{settings}
    location ~ \\.php$ {{
        include snippets/fastcgi-php.conf;
        fastcgi_pass unix:{SOCKET};
    }}
}}
""")


def start(machine, database=False, socket=SOCKET):
    """Starts what the application needs, nginx last."""
    machine.run("install", "-d", "-o", "www-data", "/run/php")
    if database:
        machine.run("install", "-d", "-o", "mysql", "-g", "mysql", "/run/mysqld")
        machine.daemon("mariadbd", "--user=mysql", port=3306, output="mariadb")
    machine.daemon("php-fpm8.2", "--nodaemonize", path=socket, output="fpm")
    machine.daemon("nginx", "-g", "daemon off;", port=80, output="nginx")


def stop(machine):
    """Ends everything; a socket that stays would be taken for a new one."""
    machine.stop_daemons()
    machine.run("sh", "-c", "rm -f /run/php/*.sock")
