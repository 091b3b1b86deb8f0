/* PageRank of a graph that grows; part of `ranking.py`.
 *
 * Why in C: a page has a hundred links, and ranks are computed again whenever the graph has grown by some. numpy sorts all
 * fingerprints each time to number them, 1 us a link with the rest, which would be a third of what a crawl costs. Here a link is
 * looked up once, when it comes (33 ns), and a ranking takes 10 ns a link. All of it runs without the interpreter's lock, so it can
 * go on in a thread of a crawl whose loop turns meanwhile; and numpy, which takes as long to load as a hundred pages, is not needed.
 *
 * A node is a page or what a page links to. `find` numbers them: open addressing over fingerprints.
 * The links of a page are numbers of nodes, in one piece of `links`; a page that is read again takes its old piece when the new
 * links fit there. A link counts once a page, and none counts from a page to itself.
 */
#define Py_LIMITED_API 0x030b0000
#include "../_seed.h"
#include <math.h>
#include <stdlib.h>

#define UNREAD UINT32_MAX /* number of links of a node that is no page yet */
#define MOST UINT32_MAX   /* nodes, and links: numbers have 32 bits */

enum { NOFOLLOW = 0x80, IMAGE = 9 }; /* as in `edges.py`: ways that say nothing of what they lead to */

typedef struct {
    uint64_t name;
    uint64_t hosts;  /* that link it: a bit for each, by its hash */
    uint32_t start;  /* of its links */
    uint32_t count;  /* of them */
    uint32_t met;    /* the page that linked it last, by the order in which pages came */
    float told;      /* its rank, in averages of what was no page, when it was last among the best */
    double rank;
} Node;

typedef struct {
    PyObject_HEAD
    Node *nodes;
    uint32_t *links, *places; /* places: number of a node and one more; 0 is free */
    double *given;
    size_t held, room, used, space, mask, pages, most;
    uint32_t visits;
    int busy;
} Ranking;

static uint64_t read64(const unsigned char *at) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--) value = value << 8 | at[i];
    return value;
}

static uint32_t read32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static Seed seed;

/* Return the place where a name stands, or would stand. */
static size_t place_of(const Ranking *self, uint64_t name) {
    size_t at = seeded(&seed, name) & self->mask;
    while (self->places[at] && self->nodes[self->places[at] - 1].name != name) at = (at + 1) & self->mask;
    return at;
}

static uint32_t find(Ranking *self, uint64_t name) {
    size_t at = place_of(self, name);
    if (self->places[at]) return self->places[at] - 1;
    uint32_t number = (uint32_t)self->held++;
    self->nodes[number] = (Node){name, 0, 0, UNREAD, 0, 0, 1.0};
    self->places[at] = number + 1;
    return number;
}

/* Bytes that so many nodes and links take. */
static size_t bytes_of(size_t nodes, size_t links, size_t places) {
    return nodes * (sizeof(Node) + sizeof(double)) + links * sizeof(uint32_t) + places * sizeof(uint32_t);
}

static size_t places_for(size_t nodes) {
    size_t places = 1024;
    while (places < 2 * nodes) places *= 2;
    return places;
}

/* Make room for more; 0: done, 1: that would be more memory than may be taken, -1: there is none. */
static int make_room(Ranking *self, size_t nodes, size_t links) {
    if (nodes > MOST - 1 || links > MOST - 1 || bytes_of(nodes, links, places_for(nodes)) > self->most) return 1;
    if (links > self->space) {
        size_t space = links + links / 4;
        uint32_t *grown = realloc(self->links, space * sizeof(uint32_t));
        if (grown == NULL) return -1;
        self->links = grown;
        self->space = space;
    }
    if (nodes > self->room) {
        size_t room = nodes + nodes / 4;
        Node *grown = realloc(self->nodes, room * sizeof(Node));
        if (grown == NULL) return -1;
        self->nodes = grown;
        double *given = realloc(self->given, room * sizeof(double));
        if (given == NULL) return -1;
        self->given = given;
        self->room = room;
    }
    if (places_for(nodes) > self->mask + 1) {
        size_t count = places_for(nodes);
        uint32_t *places = calloc(count, sizeof(uint32_t));
        if (places == NULL) return -1;
        free(self->places);
        self->places = places;
        self->mask = count - 1;
        for (size_t i = 0; i < self->held; i++) places[place_of(self, self->nodes[i].name)] = (uint32_t)i + 1;
    }
    return 0;
}

