/*
 * strings: what C++ does with std::string and std::map, written out: texts of up to 15 bytes lie in the
 * object, longer ones on the heap, capacities double, temporaries come and go, the nodes of the map have
 * two texts each.
 *
 *   threads=1    scale=1.0
 *   keys=2000    different keys of each thread's map; about half of them are in it at a time
 */
#include "support/arguments.h"
#include "support/block.h"
#include "support/random.h"
#include "support/team.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 1000000, INSIDE_BYTES = 16, FILLING_AT_MOST_BYTES = 400 };

/* ---- a text -------------------------------------------------------------------------------------- */

typedef struct text {
    size_t length;
    size_t capacity; /* with the zero; INSIDE_BYTES: it lies inside */
    char *outside;
    char inside[INSIDE_BYTES];
} text;

static char *text_bytes(text *self)
{
    return self->capacity > INSIDE_BYTES ? self->outside : self->inside;
}

static text text_empty(void)
{
    return (text){.capacity = INSIDE_BYTES};
}

static void text_reserve(text *self, size_t capacity)
{
    if (capacity <= self->capacity) {
        return;
    }
    capacity = capacity < 2 * self->capacity ? 2 * self->capacity : capacity;
    char *larger = bench_keep(malloc(capacity));
    if (larger == NULL) {
        bench_fail("an allocation returned NULL");
    }
    memcpy(larger, text_bytes(self), self->length + 1);
    if (self->capacity > INSIDE_BYTES) {
        free(self->outside);
    }
    self->outside = larger;
    self->capacity = capacity;
}

static void text_append(text *self, const char *bytes, size_t length)
{
    text_reserve(self, self->length + length + 1);
    memcpy(text_bytes(self) + self->length, bytes, length);
    self->length += length;
    text_bytes(self)[self->length] = '\0';
}

static text text_copy(text *original)
{
    text copy = text_empty();
    text_append(&copy, text_bytes(original), original->length);
    return copy;
}

static void text_end(text *self)
{
    if (self->capacity > INSIDE_BYTES) {
        free(self->outside);
    }
}

static int text_compare(text *self, text *other)
{
    return strcmp(text_bytes(self), text_bytes(other));
}

/* ---- a map: a binary search tree on the keys that is a heap on the priorities ------------------------ */

typedef struct node {
    struct node *smaller;
    struct node *larger;
    uint64_t priority;
    text key;
    text value;
} node;

/* Where the pointer to the node with this key is, or would be. */
static node **map_find(node **root, text *key)
{
    node **at = root;
    while (*at != NULL) {
        int order = text_compare(key, &(*at)->key);
        if (order == 0) {
            return at;
        }
        at = order < 0 ? &(*at)->smaller : &(*at)->larger;
    }
    return at;
}

static void split(node *tree, text *key, node **smaller, node **larger)
{
    while (tree != NULL) {
        if (text_compare(&tree->key, key) < 0) {
            *smaller = tree;
            smaller = &tree->larger;
            tree = tree->larger;
        } else {
            *larger = tree;
            larger = &tree->smaller;
            tree = tree->smaller;
        }
    }
    *smaller = NULL;
    *larger = NULL;
}

/* Takes both texts over. The key is not in the map yet. */
static void map_insert(node **root, text key, text value, uint64_t priority)
{
    node *new = bench_keep(malloc(sizeof *new));
    if (new == NULL) {
        bench_fail("an allocation returned NULL");
    }
    *new = (node){.priority = priority, .key = key, .value = value};
    node **at = root;
    while (*at != NULL && (*at)->priority >= priority) {
        at = text_compare(&new->key, &(*at)->key) < 0 ? &(*at)->smaller : &(*at)->larger;
    }
    split(*at, &new->key, &new->smaller, &new->larger);
    *at = new;
}

static void map_erase(node **at)
{
    node *erased = *at;
    node *smaller = erased->smaller;
    node *larger = erased->larger;
    while (smaller != NULL && larger != NULL) {
        node **heavier = smaller->priority > larger->priority ? &smaller : &larger;
        node *up = *heavier;
        *at = up;
        at = up == smaller ? &up->larger : &up->smaller;
        *heavier = *at;
    }
    *at = smaller != NULL ? smaller : larger;
    text_end(&erased->key);
    text_end(&erased->value);
    free(erased);
}

/* ---- a server's work with them ----------------------------------------------------------------------- */

typedef struct workload {
    size_t keys;
    uint64_t steps; /* per thread */
} workload;

/* "user/1234" is short, "user/1234/preferences" is not. */
static text make_key(size_t number)
{
    static const char *const fields[] = {"", "/name", "/preferences", "/last-seen-at"};
    const char *field = fields[number % 4];
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%zu", number);
    text key = text_empty();
    text_append(&key, "user/", 5);
    text_append(&key, digits, (size_t)count);
    text_append(&key, field, strlen(field));
    return key;
}

/* A value begins with its key. */
static text make_value(text *key, bench_random *random)
{
    static const char filling[FILLING_AT_MOST_BYTES] = {[0 ... FILLING_AT_MOST_BYTES - 1] = '.'};
    text value = text_copy(key);
    text_append(&value, filling, bench_random_inverse_square(random, 4, FILLING_AT_MOST_BYTES));
    return value;
}

static void check_value(text *key, text *value)
{
    text answer = text_copy(value);
    text_append(&answer, "\r\n", 2);
    if (answer.length != strlen(text_bytes(&answer)) ||
        strncmp(text_bytes(key), text_bytes(&answer), key->length) != 0) {
        bench_fail("the content of a text has changed");
    }
    text_end(&answer);
}

static void serve(const workload *self, node **map, bench_random *random)
{
    text key = make_key(bench_random_below(random, self->keys));
    node **found = map_find(map, &key);
    size_t request = bench_random_below(random, 4);
    if (request == 0 && *found != NULL) {
        map_erase(found);
    } else if (request == 1 && *found == NULL) {
        text value = make_value(&key, random);
        map_insert(map, text_copy(&key), value, bench_random_next(random));
    } else if (request == 1) {
        text_end(&(*found)->value);
        (*found)->value = make_value(&key, random);
    } else if (*found != NULL) {
        check_value(&key, &(*found)->value);
    }
    text_end(&key);
}

static void work(unsigned member, void *context)
{
    const workload *self = context;
    bench_random random = bench_random_seeded(member);
    node *map = NULL;
    for (uint64_t step = 0; step < self->steps; step++) {
        serve(self, &map, &random);
    }
    while (map != NULL) {
        map_erase(&map);
    }
}

int main(int argc, char **argv)
{
    bench_arguments_check(argc, argv, "threads scale keys");
    unsigned threads =
        (unsigned)bench_argument_within(argc, argv, "threads", 1, 1, BENCH_TEAM_AT_MOST);
    workload self = {
        .keys = bench_argument_within(argc, argv, "keys", 2000, 1, 1 << 24),
        .steps = bench_argument_scaled(argc, argv, STEPS) / threads + 1,
    };
    double seconds = bench_team_run(threads, work, &self);
    return bench_result(seconds, self.steps * threads);
}
