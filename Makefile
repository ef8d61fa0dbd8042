# The commands a developer needs. `make lint test` is what must pass before anything lands.

.PHONY: test compile venv-or-note test-python test-r check-r r-package test-r-package python-registry test-slow lint docs bench population-cost compare compare-samplers compare-evidence compare-installed \
	venv test-wheel test-packages notebooks calibration test-hosts hosts site gallery

test:
	@$(MAKE) --no-print-directory -j2 compile venv-or-note
	KAMELEON_TEST_PYTHON="$(CURDIR)/.venv/bin/python:$(CURDIR)/.venv-new/bin/python" cargo test --workspace --tests --locked
	cargo test --workspace --doc --locked
	@$(MAKE) --no-print-directory test-python

# Everything that is tested, the Python extension too, so that it is compiled in one go; not the examples, which the linter
# looks at. Packages are fetched meanwhile.
compile:
	cargo build --workspace --lib --bins --tests --locked

venv-or-note:
	@$(MAKE) --no-print-directory venv || echo "NOTE: no Python environment, so tests that need one are skipped"

# The Python package, as a wheel in an environment of its own.
SCRIPTS = python examples/python benches website

test-python: compile venv
	rm -rf target/wheels && .venv/bin/python python/make_wheel.py target/debug/libkameleon_py.so target/wheels
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels/*.whl
	.venv/bin/ruff check $(SCRIPTS) && .venv/bin/ruff format --check $(SCRIPTS)
	.venv/bin/mypy
	cd target && ../.venv/bin/python -m mypy.stubtest kameleon._kameleon --allowlist ../python/tests/stubtest-allowed.txt
	KAMELEON_TEST_PYTHON_NEW="$(CURDIR)/.venv-new/bin/python" .venv/bin/python -m pytest --pyargs kameleon python/tests

# The plugins, with bilby, Cobaya, PINTS and pyPESTO in an environment of their own.
test-hosts: compile .venv-hosts/made
	rm -rf target/wheels-hosts && .venv-hosts/bin/python python/make_wheel.py target/debug/libkameleon_py.so target/wheels-hosts
	.venv-hosts/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels-hosts/*.whl
	.venv-hosts/bin/python -m pytest python/tests_hosts

# The table of docs/hosts.md: an example of each host with its default sampler and with Kameleon, and what a plugin costs.
hosts: .venv-hosts/made
	.venv-hosts/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps .
	.venv-hosts/bin/python benches/hosts.py

.venv-hosts/made: python/requirements-hosts.txt
	$(PYTHON) -m venv .venv-hosts
	.venv-hosts/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# The R package: its Rust side by the linter, then R's own check, which installs it and runs its examples and tests. It is
# compiled together with the workspace, whose compiled crates it shares. Warnings of the check fail too.
R_PACKAGES = posterior testthat

test-r:
	@if ! command -v Rscript >/dev/null; then echo "NOTE: there is no R, so the R package is not tested"; \
	elif ! Rscript -e 'for (p in commandArgs(TRUE)) loadNamespace(p)' $(R_PACKAGES) >/dev/null 2>&1; then \
		echo "NOTE: one of $(R_PACKAGES) is not installed in R, so the R package is not tested"; \
	else $(MAKE) --no-print-directory check-r; fi

check-r: export R_INCLUDE_DIR = $(shell R CMD config --cppflags | sed 's/^-I//; s/ .*//')
check-r: export KAMELEON_WORKSPACE = $(CURDIR)
check-r: export KAMELEON_REPOSITORY = $(CURDIR)
check-r: export KAMELEON_PROGRAM = $(CURDIR)/target/debug/kameleon
check-r: export KAMELEON_R_PROFILE = dev
check-r: export _R_CHECK_FORCE_SUGGESTS_ = false
check-r:
	cargo clippy --workspace --lib --features kameleon-r/r --locked -- -D warnings
	cargo build --workspace --lib --bins --features kameleon-r/r --locked
	rm -rf target/r-check && mkdir -p target/r-check
	cd target/r-check && R CMD build ../../r >build.log
	cd target/r-check && R CMD check --no-manual kameleon_*.tar.gz || { cat kameleon.Rcheck/tests/*.Rout.fail; exit 1; }
	! grep -q "WARNING$$" target/r-check/kameleon.Rcheck/00check.log

# The R package as one file that needs no clone, target/r-package/kameleon_VERSION.tar.gz: with the crates in src/workspace, where `configure`
# finds them. Cargo fetches other people's crates when it is installed.
r-package:
	rm -rf target/r-package && mkdir -p target/r-package/kameleon/src/workspace
	git ls-files r | tar -cf - -T - | tar -xf - -C target/r-package/kameleon --strip-components 1
	git ls-files Cargo.toml Cargo.lock README.md 'LICENSE-*' crates | grep -v '/tests/\|/examples/' | tar -cf - -T - \
		| tar -xf - -C target/r-package/kameleon/src/workspace
	cd target/r-package && R CMD build kameleon

# That file, installed away from the clone and used. It shares what is compiled of other people's crates.
test-r-package: r-package
	mkdir target/r-package/library
	cd target/r-package && env -u KAMELEON_WORKSPACE CARGO_TARGET_DIR="$(CURDIR)/target" KAMELEON_R_PROFILE=$(R_PROFILE) \
		R CMD INSTALL --library=library kameleon_*.tar.gz
	cd target/r-package && R_LIBS=library Rscript -e 'library(kameleon)' \
		-e 'fit <- kameleon(function(x) -sum(x^2) / 2, c(a = 1), draws = 500, warmup = 500, seed = 1)' \
		-e 'stopifnot(fit$$complete, dim(fit$$draws) == c(500, 4, 1))'

# The Python classes of samplers, kernels and built-in targets, after a change of the registry.
python-registry:
	cargo run --quiet --locked -p kameleon-cli -- list --json | $(PYTHON) python/generate.py

# Statistical tests that take minutes: the paper's comparison with as many chains, the posterior of the Glass data, and
# simulation-based calibration.
test-slow:
	cargo test -p kameleon -p kameleon-gp --tests --locked -- --ignored --nocapture --test-threads 1

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

docs:
	cargo doc --workspace --no-deps --open

bench:
	cargo bench -p kameleon
	cargo bench -p kameleon-gp

# What the warm-up from the prior costs on posteriors of real data. An hour on two cores, unless COST says less, such as
# COST="--seeds 3 --only nile".
population-cost:
	cargo build --release --locked -p kameleon-cli
	$(PYTHON) benches/population_cost.py $(COST)

# How far off runs are that are called converged, on models whose truth is known. An hour on two cores, unless CALIBRATE says less, such
# as CALIBRATE="--seeds 5 --only banana". Runs of earlier calls are kept in kameleon-calibration/runs.jsonl.
calibration:
	cargo build --release --locked -p kameleon-cli
	target/release/kameleon calibrate experiments/calibration.toml $(CALIBRATE)

# Kameleon next to the samplers people use, on the paper's targets with the same number of evaluations. Hours, most of them for
# nautilus, unless COMPARE says less, such as COMPARE="--seeds 3 --only kameleon emcee". A package that cannot be installed is left out.
PEERS = emcee zeus-mcmc pints pymc blackjax nautilus-sampler dynesty pocomc ultranest
compare: compare-samplers compare-evidence

# Only the tables of draws; COMPARE="--only kameleon --first-seed 9001 --seeds 50 --on 0.03" makes runs with fresh seeds.
compare-samplers: compare-installed
	.venv-compare/bin/python benches/peers/compare.py --out comparison $(COMPARE)

# Only the table of evidence. The runs of earlier calls are kept; COMPARE="--refresh kameleon --only kameleon --seeds 10" makes those
# of Kameleon anew.
compare-evidence: compare-installed
	.venv-compare/bin/python benches/peers/evidence.py --out comparison $(COMPARE)

compare-installed: .venv-compare/made
	.venv-compare/bin/python -m pip install --quiet --disable-pip-version-check .

.venv-compare/made:
	$(PYTHON) -m venv .venv-compare
	.venv-compare/bin/python -m pip install --quiet --disable-pip-version-check numpy scipy "arviz<1"
	@for peer in $(PEERS); do .venv-compare/bin/python -m pip install --quiet --disable-pip-version-check $$peer \
		|| echo "NOTE: $$peer cannot be installed and is left out"; done
	touch $@

# Python environments for the tests: .venv of python3, and .venv-new of Python 3.12 or later, where one is found, for the
# newest ArviZ.
PYTHON ?= python3
NEWER = $(firstword $(foreach python,python3.14 python3.13 python3.12 $(wildcard $(HOME)/.pyenv/versions/3.1[2-9]*/bin/python),\
	$(if $(shell $(python) --version 2>/dev/null),$(python))))

