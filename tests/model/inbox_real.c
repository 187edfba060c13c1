/*
 * inbox.c, owner.c and slab.c themselves in every order of their atomic accesses. Two threads free slots,
 * also of the same bitmap word; a third one claims the owner, drains it, takes a chunk in the record of
 * the slab that went back, frees that too, and drains again. What passes the limit drains as well. The
 * drains of the third one are of one slab, and leave the other where it is; the last one of all is whole.
 *
 * Each thread is a coroutine that gives way before every atomic access (stepped.h). Its stack is part of
 * the world, and what lies below the stack pointer is cleared, so that equal states have equal bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>

#include "inbox_world.h"
#include "owner/inbox.h"
#include "support/interleave.h"

enum { STEPS_OF_A_DRAIN = 1000 };
enum { SLOTS = 8, SLOT_BYTES = 8192, WORD_SLOTS = 64, SECOND_BYTES = 4096, TWO_WORDS_BYTES = 512 };

model_world world;

static ucontext_t scheduler;
static model_thread *running; /* NULL: the scheduler itself */

/* Steps that the scheduler makes itself: its last drain of a torn list has no end. */
static unsigned last_steps;

void model_step(void)
{
    if (running != NULL) {
        swapcontext(&running->context, &scheduler);
    } else if (++last_steps > STEPS_OF_A_DRAIN) {
        printf("the list is torn: the last drain has no end\n");
        exit(1);
    }
}

/* The first slab with its two slots that are out, and one of two words with a slot out of each. */
static hp_slab *first_slab(void)
{
    return (hp_slab *)(void *)world.records;
}

static hp_slab *second_slab(void)
{
    return world.owner.classes[hp_class_of(TWO_WORDS_BYTES)].first;
}

/* ---- what the threads do ---- */

static void drain_one_slab(void)
{
    if (hp_claim_try(&world.owner.claim)) {
        hp_inbox_drain_some(&world.owner, 1);
        hp_claim_release(&world.owner.claim);
    }
}

static void drain_all(void)
{
    if (hp_claim_try(&world.owner.claim)) {
        hp_inbox_drain(&world.owner);
        hp_claim_release(&world.owner.claim);
    }
}

static void free_one_and_one_of_the_second_slab(unsigned bit, unsigned word)
{
    hp_inbox_post(first_slab(), 0, (uint64_t)1 << bit);
    hp_inbox_post(second_slab(), word, 1);
}

static void drain_and_take_and_drain(void)
{
    void *chunk;
    if (hp_claim_try(&world.owner.claim)) {
        hp_inbox_drain_some(&world.owner, 1);
        if (world.chunks_given_back == 1) {
            hp_owner_take(&world.owner, hp_class_of(SECOND_BYTES), 1, &chunk);
            world.second_life = true;
        }
        hp_claim_release(&world.owner.claim);
    }
    if (world.second_life) {
        hp_inbox_post(first_slab(), 0, 1);
    }
    drain_one_slab();
}

static void run_thread(int number)
{
    if (number < 2) {
        free_one_and_one_of_the_second_slab((unsigned)number, (unsigned)number);
    } else {
        drain_and_take_and_drain();
    }
    world.threads[number].finished = true;
    model_step();
}

/* ---- the model ---- */

/* What the thread left below its stack pointer, and in registers that a call does not keep, is dead. */
static void forget_the_dead(model_thread *thread)
{
    greg_t *registers = thread->context.uc_mcontext.gregs;
    char *top = (char *)registers[REG_RSP];
    memset(thread->stack, 0, (size_t)(top - thread->stack));
    static const int dead[] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9};
    for (size_t index = 0; index < sizeof dead / sizeof dead[0]; index++) {
        registers[dead[index]] = 0;
    }
}

static bool step(unsigned number)
{
    model_thread *thread = &world.threads[number];
    if (thread->finished) {
        return false;
    }
    running = thread;
    swapcontext(&scheduler, &thread->context);
    running = NULL;
    forget_the_dead(thread);
    return true;
}

static const char *check(void)
{
    last_steps = 0;
    bool claimed = hp_claim_is_taken(&world.owner.claim);
    return world.broken != NULL || claimed ? world.broken : hp_owner_check(&world.owner);
}

static bool slot_waits(void)
{
    const hp_slab *slab = second_slab();
    return first_slab()->remote[0] != 0 || slab->remote[0] != 0 || slab->remote[1] != 0;
}

static const char *check_end(void)
{
    last_steps = 0;
    if (slot_waits() && !hp_inbox_has_news(&world.owner)) {
        return "notes wait, and the count of bytes does not tell";
    }
    drain_all();
    if (slot_waits()) {
        return "a note is lost: it is there, and the last drain does not find it";
    }
    if (world.owner.inbox.head != NULL || first_slab()->pending != 0 ||
        second_slab()->pending != 0) {
        return "I1: a slab without news is pending";
    }
    if (second_slab()->free->free_count != second_slab()->slot_count ||
        world.chunks_given_back != 1) {
        return "a slot is lost: its note is gone, and it is not free";
    }
    return check();
}

/* Slab 1 has two slots out, and a wholly free one of its class is there: it will go back. */
static void make_slabs(void)
{
    void *chunks[2 * SLOTS + WORD_SLOTS + 1];
    unsigned size_class = hp_class_of(SLOT_BYTES);
    hp_owner *owner = &world.owner;
    hp_owner_take(owner, size_class, SLOTS, chunks);
    hp_slab *other = NULL;
    hp_owner_take(owner, size_class, SLOTS, chunks + SLOTS);
    for (char *record = world.records; other == NULL; record += 64) {
        hp_slab *slab = (hp_slab *)(void *)record;
        other = slab->base == (char *)chunks[SLOTS] ? slab : NULL;
    }
    hp_owner_put_word(owner, other, 0, 0xff);
    hp_owner_put_word(owner, first_slab(), 0, 0xfc);
    for (unsigned taken = 0; taken < WORD_SLOTS + 1;) {
        taken += hp_owner_take(owner, hp_class_of(TWO_WORDS_BYTES), WORD_SLOTS + 1 - taken,
                               chunks + taken);
    }
    hp_owner_put_word(owner, second_slab(), 0, ~(uint64_t)1);
}

static void begin(void)
{
    last_steps = 0;
    memset(&world, 0, sizeof world);
    world.owner.id = 1;
    make_slabs();
    /* So near to the limit that the second free passes it. */
    atomic_store(&world.owner.inbox_bytes, HP_INBOX_LIMIT_BYTES - SLOT_BYTES);
    for (int number = 0; number < THREADS; number++) {
        model_thread *thread = &world.threads[number];
        getcontext(&thread->context);
        thread->context.uc_stack.ss_sp = thread->stack;
        thread->context.uc_stack.ss_size = STACK_BYTES;
        makecontext(&thread->context, (void (*)(void))run_thread, 1, number);
    }
}

int main(void)
{
    /* The threads of the model are none that libc knows of. */
    __libc_single_threaded = 0;
    interleave_result result = interleave_run(&(interleave_model){.world = &world,
                                                                  .world_bytes = sizeof world,
                                                                  .thread_count = THREADS,
                                                                  .begin = begin,
                                                                  .step = step,
                                                                  .check = check,
                                                                  .check_end = check_end});
    printf("%llu worlds, %llu ends\n", (unsigned long long)result.worlds,
           (unsigned long long)result.ends);
    if (result.broken != NULL) {
        printf("%s after the steps of %s\n", result.broken, result.schedule);
    }
    return result.broken != NULL;
}