/* Take the links of one page; `links` has room for all of them. */
static void take(Ranking *self, uint64_t name, uint32_t count, uint32_t host, const unsigned char *targets,
                 const unsigned char *ways) {
    uint32_t page = find(self, name), visit = ++self->visits;
    size_t start = self->used, end = start;
    uint64_t bit = host ? 1ULL << (host & 63) : 0;
    for (uint32_t i = 0; i < count; i++) {
        if ((ways[i] & NOFOLLOW) || ways[i] == IMAGE) continue;
        uint32_t target = find(self, read64(targets + 8 * (size_t)i));
        Node *node = &self->nodes[target];
        if (target == page || node->met == visit) continue;
        node->met = visit;
        node->hosts |= bit;
        self->links[end++] = target;
    }
    Node *node = &self->nodes[page];
    size_t found = end - start;
    if (node->count == UNREAD) self->pages++;
    if (node->count != UNREAD && found <= node->count) {
        if (found) memmove(self->links + node->start, self->links + start, found * sizeof(uint32_t));
    } else {
        node->start = (uint32_t)start;
        self->used = end;
    }
    node->count = (uint32_t)found;
}

/* Take a block; 0: done, 1: it does not fit, 2: it is damaged, -1: no memory. */
static int take_block(Ranking *self, const unsigned char *at, size_t length, size_t pages, size_t edges) {
    if (pages > MOST || edges > MOST || (length != 12 * pages + 9 * edges && length != 16 * pages + 9 * edges)) return 2;
    int has_hosts = pages && length == 16 * pages + 9 * edges;
    const unsigned char *counts = at + 8 * pages, *hosts = counts + 4 * pages, *targets = has_hosts ? hosts + 4 * pages : hosts;
    const unsigned char *ways = targets + 8 * edges;
    size_t sum = 0;
    for (size_t i = 0; i < pages; i++) sum += read32(counts + 4 * i);
    if (sum != edges) return 2;
    int failed = make_room(self, self->held + pages + edges, self->used + edges);
    if (failed) return failed;
    for (size_t i = 0; i < pages; i++) {
        uint32_t count = read32(counts + 4 * i);
        take(self, read64(at + 8 * i), count, has_hosts ? read32(hosts + 4 * i) : 0, targets, ways);
        targets += 8 * (size_t)count;
        ways += count;
    }
    return 0;
}

static int is_busy(Ranking *self) {
    if (!self->busy) return 0;
    PyErr_SetString(PyExc_RuntimeError, "a ranking is used by one thread at a time");
    return 1;
}

static PyObject *add(PyObject *object, PyObject *arguments) {
    Ranking *self = (Ranking *)object;
    PyObject *columns;
    Py_ssize_t pages, edges, length;
    char *content;
    if (!PyArg_ParseTuple(arguments, "Snn", &columns, &pages, &edges) || is_busy(self)) return NULL;
    if (PyBytes_AsStringAndSize(columns, &content, &length) < 0) return NULL;
    int came_to = 2;
    if (pages >= 0 && edges >= 0) {
        self->busy = 1;
        Py_BEGIN_ALLOW_THREADS
        came_to = take_block(self, (const unsigned char *)content, (size_t)length, (size_t)pages, (size_t)edges);
        Py_END_ALLOW_THREADS
        self->busy = 0;
    }
    if (came_to < 0) return PyErr_NoMemory();
    if (came_to == 2) return PyErr_Format(PyExc_ValueError, "this is no block of %zd pages and %zd edges", pages, edges);
    return PyBool_FromLong(came_to == 0);
}

