/* The Bloom filter itself: layers of blocks of one cache line; `_bloom.c` makes a Python type of it and says why. */
#ifndef GOSSAMER_BLOOM_H
#define GOSSAMER_BLOOM_H
#include <Python.h>
#include <stdint.h>

enum { LAYERS = 32, WORDS = 8, BLOCK_BITS = 64 * WORDS, PROBES = 7, BITS_EACH = 14, GROWTH = 2 };

typedef struct {
    void *memory;
    uint64_t *words; /* in it, where a cache line begins */
    uint64_t blocks;
} Layer;

typedef struct {
    PyObject_HEAD Layer layers[LAYERS];
    int used;
    unsigned long long capacity, held; /* of the last layer */
    unsigned long long count;
} Bloom;

/* Numbers may be small, or differ in a few bits only: spread them over all 64. */
static inline uint64_t spread(uint64_t number) {
    number = (number ^ number >> 32) * 0x9E3779B97F4A7C15u;
    number = (number ^ number >> 29) * 0xD6E8FEB86659FD93u;
    return number ^ number >> 32;
}

static inline uint64_t *block_of(const Layer *layer, uint64_t hash) {
    return layer->words + WORDS * ((hash >> 32) * layer->blocks >> 32);
}

static inline int holds(const Bloom *self, uint64_t hash) {
    for (int i = self->used - 1; i >= 0; i--) { /* the newest first: it holds most */
        const uint64_t *block = block_of(&self->layers[i], hash);
        uint64_t bits = hash * 0x9E3779B97F4A7C15u;
        int probe = 0;
        for (; probe < PROBES && block[bits >> 6 & (WORDS - 1)] >> (bits & 63) & 1; probe++) bits >>= 9;
        if (probe == PROBES) return 1;
    }
    return 0;
}

static inline int add_layer(Bloom *self, uint64_t blocks) {
    if (self->used == LAYERS || blocks == 0 || blocks >> 31) {
        PyErr_SetString(PyExc_ValueError, "a Bloom filter of that size cannot be made");
        return -1;
    }
    Layer *layer = &self->layers[self->used];
    layer->memory = PyMem_Calloc(blocks + 1, BLOCK_BITS / 8);
    if (layer->memory == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    layer->words = (uint64_t *)(((uintptr_t)layer->memory + BLOCK_BITS / 8 - 1) & ~(uintptr_t)(BLOCK_BITS / 8 - 1));
    layer->blocks = blocks;
    self->used++;
    return 0;
}

static inline int grow(Bloom *self, unsigned long long capacity) {
    if (add_layer(self, capacity >> 40 ? 0 : capacity * BITS_EACH / BLOCK_BITS + 1) < 0) return -1;
    self->capacity = capacity;
    self->held = 0;
    return 0;
}

/* Add a number by its hash: 1 when it was certainly not there, 0 when it may have been and nothing changed, -1 on an error. */
static inline int enter(Bloom *self, uint64_t hash) {
    if (holds(self, hash)) return 0;
    if (self->held >= self->capacity && grow(self, self->capacity * GROWTH) < 0) return -1;
    uint64_t *block = block_of(&self->layers[self->used - 1], hash), bits = hash * 0x9E3779B97F4A7C15u;
    for (int probe = 0; probe < PROBES; probe++, bits >>= 9) block[bits >> 6 & (WORDS - 1)] |= 1ull << (bits & 63);
    self->held++;
    self->count++;
    return 1;
}

/* Let memory come nearer that `holds` and `enter` will look at. */
static inline void fetch_ahead(const Bloom *self, uint64_t hash) {
    for (int i = self->used - 1; i >= 0; i--) __builtin_prefetch(block_of(&self->layers[i], hash));
}

#endif
