# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause

VERSION := $(shell cat VERSION)
LAB     := selftests/vm/lab
KDIR    ?= /lib/modules/$(shell uname -r)/build
DESTDIR ?=
PREFIX  ?= /usr/local
SECONDS ?= 60
HOURS   ?= 1
KERNEL  ?= stable
NAME    ?= smoke
soak_seconds = $(shell awk 'BEGIN { printf "%d", $(HOURS) * 3600 }')

# Build the modules from a copy of the sources, because kbuild writes its output next to the
# sources. kmake contains only arguments, because make 4.3 passes the option -j only to a recipe
# that contains $(MAKE) itself.
kname   := $(notdir $(realpath $(KDIR)))
kbuild  := build/modules/$(kname)
kmake   = -C $(KDIR) M=$(CURDIR)/$(kbuild)/driver --no-print-directory
suite   := selftests/suite

.PHONY: help demo quick test check check-all check-debug check-kcsan soak modules modules_install utils unit lint \
	vm-check lab fuzz litmus mutate mutate-driver spec-coverage bench bench-core paths judges screenshots machines deb deb12 deb13 \
	deb13-arm64 rpm intree series provider-series install uninstall clean

help: ## this list
	@echo "xiw $(VERSION): iWARP with RFC 7306 for Linux. Targets:"
	@sed -n 's/^\([a-z_-]*\):.*## /\1\t/p' Makefile | \
	while IFS='	' read -r t d; do printf '  %-16s %s\n' "$$t" "$$d"; done

demo: ## NVMe-oF, NFS, atomics and immediates between guests (RNIC=pci: PCIe RNICs)
	$(LAB) demo $(RNIC)

# The seed for random samples, for example of mutants: the commit or, without git, the version. Each
# commit gets a different sample, and a second run for the same commit gets the same sample.
commit = $(shell git rev-parse HEAD 2>/dev/null || cat VERSION)

# In a shell without job control, background commands ignore SIGINT. So on ^C, the shell sends
# SIGTERM to all commands of the recipe.
on_interrupt := trap 'trap "" TERM; kill 0' INT

# checks GUESTS,PREFIX: runs the steps that are common to the targets check and check-all. GUESTS is
# the command that runs tests in guests. PREFIX is an env(1) command that sets variables for lint,
# or is empty. The lint step "kernels" runs first, because it builds the modules that the guests
# load. The guests are often idle, so the other steps run in parallel with them. The output of these
# steps is in build/results; the terminal shows only failures.
define checks
	@mkdir -p build
	@$(suite) --begin
	@$(on_interrupt); $(LAB) prepare > build/prepare.log 2>&1 & \
		$(suite) kernels $2 selftests/lint/run kernels; wait
	@$(on_interrupt); { $(suite) --beside fuzz $(LAB) in fuzz selftests/fuzz/run 20; \
		nice -n 19 $(suite) --beside unit $(MAKE) --no-print-directory unit; \
		nice -n 19 $(suite) --beside mutate $(LAB) in check selftests/mutate/run \
			--sample 30 --seed "$(commit)"; \
		nice -n 19 $(suite) --beside lint $2 selftests/lint/run --but kernels; } & \
		$1; wait
endef

quick: ## after each edit, in three minutes: modules, a guest, affected unit tests and lint steps
	@selftests/quick

test: ## run NAME="verbs-atomics smoke:netns" in a guest (KERNEL=uml-smp: native speed)
	@$(LAB) build $(KERNEL)
	@selftests/programs
	@$(LAB) run -k $(KERNEL) $(NAME)

check: ## all that a push must pass: unit, fuzz, mutants, lint, vm; the last line is the sum
	$(call checks,$(suite) --beside debian selftests/guests debian & \
		$(suite) --beside ulps selftests/guests ulps & $(suite) uml selftests/guests uml,\
		env LINT_SEED="$(commit)")
	@$(suite) coverage selftests/spec-coverage --ran || :
	@$(suite) --end

# check-all does not include check-debug: each of these targets takes an afternoon. To repeat failed
# parts, run: selftests/guests --all PART...
check-all: ## all tests, also the long ones, on all kernels and both RNICs: takes hours
	$(call checks,$(suite) vm selftests/guests --all)
	@$(suite) packages selftests/packages
	@$(suite) machines selftests/machines/run
	@$(suite) coverage selftests/spec-coverage --ran || :
	@$(suite) --end

check-debug: ## all tests under KASAN, lockdep and kmemleak (kernel built once)
	@$(suite) --begin
	@$(suite) debug selftests/guests --debug
	@$(suite) --end

