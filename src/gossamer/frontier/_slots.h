/* The slots gathered in memory: an open hash table of pairs; `_slots.c` makes a Python type of it and says why. */
#ifndef GOSSAMER_SLOTS_H
#define GOSSAMER_SLOTS_H
#include "../_seed.h"

/* Where the entry of the URL in a slot stands; no reference is 0, so that is an empty place of the table. */
typedef struct {
    uint64_t slot, reference;
} Pair;

typedef struct {
    PyObject_HEAD Pair *pairs;
    size_t room; /* a power of two, at least twice as many as are held */
    size_t held;
    Seed seed; /* here, because several modules look */
} Gathered;

/* Return where to begin to look for a slot. */
static inline size_t place_for(const Gathered *self, uint64_t slot) {
    return (size_t)seeded(&self->seed, slot) & (self->room - 1);
}

/* Return where a slot stands, or would stand. */
static inline Pair *pair_of(const Gathered *self, uint64_t slot) {
    size_t at = place_for(self, slot);
    while (self->pairs[at].reference && self->pairs[at].slot != slot) at = (at + 1) & (self->room - 1);
    return &self->pairs[at];
}

static inline int widen(Gathered *self) {
    Gathered wider = {.room = self->room * 2, .held = self->held, .seed = self->seed};
    wider.pairs = PyMem_Calloc(wider.room, sizeof(Pair));
    if (wider.pairs == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < self->room; i++)
        if (self->pairs[i].reference) *pair_of(&wider, self->pairs[i].slot) = self->pairs[i];
    PyMem_Free(self->pairs);
    self->pairs = wider.pairs;
    self->room = wider.room;
    return 0;
}

/* Note where the entry of a slot stands; the last word is true. */
static inline int gather(Gathered *self, uint64_t slot, uint64_t reference) {
    if (2 * self->held >= self->room && widen(self) < 0) return -1;
    Pair *pair = pair_of(self, slot);
    self->held += pair->reference == 0;
    *pair = (Pair){slot, reference};
    return 0;
}

#endif
