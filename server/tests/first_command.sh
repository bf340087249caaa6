#!/usr/bin/env bash
# What `cargo run --release` promises a newcomer: it serves, prints lines to paste, and they make an incident within
# seconds. The key is in a file, since standard output is none of a terminal here. Argument: the binary.
set -euo pipefail
binary=$1
directory=$(mktemp -d)
log="$directory/out"
"$binary" serve --data-dir "$directory/data" --listen 127.0.0.1:0 --admin-listen off >"$log" 2>"$directory/err" &
server=$!
trap 'kill -INT $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$directory"' EXIT

for _ in $(seq 100); do
  grep -q 'Authorization' "$log" && break
  kill -0 $server || { cat "$directory/err"; exit 1; }
  sleep 0.1
done
setup=$(grep '^  key=' "$log")
paste=$setup$'\n'$(grep '^  for n in' "$log")
look=$setup$'\n'$(grep -E '^  curl .*/incidents$' "$log")
bash -c "$paste" >/dev/null
for _ in $(seq 100); do
  if bash -c "$look" | grep -q '"object":"incident"'; then
    echo "the pasted line made an incident"
    exit 0
  fi
  sleep 0.1
done
echo "no incident appeared within ten seconds" >&2
cat "$log" "$directory/err" >&2
exit 1
