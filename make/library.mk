# The library, in several builds of the same sources:
#
#   plain     what is installed: libhepta.so and libhepta.a
#   prefixed  installed too: libhepta-prefixed.a, for programs that keep their own malloc beside it
#   test    invariants checked on entry and exit, prefixed functions only, internals visible
#   tsan, asan, ubsan   clang's sanitizers, prefixed functions only

FLOORS := platform metadata arena owner cache service front
SOURCES := $(wildcard $(FLOORS:%=src/%/*.c))
BUILDS := plain prefixed test tsan asan ubsan

COMPILER_plain = $(CC)
COMPILER_prefixed = $(CC)
COMPILER_test = $(CC)
COMPILER_tsan = $(CLANG)
COMPILER_asan = $(CLANG)
COMPILER_ubsan = $(CLANG)

DEFINES_plain := -O2 -DHP_DEBUG=$(DEBUG) -DHP_PREFIX_ONLY=0
DEFINES_prefixed := -O2 -DHP_DEBUG=$(DEBUG) -DHP_PREFIX_ONLY=1
DEFINES_test := -O1 -DHP_DEBUG=1 -DHP_PREFIX_ONLY=1
DEFINES_tsan := -O1 -DHP_DEBUG=0 -DHP_PREFIX_ONLY=1 -fno-omit-frame-pointer
DEFINES_asan := -O1 -DHP_DEBUG=0 -DHP_PREFIX_ONLY=1 -fno-omit-frame-pointer
DEFINES_ubsan := -O1 -DHP_DEBUG=0 -DHP_PREFIX_ONLY=1

SANITIZER_tsan := -fsanitize=thread
SANITIZER_asan := -fsanitize=address
SANITIZER_ubsan := -fsanitize=undefined -fno-sanitize-recover=all

# ---- objects -------------------------------------------------------------------------------------
# The stamp of a build changes with its compiler and its flags, and everything is made again.

define build_rules
OBJECTS_$(1) := $$(SOURCES:src/%.c=$$(BUILD)/obj/$(1)/%.o)

$$(BUILD)/obj/$(1)/%.o: src/%.c $$(BUILD)/obj/$(1)/flags
	@mkdir -p $$(@D)
	$$(if $$(Q),@echo "  $(1) $$<")
	$$(Q)$$(COMPILER_$(1)) $$(call LIBRARY_FLAGS,$$(COMPILER_$(1))) $$(DEFINES_$(1)) \
	    $$(call file_flags,$$*,$$(SANITIZER_$(1))) -c $$< -o $$@

$$(BUILD)/obj/$(1)/flags: FORCE
	@mkdir -p $$(@D)
	@echo '$$(COMPILER_$(1)) $$(call LIBRARY_FLAGS,$$(COMPILER_$(1))) $$(DEFINES_$(1))' > $$@.$$$$$$$$; \
	if cmp -s $$@.$$$$$$$$ $$@; then rm $$@.$$$$$$$$; else mv $$@.$$$$$$$$ $$@; fi

-include $$(OBJECTS_$(1):.o=.d)
endef

$(foreach build,$(BUILDS),$(eval $(call build_rules,$(build))))

.PHONY: FORCE
FORCE:

# ---- the shared library --------------------------------------------------------------------------
# nodelete: a thread may exit, and run our destructor, after dlclose().

SONAME := libhepta.so.1
SHARED := $(BUILD)/lib/$(SONAME)

$(SHARED): $(OBJECTS_plain) src/hepta.map
	@mkdir -p $(@D)
	$(if $(Q),@echo "  link $(@F)")
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=src/hepta.map \
	    -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,defs -Wl,--as-needed \
	    $(OBJECTS_plain) $(LIBS) $(LDFLAGS) -o $@

$(BUILD)/lib/libhepta.so: $(SHARED)
	$(Q)ln -sf $(SONAME) $@

# ---- the static libraries ------------------------------------------------------------------------
# The installed one is a single object whose internal symbols are local: nothing of ours can clash
# with the program, and a static link gets the whole malloc family or none of it.

STATIC := $(BUILD)/lib/libhepta.a
PREFIXED := $(BUILD)/lib/libhepta-prefixed.a

$(STATIC): $(OBJECTS_plain)
$(PREFIXED): $(OBJECTS_prefixed)
$(STATIC) $(PREFIXED):
	@mkdir -p $(@D) $(BUILD)/obj/$(@F)
	$(if $(Q),@echo "  archive $(@F)")
	$(Q)$(LD) -r $^ -o $(BUILD)/obj/$(@F)/hepta.o
	$(Q)objcopy --localize-hidden $(BUILD)/obj/$(@F)/hepta.o
	$(Q)rm -f $@ && $(AR) rcsD $@ $(BUILD)/obj/$(@F)/hepta.o

TEST_LIBRARY := $(BUILD)/test/libhepta-test.a

$(TEST_LIBRARY): $(OBJECTS_test)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(OBJECTS_test)

define sanitizer_rules
$$(BUILD)/$(1)/libhepta.a: $$(OBJECTS_$(1))
	@mkdir -p $$(@D)
	$$(Q)rm -f $$@ && $$(AR) rcsD $$@ $$(OBJECTS_$(1))
endef

$(foreach build,tsan asan ubsan,$(eval $(call sanitizer_rules,$(build))))