check-kcsan: ## tests in which threads race, under KCSAN, which reports data races
	@$(suite) --begin
	@$(suite) kcsan selftests/guests --kcsan
	@$(suite) --end

# HOURS may be a fraction, such as 0.5. With KERNEL=debug, the kernel also checks for memory leaks.
soak: ## HOURS (1) of storage and verbs between two guests, with disturbances; ends with a table
	@$(LAB) build $(KERNEL)
	@selftests/programs utils
	@XIW_TEST_SECONDS=$(soak_seconds) $(LAB) run -k $(KERNEL) --pair --cpus 4 --show \
		--timeout $$(($(soak_seconds) + 900)) soak

modules: ## xiw.ko for the running kernel, or KDIR=path
	@selftests/kdir $(KDIR)
	@selftests/sources $(kbuild)
	@umask 022; $(MAKE) $(kmake) modules
	@echo "built $(kbuild)/driver/xiw.ko"

# Do not sign the modules, because the key of the distribution is not available (docs/install.md).
# With the umask 022, all users can read the modules and what depmod writes.
modules_install: modules ## into DESTDIR/lib/modules/RELEASE/updates
	@umask 022; $(MAKE) $(kmake) INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=updates \
		CONFIG_MODULE_SIG_ALL= CONFIG_MODULE_COMPRESS_ALL= DEPMOD=true modules_install
	@umask 022; if [ -z "$(DESTDIR)" ]; then depmod -a "$$(cat $(KDIR)/include/config/kernel.release)"; fi

utils: ## the xiw tool, on this host
	@selftests/cmake utils build/utils

# The date of packages, in seconds since 1970: the time of the last commit or, without git, the
# modification time of the file VERSION.
dated = $(shell git log -1 --format=%ct 2>/dev/null || date -r VERSION +%s)

deb: deb12 deb13 ## .deb packages for Debian 12 and 13, into build/deb (deb13-arm64: for arm64)

deb12 deb13:
	@$(LAB) in $@ packaging/deb build/deb/$(@:deb%=%) $(dated)

deb13-arm64:
	@$(LAB) in arm64-deb packaging/deb build/deb/13-arm64 $(dated) arm64

rpm: ## the utilities as .rpm, into build/rpm
	@$(LAB) in deb13 packaging/rpm/build build/rpm $(dated)

intree: ## put the driver into the kernel source LINUX=path, as drivers/infiniband/sw/xiw
	@packaging/kernel/tree.py intree "$(LINUX)"

series: ## patches for the kernel source LINUX=path in the order of review, into build/series
	@packaging/kernel/tree.py series "$(LINUX)" build/series

provider-series: ## patches of the provider for rdma-core's source SOURCE=path, into build/rdma-core
	@packaging/rdma-core/series.py "$(SOURCE)" build/rdma-core

# packaged succeeds if the package ibverbs-provider-xiw is on this machine. The package and the
# installation of the provider write the same file in /etc.
provider_file := /etc/libibverbs.d/xiw.driver
packaged       = [ -z "$(DESTDIR)" ] && dpkg -S $(provider_file) >/dev/null 2>&1

.PHONY: unpackaged
unpackaged:
	@if $(packaged); then echo "xiw: $(provider_file) belongs to a package, so first run:" \
		"apt-get purge ibverbs-provider-xiw" >&2; exit 1; fi

install: unpackaged modules_install utils ## module and tool on this machine (DESTDIR, PREFIX)
	@umask 022; DESTDIR=$(DESTDIR) cmake --install build/utils --prefix $(PREFIX)
	@umask 022; [ -n "$(DESTDIR)" ] || ldconfig

