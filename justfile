# Checks of every change. `.ci/run` installs missing tools and runs these recipes; `just --list` shows them.

# Feature of the back ends for a deployment of many processes; a build for one machine needs neither.
cluster := "palisade/cluster"

# The back ends with the suites that every implementation must pass.
back_ends := cluster + ",durable-log/conformance,ledger/conformance,records/cql,jobs/cql"

# Release build of the server, with both back ends.
release:
    cargo build --release --locked --features cluster

# Format check of the sources, without changing them.
format:
    cargo fmt --all --check

# Lints of every crate, with and without the back ends of a cluster.
lint:
    cargo clippy --workspace --all-targets --locked --features {{back_ends}} -- -D warnings
    cargo clippy -p palisade -p durable-log -p ledger --all-targets --locked -- -D warnings

# Licences, banned crates and sources of the dependencies of all features (needs cargo-deny).
dependencies:
    cargo deny --locked --all-features check bans licenses sources

# All tests of the build for one machine: the second command of the README.
test:
    cargo test --workspace --locked

# Tests that need Kafka and Cassandra (deploy/local/up prints their addresses). All of the workspace is selected, so that
# libraries have the same features as in the other tests and are not built again.
test-cluster:
    cargo test --workspace --locked --features {{back_ends}} --test life_of_a_record --test deploy_files --test kafka_secure --test cql
    cargo test --workspace --locked --features {{back_ends}} --test whole_system -- --exact $(cat server/tests/whole_system/on_cluster.txt)
    cargo test --locked --features durable-log/kafka,durable-log/conformance,ledger/cql,ledger/conformance -p durable-log -p ledger --lib

# Fresh captures of services of the laboratory: three chosen by the commit, and those whose files changed.
lab:
    cd analyzer/lab && python3 -B -m unittest --quiet runner.tests
    analyzer/lab/ci --workspace

# Every fuzz target for some seconds, from its seeds.
fuzz seconds="10" seed="20261121":
    fuzz/run all {{seconds}} -seed={{seed}}

# The first command of the README, and the lines that it prints.
first-command:
    cargo build --release --locked
    server/tests/first_command.sh "${CARGO_TARGET_DIR:-target}/release/palisade"
