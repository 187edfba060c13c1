/*
 * paths: what is counted, in rounds of so many operations each.
 *
 * An operation is a malloc and a free, but where the name says that one of them alone is counted.
 */
#pragma once

#include <stddef.h>

enum { BATCH = 1000 };

typedef struct path path;

struct path {
    const char *name;
    unsigned operations; /* of a round, at most BATCH */
    void (*run)(const path *self, unsigned long rounds);
    size_t bytes;
};

typedef void run_of_path(const path *self, unsigned long rounds);

run_of_path pairs;        /* each block is freed before the next one comes */
run_of_path malloc_fast;  /* mallocs, four after four frees of the same size */
run_of_path free_fast;    /* frees, four after four mallocs */
run_of_path malloc_row;   /* mallocs, a thousand in a row: caches run empty and are filled */
run_of_path free_row;     /* frees, a thousand in a row: caches run full and are emptied */
run_of_path batch_small;  /* 16 to 1,024 bytes, many alive, freed in random order */
run_of_path batch_medium; /* 1 to 32 KiB */
run_of_path batch_large;  /* 32 KiB to 1 MiB */
run_of_path remote;       /* another thread frees */
run_of_path malloc_drain; /* of these the mallocs: what others freed is taken back */
run_of_path free_remote;  /* of these the frees */
run_of_path free_null;
run_of_path calloc_pairs;
run_of_path aligned_pairs; /* 200 bytes, or the alignment if it is more, at a multiple of `bytes` */
run_of_path realloc_up;    /* one block grows byte by byte */
run_of_path realloc_double; /* from 16 bytes to `bytes`, by doubling */