/* One step; returns by how much a rank moved on average. */
static double step(Ranking *self, double damping) {
    double lost = 0, moved = 0, *given = self->given;
    size_t held = self->held;
    memset(given, 0, held * sizeof(double));
    for (size_t i = 0; i < held; i++) {
        const Node *node = &self->nodes[i];
        if (node->count == UNREAD || node->count == 0) {
            lost += node->rank;
            continue;
        }
        double share = node->rank / node->count;
        const uint32_t *link = self->links + node->start, *end = link + node->count;
        while (link < end) given[*link++] += share;
    }
    double all = 1 - damping + damping * lost / (double)held;
    for (size_t i = 0; i < held; i++) {
        double rank = all + damping * given[i];
        moved += fabs(rank - self->nodes[i].rank);
        self->nodes[i].rank = rank;
    }
    return moved / (double)held;
}

static PyObject *rank(PyObject *object, PyObject *arguments) {
    Ranking *self = (Ranking *)object;
    double damping, tolerance;
    int steps, taken = 0;
    if (!PyArg_ParseTuple(arguments, "ddi", &damping, &tolerance, &steps) || is_busy(self)) return NULL;
    self->busy = 1;
    Py_BEGIN_ALLOW_THREADS
    while (self->held && taken++ < steps && step(self, damping) > tolerance) continue;
    Py_END_ALLOW_THREADS
    self->busy = 0;
    Py_RETURN_NONE;
}

static int higher(const void *one, const void *other) {
    const Node *a = *(Node *const *)one, *b = *(Node *const *)other;
    if (a->rank != b->rank) return a->rank < b->rank ? 1 : -1;
    return a->name < b->name ? -1 : a->name > b->name;
}

/* Return the average rank of the nodes that are no pages yet. */
static double average_of_unread(const Ranking *self) {
    size_t count = 0;
    double sum = 0;
    for (size_t i = 0; i < self->held; i++) {
        if (self->nodes[i].count == UNREAD) {
            sum += self->nodes[i].rank;
            count++;
        }
    }
    return count ? sum / (double)count : 1.0;
}

/* Find the nodes that are no pages yet, whose rank is high enough and has grown by a factor since they were last found. */
static Node **rising(Ranking *self, double average, double least, double growth, size_t *count) {
    size_t room = 0;
    Node **found = NULL;
    *count = 0;
    for (size_t i = 0; i < self->held; i++) {
        Node *node = &self->nodes[i];
        if (node->count != UNREAD || node->rank < least * average || node->rank < node->told * average * growth) continue;
        if (*count == room) {
            room = 2 * room + 1024;
            Node **grown = realloc(found, room * sizeof(Node *));
            if (grown == NULL) {
                free(found);
                *count = SIZE_MAX;
                return NULL;
            }
            found = grown;
        }
        found[(*count)++] = node;
    }
    if (*count) qsort(found, *count, sizeof(Node *), higher);
    return found;
}