venv: .venv/made .venv-new/made

.venv/made: python/requirements-test.txt python/requirements-clusters.txt
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -r python/requirements-clusters.txt \
		|| echo "NOTE: an MPI, ray and parsl cannot be installed, so chains on their clusters are not tested"
	touch $@

.venv-new/made: python/requirements-arviz.txt
	@mkdir -p .venv-new
	@if [ -z "$(NEWER)" ]; then echo "NOTE: no Python 3.12 or later, so files are not checked with ArviZ 1.x"; else \
		$(NEWER) -m venv .venv-new && .venv-new/bin/python -m pip install --quiet --disable-pip-version-check -r $<; fi
	@touch $@

# The wheel as `pip install .` makes it, some minutes, tested in an environment without Rust. (`make test` does the same with a
# wheel of the library that it has compiled anyway.)
test-wheel: venv
	rm -rf target/release-wheel && $(PYTHON) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir target/release-wheel .
	KAMELEON_WHEEL="$$(echo target/release-wheel/*.whl)" .venv/bin/python -m pytest -o filterwarnings= python/tests/test_wheel.py

# What would be published on crates.io, compiled from the packages, and the source archive for PyPI.
test-packages: venv
	cargo publish --workspace --locked --dry-run --allow-dirty
	rm -rf target/sdist && .venv/bin/python -m pip install --quiet --disable-pip-version-check build
	.venv/bin/python -m build --sdist --outdir target/sdist
	$(PYTHON) -m pip wheel --disable-pip-version-check --no-deps --wheel-dir target/sdist target/sdist/*.tar.gz

# The examples as executed notebooks, from the scripts beside them. The site shows what is stored in them.
notebooks: venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check . jupytext nbconvert ipykernel dynesty
	cd examples/python && for script in *.py; do \
		PYTHONWARNINGS=ignore::FutureWarning ../../.venv/bin/jupytext --quiet --to ipynb --execute $$script || exit 1; done

# The documentation site in target/site, which works offline and from the disk; open target/site/index.html. It is built in strict mode, and all
# links, anchors and files of the built pages are checked.
site: .venv-site/made
	cargo build --quiet --locked -p kameleon-cli
	.venv-site/bin/python -m doctest website/*.py
	NO_MKDOCS_2_WARNING=1 KAMELEON="$(CURDIR)/target/debug/kameleon" .venv-site/bin/mkdocs build --quiet --config-file website/mkdocs.yml
	.venv-site/bin/python website/check.py target/site
	.venv-site/bin/python website/check_search.py target/site

.venv-site/made: website/requirements.txt
	$(PYTHON) -m venv .venv-site
	.venv-site/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# The animated pictures of docs/gallery.md.
gallery:
	cargo build --quiet --locked -p kameleon-cli
	for target in banana ring flower two-modes:distance=8 gaussian:correlation=0.98 student-t:freedom=5 mixed-banana:b=0.03 funnel:s=2; do \
		target/debug/kameleon animate --target $$target --out docs/figures/animation-$${target%%:*}.svg || exit 1; done
