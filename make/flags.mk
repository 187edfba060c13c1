# Compiler, warnings and options. Every variable that asks the compiler is expanded late (=), because
# `make check` may have to install that compiler first.

ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
DEBUG ?= 0
Q := $(if $(V),,@)

is_clang = $(findstring clang,$(shell $(1) --version 2>/dev/null))

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wundef \
    -Wcast-qual -Wpointer-arith -Wwrite-strings -Wvla -Werror

# An access to an _Atomic object by a plain = or ++ has an order that nobody spelt: clang can tell.
no_unspelt_order = $(if $(call is_clang,$(1)),-Watomic-implicit-seq-cst)

# A vectorised store of the two words of a cache line stalls the scalar load that comes next.
no_vector_stores = $(if $(call is_clang,$(1)),-fno-slp-vectorize,-fno-tree-slp-vectorize)

# valgrind 3.19 gives up on the DWARF 5 that clang 14 writes.
debug_format = $(if $(call is_clang,$(1)),-gdwarf-4,-g)

LANGUAGE := -std=gnu11 -D_GNU_SOURCE= -Iinclude -Isrc -MMD -MP
LIBRARY_FLAGS = $(LANGUAGE) $(WARNINGS) $(call debug_format,$(1)) -fPIC -fvisibility=hidden -fno-semantic-interposition \
    -ftls-model=initial-exec $(call no_vector_stores,$(1)) $(call no_unspelt_order,$(1)) \
    $(CFLAGS)
PROGRAM_FLAGS := $(LANGUAGE) $(WARNINGS) -g

# The compiler must not know what the functions of src/front mean: it would turn the malloc and memset
# inside calloc into a call of calloc.
FRONT_FLAGS := $(addprefix -fno-builtin-,malloc calloc realloc reallocarray free aligned_alloc \
    posix_memalign memalign valloc pvalloc malloc_usable_size)

# What differs from file to file; $(1) is the path under src without .c, $(2) the sanitizer.
# The crossing into liburcu and ConcurrencyKit stays uninstrumented, as those libraries are.
# operator new throws through its C frame.
file_flags = $(if $(filter front/%,$(1)),$(FRONT_FLAGS)) \
    $(if $(filter front/operators platform/cxx_runtime,$(1)),-fexceptions) \
    $(if $(filter platform/crossing,$(1)),,$(2))

LIBS := -lurcu-bp -lurcu-common -lpthread
