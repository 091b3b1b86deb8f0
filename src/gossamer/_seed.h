/* Numbers that a process draws at random, and tables mix into what strangers can choose.
 *
 * Why: a table that puts a hash where its own bits say is one long row for whoever writes pages, links or names to that end; a
 * page of 255 KB took 1.6 s instead of 3 ms. Where something stands in such a table is nobody's business: the numbers are
 * written nowhere, and no result depends on them.
 */
#ifndef GOSSAMER_SEED_H
#define GOSSAMER_SEED_H
#include <Python.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint64_t numbers[2];
} Seed;

/* Draw a seed; -1: there is no chance to be had, which is said. */
static inline int draw_seed(Seed *seed) {
    PyObject *os = PyImport_ImportModule("os");
    PyObject *drawn = os == NULL ? NULL : PyObject_CallMethod(os, "urandom", "i", (int)sizeof *seed);
    const char *bytes = drawn == NULL ? NULL : PyBytes_AsString(drawn);
    if (bytes != NULL) memcpy(seed, bytes, sizeof *seed);
    Py_XDECREF(drawn);
    Py_XDECREF(os);
    return bytes == NULL ? -1 : 0;
}

/* Spread a number over 64 bits, in a way that only this process knows: both halves of a product. */
static inline uint64_t seeded(const Seed *seed, uint64_t number) {
    unsigned __int128 product = (unsigned __int128)(number ^ seed->numbers[0]) * (seed->numbers[1] | 1);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