uninstall: ## undo install
	@rm -fv $(DESTDIR)/lib/modules/*/updates/xiw.ko*
	@if [ -f build/utils/install_manifest.txt ]; then \
		sed 's|^|$(DESTDIR)|' build/utils/install_manifest.txt | \
			if $(packaged); then grep -vFx $(provider_file); else cat; fi | xargs -r rm -fv; \
	else echo "build/utils/install_manifest.txt is missing: the tool stays installed"; fi
	@if $(packaged); then echo "kept $(provider_file) of the package; to restore its content, run:" \
		"apt-get install --reinstall -o Dpkg::Options::=--force-confask ibverbs-provider-xiw"; fi
	@umask 022; [ -n "$(DESTDIR)" ] || ldconfig
	@umask 022; [ -n "$(DESTDIR)" ] || for file in /lib/modules/*/modules.dep; do \
		[ ! -e "$$file" ] || depmod -a "$$(basename "$${file%/*}")"; done

unit: ## unit and model tests of core and tool, in the lab's Debian 13
	@$(LAB) in check selftests/cmake --test selftests/unit build/unit
	@$(LAB) in check selftests/bench/core/run --smoke build/unit/bench/bench-core

lint: ## style, static checks, builds without warnings on every kernel
	@selftests/lint/run

vm-check: ## the tests that need a kernel, in guests
	@mkdir -p build
	@selftests/guests

lab: ## prepare kernels, roots and images now (they are cached)
	@$(LAB) prepare

fuzz: ## SECONDS (60) of each fuzzer against the core
	@$(LAB) in fuzz selftests/fuzz/run $(SECONDS)

litmus: ## check the barriers of the rings by the kernel's memory model (needs herd7; HERD=path)
	@selftests/litmus/run $(HERD)

mutate: ## check that unit tests detect each small mistake in the core: takes minutes
	@$(LAB) in check selftests/mutate/run

mutate-driver: ## check that tests in guests detect COUNT (20) mistakes in the driver: a minute each
	@selftests/mutate/driver --count $(or $(COUNT),20) --seed "$(commit)"

spec-coverage: ## requirements of the RFCs, the tests that name them, and those without tests
	@selftests/spec-coverage

# Measured times vary more than instruction counts (--icount), so measure more rounds.
native := XIW_TEST_SIZES="64 4096 65536 1048576" XIW_TEST_DEPTHS=16 XIW_TEST_QPS=1 \
	XIW_TEST_ROUNDS=7 XIW_TEST_MS=100

# A few values of the parameters of each benchmark, in one round. One round is sufficient only with
# --icount, because measured times vary too much.
few := XIW_TEST_ROUNDS=1 XIW_TEST_MTUS=1500 XIW_TEST_DEPTHS="16 1" XIW_TEST_QPS=1 XIW_TEST_COUNT=500 \
	XIW_TEST_CONNECTIONS="1 64" XIW_TEST_STAGS="1 10000" XIW_TEST_IDLE=200

bench_out := build/bench$(if $(QUICK),-quick)

define keep_bench
	@mkdir -p $(bench_out)
	@cp "$$(ls -td build/vm/*/lab/out | head -n 1)"/*-one/*.json $(bench_out)/
endef

define bench_all
	@$(LAB) build uml
	@$(LAB) build uml-smp
	@$(LAB) run -k stable --icount --show --group bench
	$(keep_bench)
	@$(native) $(LAB) run -k uml --show verbs-speed nvme-speed ulp-speed
	$(keep_bench)
	@$(native) $(LAB) run -k uml-smp --cpus 1 --show encrypted-speed
	$(keep_bench)
	@$(LAB) run -k uml-smp --show --group bench cpus-speed
	$(keep_bench)
endef

define bench_few
	@$(few) XIW_TEST_TYPES="xiw siw" XIW_TEST_SIZES="64 65536" \
		$(LAB) run -k stable --icount --show verbs-speed growth
	$(keep_bench)
	@$(few) XIW_TEST_TYPES="xiw siw" XIW_TEST_SIZES=64 \
		$(LAB) run -k stable --icount --show small-speed
	$(keep_bench)
	@$(few) XIW_TEST_TYPES="xiw tcp" $(LAB) run -k stable --icount --show nvme-speed
	$(keep_bench)
endef

bench: ## performance against siw, rxe, TCP and NVMe/TCP, within an hour (QUICK=1: ten minutes)
	@$(LAB) build stable
	@selftests/programs utils
	$(if $(QUICK),$(bench_few),$(bench_all))
	@$(LAB) in check selftests/bench/plot $(bench_out) $(bench_out)/*.json
	@$(LAB) in check selftests/bench/plot --tables $(bench_out)

bench-core: ## microbenchmarks of driver/core on this machine (FILTER=regex)
	@$(LAB) in check selftests/bench/core/run "$(FILTER)"

paths: ## NVMe-oF over xiw, siw and rxe, and NVMe/TCP, on paths with delay, loss and middleboxes
	@$(LAB) build uml-smp
	@selftests/programs utils
	@$(LAB) run -k uml-smp --show --group bench paths
	$(keep_bench)
	@$(LAB) in check selftests/bench/plot --tables $(bench_out)

judges: ## test suites of other projects on xiw, siw and rxe: a table (SUITES="qperf perftest")
	@selftests/programs utils
	@selftests/judges/run $(SUITES)

machines: ## arm64 and s390x, emulated: modules, unit tests, guests, pairs with amd64
	@selftests/machines/run

screenshots: ## docs/screens: the tool's screens in two guests, as a terminal shows them
	@selftests/screens/run

clean: ## remove what was built here (the cache in ~/.cache/xiw stays)
	@rm -rf build
