# make check: everything below, two tests at a time.
# make check ONLY='spec_bfc crimes' runs the tests whose names contain one of these words.

CHECK_SECONDS ?= 4
JOBS ?= 2

# A test is a name, a command and the files that must be built for it.
define test
TESTS += $(1)
COMMAND_$(1) := $(2)
NEEDS_$(1) := $(3)
endef

add_test = $(eval $(call test,$(strip $(1)),$(strip $(2)),$(strip $(3))))
LIBRARIES := $(SHARED) $(BUILD)/lib/libhepta.so $(STATIC) $(PREFIXED)

# ---- the list ------------------------------------------------------------------------------------
# The long ones first, so that none of them is left over for the end.

$(if $(wildcard stress/run.sh),$(foreach build,$(STRESS_BUILDS),$(call add_test,\
    stress-$(build),stress/run.sh $(build) $(CHECK_SECONDS),$(STRESS_PROGRAMS_$(build)))))

$(call add_test,check-tidy,tools/check_tidy)

$(foreach script,$(wildcard tests/programs_*.sh tests/env_*.sh tests/run_*.sh),$(call add_test,\
    $(basename $(notdir $(script))),$(script),$(LIBRARIES) $(NEEDED_BY_$(basename $(notdir $(script))))))

$(foreach spec,$(patsubst tests/%.c,%,$(wildcard tests/spec_*.c)),$(call add_test,\
    $(spec),$(BUILD)/test/$(spec),$(BUILD)/test/$(spec)))

$(foreach script,$(wildcard tests/tools/*.sh),$(call add_test,\
    tools-$(basename $(notdir $(script))),$(script),$(LIBRARIES) $(BUILD)/tsan/libhepta.a))

$(call add_test,check-layers,tools/check_layers)
$(call add_test,check-style,tools/check_style)
$(call add_test,check-format,tools/check_format)

SELECTED := $(strip $(if $(ONLY),\
    $(foreach name,$(TESTS),$(if $(strip $(foreach word,$(ONLY),$(findstring $(word),$(name)))),$(name))),\
    $(TESTS)))

# ---- running it ----------------------------------------------------------------------------------
# What does not build is a failed test and does not keep the others from running.

.PHONY: check check-selected selected $(filter check-%,$(TESTS))

check: ## install, build and test everything: ONLY=word for a part of it
	$(Q)tools/deps.sh check
	$(Q)$(MAKE) --no-print-directory check-selected

check-selected:
	$(Q)$(if $(SELECTED),,$(error no test has '$(ONLY)' in its name))\
	built=0; $(MAKE) --no-print-directory -k -j$(JOBS) selected || built=1; \
	tools/run_tests --jobs $(JOBS) "build: test $$built = 0" \
	    $(foreach name,$(SELECTED),'$(name): $(COMMAND_$(name))')

selected: $(sort $(foreach name,$(SELECTED),$(NEEDS_$(name))))
	@true

check-layers: ## includes go down only
check-style: ## atomics say their order's reason, lengths, header blocks, words
check-format: ## clang-format
check-tidy: ## clang-tidy
check-layers check-style check-format check-tidy:
	$(Q)$(COMMAND_$@)

# ---- the specifications --------------------------------------------------------------------------
# tests/spec_MODULE.c, with tests/support, on a library that checks its invariants all the time.

TEST_SUPPORT := $(patsubst tests/%.c,$(BUILD)/obj/tests/%.o,$(wildcard tests/support/*.c))

$(BUILD)/test/spec_%: $(BUILD)/obj/tests/spec_%.o $(TEST_SUPPORT) $(TEST_LIBRARY)
	@mkdir -p $(@D)
	$(Q)$(CC) $^ -lcmocka $(LIBS) -lm -o $@

$(BUILD)/obj/tests/%.o: tests/%.c $(BUILD)/obj/test/flags
	@mkdir -p $(@D)
	$(if $(Q),@echo "  test $<")
	$(Q)$(CC) $(PROGRAM_FLAGS) $(DEFINES_test) -Itests -c $< -o $@

-include $(wildcard $(BUILD)/obj/tests/*.d $(BUILD)/obj/tests/support/*.d)
