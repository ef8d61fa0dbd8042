# The commands a developer needs. `make test` is all of the tests that must pass before anything lands.

.PHONY: test lint docs bench

test: lint
	cargo test --workspace --locked
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

docs:
	cargo doc --workspace --no-deps --open

bench:
	cargo bench -p kameleon
