#include "support/block.h"

bench_block *bench_table_new(size_t slots)
{
    bench_block *table = calloc(slots, sizeof *table);
    if (table == NULL) {
        bench_fail("no memory for a table");
    }
    return table;
}

void bench_table_free(bench_block *table, size_t slots)
{
    for (size_t i = 0; i < slots; i++) {
        bench_block_free(&table[i]);
    }
    free(table);
}
