# What the bench has beside its rows: instructions. The allocators and
# the variables are those of make bench.

BENCH_PATHS := $(BUILD)/bench/paths
BENCH_EXTRA := $(BENCH_PATHS)

bench_objects = $(patsubst bench/%.c,$(BUILD)/obj/bench-$(1)/%.o,$(wildcard bench/$(2)/*.c)) \
    $(BENCH_SUPPORT:%=$(BUILD)/obj/bench-$(1)/%.o)

$(BENCH_PATHS): $(call bench_objects,cc,instructions)
$(BENCH_EXTRA):
	$(Q)mkdir -p $(@D) && $(CC) $^ -lpthread -lm -o $@

.PHONY: instructions bench-extra-built

instructions: ## instructions of every path of malloc and free, counted with callgrind: ROWS=word
	$(Q)tools/deps.sh instructions && $(MAKE) --no-print-directory -j$(JOBS) bench-extra-built && \
	bench/instructions/count.py

bench-extra-built: $(SHARED) $(BENCH_PROGRAMS) $(BENCH_LAUNCHER) $(BENCH_EXTRA)
