/*
 * The inbox of an owner, as src/owner/inbox.c and ck_stack_push_upmc do it: two threads free slots, also
 * of the same bitmap word, a third one claims the owner and drains, twice. When all slots of slab 0 are
 * back its record serves another chunk at once, and a thread frees a slot of that one too. A drain works in one slab
 * and leaves the rest to the next, or all.
 *
 * Checked: no note is taken twice, none is lost, a slab is pushed once for its news, the list is not torn,
 * two threads never drain at the same time, and when notes are left over the count of bytes tells.
 *
 * Each -D makes one thing wrong on purpose; run_models.sh expects spin to find it:
 *   LINK_READ_LATE        the drain reads a slab's link after it has cleared its pending word
 *   PUSHED_ALWAYS         a freer pushes although the slab is pending already
 *   PENDING_FIRST         a freer sets pending before the remote bit
 *   PENDING_CLEARED_LATE  the drain clears pending after the remote words
 *   COUNTED_AFTER_TAKING  the drain reads the count after it has taken the slabs, not before
 *   COUNT_TAKEN_BACK_EARLY  ... and takes it back at once, not when all of them are worked in
 */

#define SLABS 2
#define WORDS 2
#define NOWHERE SLABS /* the end of a list */
#define LIMIT 2       /* more waiting slots than this make the freer drain */
#define ALL 255       /* slabs */

byte remote[SLABS * WORDS]; /* bitmaps of two slots */
byte pending[SLABS];        /* bitmaps of words */
byte next[SLABS];           /* inbox_link */
byte head = NOWHERE;        /* of the owner's inbox */
byte waiting;               /* inbox_bytes, in slots */
byte taken = NOWHERE;       /* slabs out of the inbox that are to be worked in, under the claim */
byte taken_waiting;         /* what was waiting when they were taken */
bool claimed;

/* What the properties speak of. */
byte noted[SLABS * WORDS];   /* remote bits that were set and not consumed */
byte out[SLABS * WORDS];     /* slots that are not back in their slab */
byte pushes_under_way[SLABS];
byte lives;                  /* how often slab 0 was wholly free */
byte drainers;
byte finished;

inline push(s)
{
    do
    :: seen = head;
       next[s] = seen;
       if
       :: atomic { head == seen -> head = s; pushes_under_way[s]--; seen = NOWHERE }
          break
       :: else
       fi
    od
}

inline set_remote(s, w, slot)
{
    d_step { remote[s * WORDS + w] = remote[s * WORDS + w] | slot;
             noted[s * WORDS + w] = noted[s * WORDS + w] | slot }
}

inline set_pending(s, w)
{
    d_step {
        old = pending[s];
        pending[s] = old | (1 << w);
        if
        :: old == 0 -> pushes_under_way[s]++
        :: else
        fi;
        assert(pushes_under_way[s] <= 1)
    }
}

inline post(s, w, slot)
{
#ifdef PENDING_FIRST
    set_pending(s, w);
    set_remote(s, w, slot);
#else
    set_remote(s, w, slot);
    set_pending(s, w);
#endif
    if
    :: old == 0 -> push(s)
#ifdef PUSHED_ALWAYS
    :: old != 0 -> d_step { pushes_under_way[s]++ } push(s)
#else
    :: else
#endif
    fi;
    atomic { waiting++; over = waiting > LIMIT; old = 0 }
    if
    :: over -> drain(1)
    :: else
    fi
}

/* hp_owner_put_word; slab 0 is cut anew as soon as it is whole. */
inline put_word(s, w)
{
    assert((bits & noted[s * WORDS + w]) == bits);
    noted[s * WORDS + w] = noted[s * WORDS + w] & ~bits;
    out[s * WORDS + w] = out[s * WORDS + w] & ~bits;
    if
    :: s == 0 && out[0] == 0 && out[1] == 0 -> out[0] = 3; lives++
    :: else
    fi
}

inline drain_slab(s)
{
#ifdef PENDING_CLEARED_LATE
    news = pending[s];
#else
    d_step { news = pending[s]; pending[s] = 0 }
#endif
    do
    :: news != 0 ->
       d_step {
           word = (news & 1 -> 0 : 1);
           news = news & ~(1 << word);
           bits = remote[s * WORDS + word];
           remote[s * WORDS + word] = 0;
           put_word(s, word);
           bits = 0; word = 0
       }
    :: else -> break
    od;
#ifdef PENDING_CLEARED_LATE
    pending[s] = 0
#endif
}

inline take_all()
{
#ifdef COUNTED_AFTER_TAKING
    d_step { taken = head; head = NOWHERE }
    taken_waiting = waiting
#else
    taken_waiting = waiting;
    d_step { taken = head; head = NOWHERE }
#endif
#ifdef COUNT_TAKEN_BACK_EARLY
    ;
    d_step { waiting = waiting - taken_waiting; taken_waiting = 0 }
#endif
}

inline work_in(most)
{
    done = 0;
    do
    :: taken != NOWHERE && done < most ->
       assert(done < SLABS); /* else the list is torn */
       done++;
       slab = taken;
#ifndef LINK_READ_LATE
       taken = next[slab];
#endif
       drain_slab(slab);
#ifdef LINK_READ_LATE
       taken = next[slab];
#endif
    :: else -> break
    od;
    if
    :: taken == NOWHERE -> d_step { waiting = waiting - taken_waiting; taken_waiting = 0 }
    :: else
    fi;
    atomic { slab = 0; done = 0 }
}

inline drain_inbox(most)
{
    if
    :: taken != NOWHERE && most == ALL -> work_in(ALL)
    :: else
    fi;
    if
    :: taken == NOWHERE -> take_all()
    :: else
    fi;
    work_in(most)
}

/* One try: so many slabs. */
inline drain(most)
{
    d_step { mine = !claimed; claimed = true }
    if
    :: mine ->
       drainers++;
       assert(drainers == 1);
       drain_inbox(most);
       drainers--;
       d_step { claimed = false; mine = false }
    :: else
    fi
}

/* A drain and a post have these. */
#define LOCALS \
    byte seen = NOWHERE; byte old; bool over; bool mine; \
    byte slab; byte news; byte word; byte bits; byte done

proctype first_freer()
{
    LOCALS;
    post(0, 0, 1);
    post(1, 1, 1);
    finished++
}

proctype second_freer()
{
    LOCALS;
    post(0, 0, 2);
    post(1, 0, 1);
    finished++
}

proctype drainer()
{
    LOCALS;
    drain(1);
    if
    :: lives == 1 -> post(0, 0, 1)
    :: else
    fi;
    drain(ALL);
    finished++
}

init
{
    LOCALS;
    d_step { out[0] = 3; out[2] = 1; out[3] = 1; next[0] = NOWHERE; next[1] = NOWHERE }
    atomic { run first_freer(); run second_freer(); run drainer() }
    finished == 3;
    /* Whoever claims the owner next has been told that notes wait, and finds them all. */
    assert(waiting > 0 || (noted[0] == 0 && noted[1] == 0 && noted[2] == 0 && noted[3] == 0));
    drain(ALL);
    assert(noted[0] == 0 && noted[1] == 0 && noted[2] == 0 && noted[3] == 0);
    assert(head == NOWHERE && pending[0] == 0 && pending[1] == 0)
}