static int bits_of(uint64_t bits) {
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

static PyObject *best(PyObject *object, PyObject *arguments) {
    Ranking *self = (Ranking *)object;
    Py_ssize_t limit;
    double least, growth, average;
    size_t count;
    Node **found;
    if (!PyArg_ParseTuple(arguments, "ndd", &limit, &least, &growth) || is_busy(self)) return NULL;
    self->busy = 1;
    Py_BEGIN_ALLOW_THREADS
    average = average_of_unread(self);
    found = rising(self, average, least, growth, &count);
    Py_END_ALLOW_THREADS
    if (limit < 0) limit = 0;
    if (count == SIZE_MAX) PyErr_NoMemory();
    else if ((size_t)limit > count) limit = (Py_ssize_t)count;
    PyObject *all = PyErr_Occurred() ? NULL : PyList_New(limit);
    for (Py_ssize_t i = 0; all != NULL && i < limit; i++) {
        Node *node = found[i];
        node->told = (float)(node->rank / average);
        PyObject *each = Py_BuildValue("(Kdi)", (unsigned long long)node->name, node->rank / average, bits_of(node->hosts));
        if (each == NULL || PyList_SetItem(all, i, each) < 0) Py_CLEAR(all);
    }
    self->busy = 0; /* not before: a list may wake the garbage collector, that somebody, and whoever adds moves the nodes */
    free(found);
    return all;
}

typedef struct {
    uint64_t name;
    float rank;
} Row;

static int lower(const void *one, const void *other) {
    uint64_t a = ((const Row *)one)->name, b = ((const Row *)other)->name;
    return a < b ? -1 : a > b;
}

static void fill(const Ranking *self, Row *rows, unsigned char *out) {
    for (size_t i = 0; i < self->held; i++) rows[i] = (Row){self->nodes[i].name, (float)self->nodes[i].rank};
    if (self->held) qsort(rows, self->held, sizeof(Row), lower);
    for (size_t i = 0; i < self->held; i++)
        for (int byte = 0; byte < 8; byte++) *out++ = (unsigned char)(rows[i].name >> 8 * byte);
    for (size_t i = 0; i < self->held; i++) {
        uint32_t bits;
        memcpy(&bits, &rows[i].rank, 4);
        for (int byte = 0; byte < 4; byte++) *out++ = (unsigned char)(bits >> 8 * byte);
    }
}

static PyObject *table(PyObject *object, PyObject *unused) {
    (void)unused;
    Ranking *self = (Ranking *)object;
    if (is_busy(self)) return NULL;
    self->busy = 1;
    Row *rows = malloc((self->held + 1) * sizeof(Row));
    PyObject *made = rows == NULL ? PyErr_NoMemory() : PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(12 * self->held));
    if (made != NULL) {
        unsigned char *out = (unsigned char *)PyBytes_AsString(made);
        Py_BEGIN_ALLOW_THREADS
        fill(self, rows, out);
        Py_END_ALLOW_THREADS
    }
    self->busy = 0;
    free(rows);
    return made;
}

static PyObject *pages(PyObject *object, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(((const Ranking *)object)->pages);
}

static Py_ssize_t length(PyObject *object) { return (Py_ssize_t)((const Ranking *)object)->held; }

static PyObject *make(PyTypeObject *type, PyObject *arguments, PyObject *names) {
    Py_ssize_t most;
    if (names != NULL && PyDict_Size(names)) return PyErr_Format(PyExc_TypeError, "Ranking takes no names of arguments");
    if (!PyArg_ParseTuple(arguments, "n", &most)) return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Ranking *self = (Ranking *)allocate(type, 0);
    if (self == NULL) return NULL;
    self->most = most < 0 ? 0 : (size_t)most;
    self->places = calloc(1024, sizeof(uint32_t));
    self->mask = 1023;
    if (self->places == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void dealloc(PyObject *object) {
    Ranking *self = (Ranking *)object;
    PyTypeObject *type = Py_TYPE(object);
    free(self->nodes);
    free(self->links);
    free(self->places);
    free(self->given);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"add", add, METH_VARARGS, NULL},
    {"rank", rank, METH_VARARGS, NULL},
    {"best", best, METH_VARARGS, NULL},
    {"table", table, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef looks[] = {{"pages", pages, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_new, make},     {Py_tp_dealloc, dealloc}, {Py_tp_methods, methods},
    {Py_tp_getset, looks}, {Py_sq_length, length},   {0, NULL},
};
static PyType_Spec spec = {"gossamer.storage._ranking.Ranking", sizeof(Ranking), 0, Py_TPFLAGS_DEFAULT, slots};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_ranking", NULL, 0, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__ranking(void) {
    PyObject *made = draw_seed(&seed) < 0 ? NULL : PyModule_Create(&module), *type = made == NULL ? NULL : PyType_FromSpec(&spec);
    if (made == NULL || type == NULL || PyModule_AddObjectRef(made, "Ranking", type) < 0) Py_CLEAR(made);
    Py_XDECREF(type);
    return made;
}
