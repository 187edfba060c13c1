# What the rows of real programs need beside Debian's packages: bench/programs/measure.c, which tells what a process
# costs, and the loads of servers. They are never measured themselves, and run on the system's malloc.

BENCH_HELPERS := $(addprefix $(BUILD)/bench/programs/,measure memcached_load http_load)

.PHONY: bench-programs
bench-programs: $(BENCH_HELPERS) ## what the rows of bench/rows/programs.tsv need, installed and built
	$(Q)tools/deps.sh bench-programs

NEEDED_BY_run_bench_programs := $(BENCH_HELPERS)

LOAD := bench/programs/load
$(BUILD)/bench/programs/measure: bench/programs/measure.c
$(BUILD)/bench/programs/memcached_load: $(LOAD)/memcached.c $(LOAD)/load.c $(LOAD)/load.h
$(BUILD)/bench/programs/http_load: $(LOAD)/http.c $(LOAD)/load.c $(LOAD)/load.h

$(BENCH_HELPERS): make/bench_programs.mk
	@mkdir -p $(@D)
	$(if $(Q),@echo "  bench $(@F)")
	$(Q)$(CC) $(filter-out -MMD -MP,$(LANGUAGE)) $(WARNINGS) -O2 -g $(filter %.c,$^) -o $@
