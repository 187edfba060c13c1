# make bench: real programs and the workloads of bench/workloads on hepta and on other allocators.
# bench/runner/main.py says which variables it takes.

BENCH_NAMES := $(patsubst bench/workloads/%.c,%,$(wildcard bench/workloads/*.c))
BENCH_PROGRAMS := $(BENCH_NAMES:%=$(BUILD)/bench/%)
BENCH_SUPPORT := $(patsubst bench/%.c,%,$(wildcard bench/support/*.c))
BENCH_LAUNCHER := $(BUILD)/bench/launch

BENCH_COMPILER_cc = $(CC)
BENCH_COMPILER_clang = $(CLANG)

# The compiler must not know what malloc means: it may leave out a pair whose block nobody looks at.
define bench_rules
$$(BUILD)/obj/bench-$(1)/%.o: bench/%.c $$(BUILD)/obj/bench-$(1)/flags
	@mkdir -p $$(@D)
	$$(if $$(Q),@echo "  bench $$<")
	$$(Q)$$(BENCH_COMPILER_$(1)) $$(PROGRAM_FLAGS) -O2 $$(FRONT_FLAGS) -Ibench -c $$< -o $$@

$$(BUILD)/obj/bench-$(1)/flags: FORCE
	@mkdir -p $$(@D)
	@echo '$$(BENCH_COMPILER_$(1)) $$(PROGRAM_FLAGS) $$(FRONT_FLAGS)' > $$@.$$$$$$$$; \
	if cmp -s $$@.$$$$$$$$ $$@; then rm $$@.$$$$$$$$; else mv $$@.$$$$$$$$ $$@; fi

-include $$(wildcard $$(BUILD)/obj/bench-$(1)/*/*.d)
endef

$(foreach compiler,cc clang,$(eval $(call bench_rules,$(compiler))))

$(BENCH_PROGRAMS): $(BUILD)/bench/%: $(BUILD)/obj/bench-cc/workloads/%.o \
        $(BENCH_SUPPORT:%=$(BUILD)/obj/bench-cc/%.o)
	$(Q)mkdir -p $(@D) && $(CC) $^ -lpthread -lm -o $@

$(BENCH_LAUNCHER): $(BUILD)/obj/bench-cc/runner/launch.o
	$(Q)mkdir -p $(@D) && $(CC) $^ -o $@

# What tests/run_bench.sh needs to be built: by both compilers, which must have nothing to say.
NEEDED_BY_run_bench := $(BENCH_PROGRAMS) $(BENCH_LAUNCHER) \
    $(patsubst %,$(BUILD)/obj/bench-clang/%.o,runner/launch $(BENCH_SUPPORT) $(BENCH_NAMES:%=workloads/%))

.PHONY: bench bench-built

bench: ## hepta and five peers, time and memory: QUICK=1 ROWS=word ROUNDS=5 RECORD=0 ALLOC=name=lib.so
	$(Q)tools/deps.sh bench && BEGIN=$$(date +%s) && export BEGIN && \
	$(MAKE) --no-print-directory -j$(JOBS) bench-built $(BENCH_HELPERS) && bench/runner/main.py

bench-built: $(SHARED) $(BENCH_PROGRAMS) $(BENCH_LAUNCHER)
