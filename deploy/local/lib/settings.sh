# shellcheck shell=bash
# Settings and their defaults. Sourced by every command in this folder.

local_dir=${PALISADE_LOCAL_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/palisade/local}
kafka_port=${PALISADE_LOCAL_KAFKA_PORT:-19092}
kafka_secure=${PALISADE_LOCAL_KAFKA_SECURE:-0}
cassandra_port=${PALISADE_LOCAL_CASSANDRA_PORT:-19042}
cassandra_secure=${PALISADE_LOCAL_CASSANDRA_SECURE:-0}
collector_port=${PALISADE_LOCAL_COLLECTOR_PORT:-14318}
purge=${PALISADE_LOCAL_PURGE:-0}

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# The next port must be free as well, for traffic between nodes.
check_port() {
  [[ $2 =~ ^[1-9][0-9]{0,4}$ ]] && (($2 >= 1024 && $2 <= 65534)) ||
    fail "$1 must be a port from 1024 to 65534, not '$2'"
}

check_settings() {
  # The path is written into properties, YAML, a URL and option files of Java, whose quoting rules differ.
  [[ $local_dir =~ ^/[A-Za-z0-9_./+-]+$ ]] ||
    fail "PALISADE_LOCAL_DIR must be an absolute path of letters, digits and _ . / + -, not '$local_dir'"
  check_port PALISADE_LOCAL_KAFKA_PORT "$kafka_port"
  check_port PALISADE_LOCAL_CASSANDRA_PORT "$cassandra_port"
  check_port PALISADE_LOCAL_COLLECTOR_PORT "$collector_port"
  [[ $purge == [01] ]] || fail "PALISADE_LOCAL_PURGE must be 0 or 1, not '$purge'"
  [[ $kafka_secure == [01] ]] ||
    fail "PALISADE_LOCAL_KAFKA_SECURE must be 0 or 1, not '$kafka_secure'"
  [[ $cassandra_secure == [01] ]] ||
    fail "PALISADE_LOCAL_CASSANDRA_SECURE must be 0 or 1, not '$cassandra_secure'"
  local distance=$((kafka_port - cassandra_port))
  ((distance < -1 || distance > 1)) ||
    fail "the ports $kafka_port and $cassandra_port overlap: each server also takes the next one"
  ((kafka_secure == 0 || distance != -2 && kafka_port <= 65533)) ||
    fail "port $((kafka_port + 2)), of Kafka's secure listener, is Cassandra's or above 65535"
}

# Locks a directory until this command ends. If the directory is purged during the wait, it is created and
# locked again.
lock() {
  while :; do
    mkdir -p "$1"
    exec 9<"$1"
    flock 9
    [[ $1 -ef /dev/fd/9 ]] && return
  done
}

check_settings
