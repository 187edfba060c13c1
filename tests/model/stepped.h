/*
 * stepped: included in front of a source file of the library, it gives the scheduler a turn before every
 * atomic access (run_models.sh, gcc -include). Orders play no part: steps are sequentially consistent.
 */
#pragma once

#include <stdatomic.h>

/* Lets another thread of the model go on; nothing outside of one. */
void model_step(void);

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_or_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit

#define atomic_load_explicit(object, order) \
    (model_step(), __atomic_load_n((object), __ATOMIC_SEQ_CST))
#define atomic_store_explicit(object, value, order) \
    (model_step(), __atomic_store_n((object), (value), __ATOMIC_SEQ_CST))
#define atomic_exchange_explicit(object, value, order) \
    (model_step(), __atomic_exchange_n((object), (value), __ATOMIC_SEQ_CST))
#define atomic_fetch_add_explicit(object, value, order) \
    (model_step(), __atomic_fetch_add((object), (value), __ATOMIC_SEQ_CST))
#define atomic_fetch_sub_explicit(object, value, order) \
    (model_step(), __atomic_fetch_sub((object), (value), __ATOMIC_SEQ_CST))
#define atomic_fetch_or_explicit(object, value, order) \
    (model_step(), __atomic_fetch_or((object), (value), __ATOMIC_SEQ_CST))
#define atomic_compare_exchange_strong_explicit(object, seen, value, success, failure)         \
    (model_step(), __atomic_compare_exchange_n((object), (seen), (value), 0, __ATOMIC_SEQ_CST, \
                                               __ATOMIC_SEQ_CST))
#define atomic_compare_exchange_weak_explicit(object, seen, value, success, failure) \
    atomic_compare_exchange_strong_explicit(object, seen, value, success, failure)
