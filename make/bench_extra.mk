# What the bench has beside its rows: the latency of each call, growth, resident memory over time, instructions. The allocators and
# the variables are those of make bench.

BENCH_LATENCY := $(BUILD)/bench/latency
BENCH_HEAP := $(BUILD)/bench/heap
BENCH_PATHS := $(BUILD)/bench/paths
BENCH_RSS := $(BUILD)/bench/rss
BENCH_WATCH := $(BUILD)/bench/watch
BENCH_EXTRA := $(BENCH_LATENCY) $(BENCH_HEAP) $(BENCH_PATHS) $(BENCH_RSS) $(BENCH_WATCH)

bench_objects = $(patsubst bench/%.c,$(BUILD)/obj/bench-$(1)/%.o,$(wildcard bench/$(2)/*.c)) \
    $(BENCH_SUPPORT:%=$(BUILD)/obj/bench-$(1)/%.o)

$(BENCH_LATENCY): $(call bench_objects,cc,latency)
$(BENCH_HEAP): $(call bench_objects,cc,growth)
$(BENCH_PATHS): $(call bench_objects,cc,instructions)
$(BENCH_RSS): $(call bench_objects,cc,rss)
$(BENCH_WATCH): $(BUILD)/obj/bench-cc/runner/watch.o
$(BENCH_EXTRA):
	$(Q)mkdir -p $(@D) && $(CC) $^ -lpthread -lm -o $@

NEEDED_BY_run_bench_extra := $(BENCH_EXTRA) $(BENCH_PROGRAMS) $(BENCH_LAUNCHER) \
    $(foreach folder,latency growth instructions rss,$(call bench_objects,clang,$(folder))) \
    $(BUILD)/obj/bench-clang/runner/watch.o

.PHONY: bench-latency bench-growth bench-rss instructions bench-extra-built

bench-latency: ## how long each malloc and each free takes, to the 99.999th percentile: QUICK=1 ROUNDS=5
	$(Q)tools/deps.sh peers && $(MAKE) --no-print-directory -j$(JOBS) bench-extra-built
	$(Q)bench/latency/latency.py

bench-growth: ## time per operation against live heap, threads and cross-thread frees: QUICK=1 ROUNDS=3
	$(Q)tools/deps.sh peers && $(MAKE) --no-print-directory -j$(JOBS) bench-extra-built
	$(Q)bench/growth/growth.py

bench-rss: ## resident memory over time, where a program is busy, idle or forks: QUICK=1 ROUNDS=3
	$(Q)tools/deps.sh rss && $(MAKE) --no-print-directory -j$(JOBS) bench-extra-built
	$(Q)bench/rss/rss.py

instructions: ## instructions of every path of malloc and free, counted with callgrind: ROWS=word
	$(Q)tools/deps.sh instructions && $(MAKE) --no-print-directory -j$(JOBS) bench-extra-built
	$(Q)bench/instructions/count.py

bench-extra-built: $(SHARED) $(BENCH_PROGRAMS) $(BENCH_LAUNCHER) $(BENCH_EXTRA)
