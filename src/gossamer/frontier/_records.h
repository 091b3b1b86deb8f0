/* The records of the frontier as its compiled modules see them: which field is which (`_fields.h` finds where each is kept). */
#ifndef GOSSAMER_RECORDS_H
#define GOSSAMER_RECORDS_H
#include "_fields.h"

/* clang-format off */
enum { NEXT_TIME, ROBOTS_DELAY, SLOWDOWN, BLOCKED_UNTIL, BLOCK_REASON, FAILURES, OPENINGS, PROBING, GIVEN_UP, RECENT, COUNT,
       CLOCK_FIELDS };
enum { L_TOKEN, L_WORKER, L_ENTRY, L_LEASED_AT, L_UNTIL, L_ATTEMPTS, L_RETURNS, L_AGAIN, L_DUE, L_DISCOVERED_AT, L_DELAY,
       L_CONNECTIONS, L_POLICY, L_CLOCK };
enum { E_URL, E_KEY, E_HOST, E_DEPTH, E_KIND, E_VIA, E_SCORE, E_PRIORITY, E_REDIRECTS, E_OFF_SITE, E_REFUSED, E_COUNT };
enum { S_LEASE, S_FATE, S_OUTCOME, S_REASON, S_DUE, S_SCORE, S_ANSWER, S_DISCOVERED, S_LINKS };
enum { A_AT, A_SECONDS, A_FAILED, A_ROBOTS_DELAY, A_BLOCK_UNTIL, A_BLOCK_REASON };
enum { T_HOST, T_TICKET, T_BEFORE, T_AFTER, T_DELAY, T_CONNECTIONS, T_LEASE, T_FIRST, T_SLOT, T_ROW };
enum { R_REFERENCE, R_STATE, R_QUEUE, R_REFUSED, R_ATTEMPTS, R_RETURNS, R_TOKEN, R_OUTCOME, R_REASON, R_DUE,
       R_SETTLED_AT, R_RANK };
/* clang-format on */

static inline int learn_clock(Shape *shape) {
    return learn(shape, "gossamer.records.host", "HostClock",
                 "next_time robots_delay slowdown blocked_until block_reason failures openings probing given_up_until recent "
                 "recent_count");
}

static inline int learn_lease(Shape *shape) {
    return learn(
        shape, "gossamer.records.lease", "Lease",
        "token worker entry leased_at until attempts returns again due discovered_at delay max_connections policy clock");
}

static inline int learn_entry(Shape *shape) {
    return learn(shape, "gossamer.records.entry", "Entry", "url key host depth kind via score priority redirects off_site refused");
}

static inline int learn_turn(Shape *shape) {
    return learn(shape, "gossamer.frontier.turns", "Turn", "host ticket before after delay connections lease first slot row");
}

static inline int learn_row(Shape *shape) {
    return learn(shape, "gossamer.frontier.rows", "UrlRow",
                 "reference state queue refused attempts returns token outcome reason due settled_at rank");
}

#endif
