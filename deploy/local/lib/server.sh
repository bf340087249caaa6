# shellcheck shell=bash
# Control of one server: start, stop, kill, pause, resume, status. The command that sources this file
# defines the server (`name`, `port`), its preparation (`prepare`) and its launch (`run`); if it does not consist of
# jars, also its installation (`fetch`) and the identification of its process (`mark`).

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=deploy/local/lib/settings.sh
source "$here/lib/settings.sh"
# shellcheck source=deploy/local/lib/jars.sh
source "$here/lib/jars.sh"

# Measured at 5 to 20 seconds; a loaded machine may need several times that.
readonly start_seconds=120
# A clean stop takes 1 to 5 seconds. The data survives a kill, so there is no reason to wait long.
readonly stop_seconds=30
# A response takes milliseconds, but a paused server accepts the connection and never responds.
readonly answer_seconds=3
readonly log_tail_lines=40

name= port=
# Further arguments of the server's `answers`.
answers_with=()

home() { printf '%s/%s' "$local_dir" "$name"; }
log_file() { printf '%s/log' "$(home)"; }
address() { printf '127.0.0.1:%s' "$port"; }

# The first argument of the server process. It distinguishes the server from a process that has the same id after a
# restart of the machine.
mark() { printf -- '-Dpalisade.local=%s' "$(home)"; }

# Prints the id of the server process if it is running.
running() {
  local id
  id=$(cat "$(home)/pid" 2>/dev/null) || return 1
  [[ $id =~ ^[0-9]+$ ]] || return 1
  # A space is appended to the last argument too, so that only whole arguments match.
  ps -ww -o args= -p "$id" 2>/dev/null | sed 's/$/ /' | grep -qF -- "$(mark) " || return 1
  printf '%s' "$id"
}

answers() {
  timeout "$answer_seconds" "$here/servers/$name/answers" "$port" "${answers_with[@]}" 2>/dev/null 9<&-
}

port_is_taken() { timeout "$answer_seconds" bash -c "exec 3<>/dev/tcp/127.0.0.1/$1" 2>/dev/null; }

# write_configuration FILE: fills in the settings and writes the file to the directory of the server.
write_configuration() {
  sed -e "s|@HOME@|$(home)|g; s|@PORT@|$port|g; s|@NEXT_PORT@|$((port + 1))|g" \
    "$here/servers/$name/$1" >"$(home)/$1"
}

# Java 17: Cassandra 5.0 runs on 11 and 17 only, Kafka 4 needs 17 or newer.
java_program() {
  local java=${JAVA_HOME:+$JAVA_HOME/bin/}java version
  version=$("$java" -version 2>&1) || fail "Java 17 is needed; '$java' does not run"
  [[ $version == *'version "17.'* || $version == *'version "17"'* ]] ||
    fail "Java 17 is needed (set JAVA_HOME); '$java' is ${version%%$'\n'*}"
  printf '%s' "$java"
}

# launch OPTION…: runs Java with the options and class path of the server.
launch() {
  local java
  java=$(java_program)
  CLASSPATH=$(<"$(home)/classpath") detach "$java" "$(mark)" "@$here/servers/$name/jvm.options" "$@"
}

# detach PROGRAM ARGUMENT…: runs the program detached from the terminal. One of its arguments is the mark.
detach() {
  setsid "$@" </dev/null >"$(log_file)" 2>&1 9<&- &
  printf '%s\n' "$!" >"$(home)/pid"
  # The process does not have the mark until it has executed the program.
  while kill -0 "$!" 2>/dev/null && ! running >/dev/null; do sleep 0.05; done
}

fetch() { resolve_jars "$here/servers/$name/pom.xml" "$(home)/classpath"; }

# Only a directory that these commands created is written to, and later removed.
claim_home() {
  [[ ! -e $(home)/.palisade ]] || return 0
  [[ -z $(ls -A "$(home)") ]] || fail "$(home) contains files that this command did not create"
  touch "$(home)/.palisade"
}

start() {
  lock "$(home)"
  claim_home
  if ! running >/dev/null; then
    fetch
    local wanted
    for wanted in "$port" "$((port + 1))"; do
      ! port_is_taken "$wanted" || fail "another process listens on 127.0.0.1:$wanted"
    done
    prepare
    run
  fi
  wait_until_it_answers
  say "$name: answers on $(address), process $(running), log $(log_file)"
}

wait_until_it_answers() {
  local deadline=$((SECONDS + start_seconds))
  until answers; do
    running >/dev/null || fail_with_log "$name ended while starting"
    ((SECONDS < deadline)) || fail_with_log "$name does not answer on $(address) after $start_seconds s"
    sleep 0.2
  done
}

fail_with_log() {
  tail -n "$log_tail_lines" "$(log_file)" >&2
  fail "$1; the last lines of $(log_file) are above"
}

stop() {
  if [[ -e $(home)/.palisade ]]; then
    lock "$(home)"
    end
    [[ $purge == 0 ]] || rm -rf -- "$(home)"
  fi
  say "$name: stopped"
}

end() {
  local id
  if id=$(running); then
    kill -TERM "$id"
    # A paused process handles no signal except KILL until it continues.
    kill -CONT "$id"
    if ! ended_within "$stop_seconds"; then
      say "$name: did not end within $stop_seconds s and is killed"
      kill_it
    fi
  fi
  rm -f "$(home)/pid"
}

# The server flushes and closes nothing; acknowledged writes must be found again nevertheless.
kill_it() {
  local id
  id=$(running) || return 0
  kill -KILL "$id"
  ended_within "$stop_seconds" || fail "process $id or its ports survive SIGKILL"
}

# The kernel releases a killed process in steps: its command line first, its ports last. Another one can start
# only when the ports are free.
ended_within() {
  local deadline=$((SECONDS + $1))
  while running >/dev/null || port_is_taken "$port" || port_is_taken "$((port + 1))"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

# signal NAME: sends a signal to a server that must be running.
signal() {
  local id
  id=$(running) || fail "$name does not run"
  kill "-$1" "$id"
}

status() {
  if ! running >/dev/null; then
    say "$name: does not run"
    return 1
  fi
  if ! answers; then
    say "$name: process $(running) does not answer on $(address)"
    return 1
  fi
  say "$name: answers on $(address), process $(running)"
}

serve() {
  case "$#:${1:-}" in
    1:start) start ;;
    1:stop) stop ;;
    1:kill) kill_it ;;
    1:pause) signal STOP ;;
    1:resume) signal CONT ;;
    1:status) status ;;
    *) fail "expected one of start, stop, kill, pause, resume, status" ;;
  esac
}
