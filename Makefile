# hepta: a memory allocator for Linux. `make help` lists what can be made.
#
#   BUILD=dir   where everything goes (default: build)      V=1       show the commands
#   CC=clang    the compiler (default: gcc)                 DEBUG=1   check invariants at run time
#   CLANG=name  the clang that makes the sanitizer builds

.DEFAULT_GOAL := all
BUILD ?= build
override BUILD := $(abspath $(BUILD))

include make/flags.mk
include make/library.mk
include make/install.mk
include make/bench.mk
include make/bench_programs.mk
include make/bench_extra.mk
include make/stress.mk
include make/check.mk

# Scripts find the libraries by BUILD and the compilers by CC and CLANG.
export BUILD CC CLANG

# ---- products ------------------------------------------------------------------------------------

.PHONY: all deps clean help run demo demo-redis growth handover large

all: $(SHARED) $(BUILD)/lib/libhepta.so $(STATIC) $(PREFIXED) ## the libraries, in build/lib

deps: ## install what is missing from Debian packages
	$(Q)tools/deps.sh check

clean: ## remove build
	$(Q)rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) \
	| expand -t 26

# ---- hepta at work -------------------------------------------------------------------------------
# The demonstrations install what they need first, so the build is a second make.

# $(value): the command reaches the shell as it was written, dollars and quotes too.
override CMD := $(value CMD)
export CMD

run: all ## run a command on hepta: make run CMD='redis-server --port 7777'
	$(Q)$(if $(CMD),,$(error CMD is empty; try: make run CMD='ls -l'))\
	LD_PRELOAD=$(BUILD)/lib/libhepta.so sh -c "$$CMD"

demo: ## a pipeline server on the system's malloc and on hepta: table and plot
	$(Q)tools/deps.sh demo && $(MAKE) --no-print-directory all && bench/demo/demo.sh

demo-redis: ## redis on the system's malloc, on jemalloc and on hepta
	$(Q)tools/deps.sh redis && $(MAKE) --no-print-directory all && bench/demo/redis.sh

growth: ## what the arena's core costs against the number of its free chunks
	$(Q)bench/bfc_growth.sh

best-fit: ## what best fit can do at best where the sizes of blocks move
	$(Q)bench/best_fit.sh

handover: ## nanoseconds per message, one producer and one consumer, on hepta and its peers
	$(Q)tools/deps.sh instructions && $(MAKE) --no-print-directory all && bench/handover/run.sh

large: ## large blocks: nanoseconds and memory, on hepta and its peers
	$(Q)tools/deps.sh instructions && $(MAKE) --no-print-directory all && bench/large/run.sh
