/* The hosts with work by their names: an open hash table; `_hosts.c` makes a Python type of it and says why. */
#ifndef GOSSAMER_HOSTS_H
#define GOSSAMER_HOSTS_H
#include "_host.h"
#include <stdint.h>

typedef struct {
    uint64_t hash;
    Host *host; /* a reference of the table's; NULL: the place is free */
} Place;

typedef struct {
    PyObject_HEAD Place *places;
    size_t room; /* a power of two, more than half again as many as are held */
    size_t held;
} Hosts;

/* Hash the name of a host, -1 on an error. Python's own hash of a text has a number of the process in it, so nobody can make
 * names that collide; and a text remembers it. */
static inline int hash_name(PyObject *name, uint64_t *hash) {
    Py_hash_t made = PyObject_Hash(name);
    *hash = (uint64_t)made;
    return made == -1 ? -1 : 0;
}

static inline Place *place_of(const Hosts *self, uint64_t hash) { return &self->places[hash >> 16 & (self->room - 1)]; }

static inline Place *place_after(const Hosts *self, const Place *place) {
    return &self->places[(size_t)(place - self->places + 1) & (self->room - 1)];
}

/* Return a host whose name has that hash, maybe another one's; NULL: there is none. Touches no host. */
static inline Host *host_hashed(const Hosts *self, uint64_t hash) {
    Place *place = place_of(self, hash);
    while (place->host != NULL && place->hash != hash) place = place_after(self, place);
    return place->host;
}

static inline int is_named(const Host *host, PyObject *name) {
    return host->name == name || PyUnicode_Compare(host->name, name) == 0;
}

/* Return the place of a host, or the free one it would get. */
static inline Place *find_place(const Hosts *self, uint64_t hash, PyObject *name) {
    Place *place = place_of(self, hash);
    while (place->host != NULL && (place->hash != hash || !is_named(place->host, name))) place = place_after(self, place);
    return place;
}

/* Take a host out: those that had to go further because of it come nearer. */
static inline void free_place(Hosts *self, Place *place) {
    Place *next = place;
    PyObject *gone = (PyObject *)place->host;
    self->held--;
    for (;;) {
        place->host = NULL;
        do {
            next = place_after(self, next);
            if (next->host == NULL) {
                Py_DECREF(gone); /* last: the table is whole again */
                return;
            }
        } while ((((size_t)(next - place_of(self, next->hash))) & (self->room - 1)) <
                 ((size_t)(next - place) & (self->room - 1)));
        *place = *next;
        place = next;
    }
}

static inline int make_room(Hosts *self) {
    Hosts wider = {.room = 2 * self->room, .held = self->held};
    if (3 * self->held < 2 * self->room) return 0;
    wider.places = PyMem_Calloc(wider.room, sizeof(Place));
    if (wider.places == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < self->room; i++) {
        if (self->places[i].host == NULL) continue;
        Place *place = place_of(&wider, self->places[i].hash);
        while (place->host != NULL) place = place_after(&wider, place);
        *place = self->places[i];
    }
    PyMem_Free(self->places);
    self->places = wider.places;
    self->room = wider.room;
    return 0;
}

/* Put a host in, in place of one of the same name. */
static inline int put_host(Hosts *self, uint64_t hash, Host *host) {
    if (make_room(self) < 0) return -1;
    Place *place = find_place(self, hash, host->name);
    PyObject *before = (PyObject *)place->host;
    self->held += before == NULL;
    *place = (Place){hash, (Host *)Py_NewRef((PyObject *)host)};
    Py_XDECREF(before);
    return 0;
}

#endif
