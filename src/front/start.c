/*
 * What happens once per process, outside malloc and free: options, fork, the end.
 *
 * Nothing here must have run before the first malloc: every state of the library starts as zeros and is
 * filled in where it is needed. So early calls, from the loader or from constructors, just work.
 *
 * fork takes no lock of ours. A claim that another thread holds at that moment stays taken in the child:
 * what it guards may be half changed, and the child goes elsewhere, as everybody does who meets a taken
 * claim. If it is the claim of the child's own owner, the child is bound to another one after a while.
 * liburcu's own hooks wait until no observer registers.
 */
#include <pthread.h>

#include "arena/arena.h"
#include "cache/thread.h"
#include "front/slow.h"
#include "owner/owners.h"
#include "platform/crossing.h"
#include "platform/limit.h"
#include "service/options.h"
#include "service/purger.h"

static void after_fork_in_child(void)
{
    hp_fork_child();
    hp_owners_keep_only(hp_self->owner, hp_self->hand.room_bytes, hp_self->singles.bytes);
    hp_threads_after_fork();
    hp_arena_after_fork();
    hp_purger_after_fork();
}

__attribute__((constructor(101))) static void start(void)
{
    hp_options_load();
    hp_owners_count_processors();
    hp_limit_ask_system();
    hp_purger_watch_main_thread();
    pthread_atfork(hp_fork_prepare, hp_fork_parent, after_fork_in_child);
}

/*
 * The last look at what the calling thread's lines and the depots hold: a chunk that is in there twice, or is
 * none, is found out here at the latest.
 */
__attribute__((destructor(101))) static void finish(void)
{
    hp_thread *self = hp_self;
    if (self->owner != NULL) {
        if (hp_claim_is_taken(&self->owner->claim)) {
            /* It may be that of a call which this exit, from a signal handler, interrupted. */
            return;
        }
        hp_thread_flush(self);
    }
    hp_owners_trim_all();
}
