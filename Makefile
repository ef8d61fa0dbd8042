# The commands a developer needs. `make test` is all of the tests that must pass before anything lands.

.PHONY: test test-slow lint docs bench

test: lint
	cargo test --workspace --locked
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Statistical tests that take minutes: the posterior of the Glass data, and simulation-based calibration.
test-slow:
	cargo test -p kameleon-gp --locked -- --ignored --nocapture --test-threads 1

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

docs:
	cargo doc --workspace --no-deps --open

bench:
	cargo bench -p kameleon
	cargo bench -p kameleon-gp
