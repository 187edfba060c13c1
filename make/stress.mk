# Stress programs: each stress/NAME.c, with stress/support, on every build of the library.
# make stress SECONDS=60 SEED=7     stress/run.sh runs them all, each with its watchdog.

SECONDS ?= 60
STRESS_BUILDS := plain tsan asan ubsan
STRESS_NAMES := $(patsubst stress/%.c,%,$(wildcard stress/*.c))
STRESS_SUPPORT := $(wildcard stress/support/*.c)

STRESS_LIBRARY_plain := $(STATIC)
STRESS_LIBRARY_tsan := $(BUILD)/tsan/libhepta.a
STRESS_LIBRARY_asan := $(BUILD)/asan/libhepta.a
STRESS_LIBRARY_ubsan := $(BUILD)/ubsan/libhepta.a

define stress_rules
STRESS_PROGRAMS_$(1) := $$(STRESS_NAMES:%=$$(BUILD)/stress/$(1)/%)

$$(BUILD)/stress/$(1)/%: $$(BUILD)/obj/stress/$(1)/%.o \
        $$(STRESS_SUPPORT:stress/%.c=$$(BUILD)/obj/stress/$(1)/%.o) $$(STRESS_LIBRARY_$(1))
	@mkdir -p $$(@D)
	$$(Q)$$(COMPILER_$(1)) $$(SANITIZER_$(1)) $$^ $$(LIBS) -lm -o $$@

$$(BUILD)/obj/stress/$(1)/%.o: stress/%.c $$(BUILD)/obj/$(1)/flags
	@mkdir -p $$(@D)
	$$(if $$(Q),@echo "  $(1) $$<")
	$$(Q)$$(COMPILER_$(1)) $$(PROGRAM_FLAGS) -O1 -Istress $$(SANITIZER_$(1)) -c $$< -o $$@

-include $$(wildcard $$(BUILD)/obj/stress/$(1)/*.d $$(BUILD)/obj/stress/$(1)/support/*.d)
endef

$(foreach build,$(STRESS_BUILDS),$(eval $(call stress_rules,$(build))))

.SECONDARY:
.PHONY: stress $(STRESS_BUILDS:%=stress-%)

stress: stress-plain ## the stress programs for a while: SECONDS=60 SEED=
stress-tsan: ## the same under ThreadSanitizer
stress-asan: ## the same under AddressSanitizer
stress-ubsan: ## the same under UndefinedBehaviorSanitizer

.SECONDEXPANSION:
$(STRESS_BUILDS:%=stress-%): stress-%: $$(STRESS_PROGRAMS_$$*)
	$(Q)SEED=$(SEED) stress/run.sh $* $(SECONDS)
