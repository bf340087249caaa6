# shellcheck shell=bash
# A certificate authority with a certificate for the node and one for a client, and a second authority that
# the node does not trust. For tests only: the keys are stored beside the certificates.

readonly certificate_days=3650

# make_certificates DIRECTORY: creates the certificates unless they exist.
make_certificates() {
  local directory=$1
  [[ ! -e $directory/complete ]] || return 0
  command -v openssl >/dev/null || fail "openssl is required to create certificates"
  mkdir -p "$directory"
  chmod 700 "$directory"
  # `set -e` has no effect in a list whose status is tested, hence the `&&`.
  (
    cd "$directory" &&
      authority authority &&
      authority stranger &&
      signed authority node subjectAltName=IP:127.0.0.1 &&
      signed authority client extendedKeyUsage=clientAuth &&
      signed stranger stranger-client extendedKeyUsage=clientAuth &&
      # Cassandra reads key and certificates from one file.
      cat node.key node.pem >node-and-key.pem &&
      touch complete
  ) >"$directory/log" 2>&1 || fail "openssl could not create the certificates; its output is in $directory/log"
}

# authority NAME: creates NAME.key and NAME.pem.
authority() {
  openssl req -x509 -newkey rsa:2048 -noenc -keyout "$1.key" -out "$1.pem" -days "$certificate_days" \
    -subj "/O=palisade-local/CN=$1" -addext basicConstraints=critical,CA:TRUE
}

# signed AUTHORITY NAME EXTENSION: creates NAME.key and NAME.pem.
signed() {
  openssl req -newkey rsa:2048 -noenc -keyout "$2.key" -out "$2.csr" -subj "/O=palisade-local/CN=$2" &&
    openssl x509 -req -in "$2.csr" -CA "$1.pem" -CAkey "$1.key" -CAcreateserial -days "$certificate_days" \
      -out "$2.pem" -extfile <(printf '%s\n' "$3")
}
