# shellcheck shell=bash
# The jars of a server: Maven downloads them into its own repository and writes one class path file.
# They are not copied.

# resolve_jars POM CLASSPATH_FILE: resolves the jars, unless the same POM was resolved before and the
# jars still exist.
resolve_jars() {
  local pom=$1 classpath=$2
  if cmp -s "$pom" "$classpath.pom" && jars_exist "$classpath"; then
    return
  fi
  command -v mvn >/dev/null || fail "Maven (mvn) is needed to fetch the jars named in $pom"
  say "fetching the jars named in $pom (once)"
  (
    # Maven's repository does not support two writers.
    lock "$local_dir"
    mvn --quiet --batch-mode --no-transfer-progress --file "$pom" dependency:build-classpath \
      -DincludeScope=runtime -Dmdep.outputFile="$classpath" >"$classpath.log" 2>&1
  ) || {
    tail -n 20 "$classpath.log" >&2
    fail "Maven could not resolve $pom; its output is in $classpath.log"
  }
  cp "$pom" "$classpath.pom"
}

jars_exist() {
  local jar jars
  [[ -s $1 ]] || return 1
  IFS=: read -r -a jars <"$1" || true
  for jar in "${jars[@]}"; do
    [[ -f $jar ]] || return 1
  done
}
