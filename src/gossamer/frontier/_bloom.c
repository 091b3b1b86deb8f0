/* A growing Bloom filter whose every number lies in one cache line; part of `bloom.py`.
 *
 * Why in C: asked for every link and every new host, and with millions of numbers nearly every bit looked at is a wait for
 * memory. An ordinary filter waits up to eight times for a number; here all its bits are in one block of 64 bytes, so it waits
 * once a layer: 0.2 us instead of 1.1 to add a number to a million. The price is a quarter more memory for the same share of
 * false answers.
 *
 * Layers of rising capacity, each filled to 14 bits a number (under 0.5 % of false answers); only the last one is added to.
 */
#define Py_LIMITED_API 0x030b0000
#include "_bloom.h"
#include <stddef.h>
#include <string.h>
#include <structmember.h>

static int hash_of(PyObject *number, uint64_t *hash) {
    unsigned long long value = PyLong_AsUnsignedLongLong(number);
    if (value == (unsigned long long)-1 && PyErr_Occurred()) return -1;
    *hash = spread(value);
    return 0;
}

static int contains(PyObject *object, PyObject *number) {
    uint64_t hash;
    return hash_of(number, &hash) < 0 ? -1 : holds((Bloom *)object, hash);
}

static PyObject *add(PyObject *object, PyObject *number) {
    uint64_t hash;
    int entered = hash_of(number, &hash) < 0 ? -1 : enter((Bloom *)object, hash);
    return entered < 0 ? NULL : PyBool_FromLong(entered);
}

static uint64_t big_endian(const unsigned char *at) {
    uint64_t number = 0;
    for (int i = 0; i < 8; i++) number = number << 8 | at[i];
    return number;
}

/* add_pairs(bytes): add the first number of each pair, as `slots.py` writes them, AHEAD pairs after its memory was asked for. */
static PyObject *add_pairs(PyObject *object, PyObject *pairs) {
    enum { PAIR = 16, AHEAD = 16 };
    Bloom *self = (Bloom *)object;
    char *bytes;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(pairs, &bytes, &length) < 0) return NULL;
    if (length % PAIR) return PyErr_Format(PyExc_ValueError, "pairs of numbers take 16 bytes each");
    const unsigned char *at = (const unsigned char *)bytes, *end = at + length;
    uint64_t ahead[AHEAD];
    for (Py_ssize_t i = 0; at < end; at += PAIR, i++) {
        uint64_t hash = spread(big_endian(at));
        fetch_ahead(self, hash);
        if (i >= AHEAD && enter(self, ahead[i % AHEAD]) < 0) return NULL;
        ahead[i % AHEAD] = hash;
    }
    for (Py_ssize_t i = length / PAIR < AHEAD ? length / PAIR : AHEAD; i > 0; i--)
        if (enter(self, ahead[i - 1]) < 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *layers(PyObject *object, PyObject *unused) {
    (void)unused;
    Bloom *self = (Bloom *)object;
    PyObject *all = PyList_New(self->used);
    for (int i = 0; all != NULL && i < self->used; i++) {
        const Layer *layer = &self->layers[i];
        PyObject *bytes = PyBytes_FromStringAndSize((const char *)layer->words, (Py_ssize_t)(layer->blocks * (BLOCK_BITS / 8)));
        if (bytes == NULL || PyList_SetItem(all, i, bytes) < 0) Py_CLEAR(all);
    }
    return all;
}

static void forget(Bloom *self) {
    while (self->used) PyMem_Free(self->layers[--self->used].memory);
}

/* Let the layers of another filter, which is left without any, take the place of those of this one. */
static void become(Bloom *self, Bloom *other) {
    forget(self);
    memcpy(self->layers, other->layers, sizeof self->layers);
    self->used = other->used;
    self->capacity = other->capacity;
    self->held = other->held;
    self->count = other->count;
    other->used = 0;
}

/* restore(layers, capacity, held, count): become the filter whose layers these are; if they are none it stays as it is. */
static PyObject *restore(PyObject *object, PyObject *arguments) {
    Bloom other = {.used = 0};
    PyObject *all;
    if (!PyArg_ParseTuple(arguments, "O!KKK", &PyList_Type, &all, &other.capacity, &other.held, &other.count)) return NULL;
    if (PyList_Size(all) == 0) return PyErr_Format(PyExc_ValueError, "a Bloom filter has a layer at least");
    for (Py_ssize_t i = 0; i < PyList_Size(all); i++) {
        char *bytes;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyList_GetItem(all, i), &bytes, &length) < 0) goto fail;
        if (length % (BLOCK_BITS / 8)) {
            PyErr_SetString(PyExc_ValueError, "that is no layer of a Bloom filter");
            goto fail;
        }
        if (add_layer(&other, (uint64_t)length / (BLOCK_BITS / 8)) < 0) goto fail;
        memcpy(other.layers[i].words, bytes, (size_t)length);
    }
    become((Bloom *)object, &other);
    Py_RETURN_NONE;
fail:
    forget(&other);
    return NULL;
}

static int init(PyObject *object, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"capacity", NULL};
    unsigned long long capacity;
    Bloom other = {.used = 0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "K", names, &capacity) || grow(&other, capacity) < 0) return -1;
    become((Bloom *)object, &other);
    return 0;
}

static void dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    forget((Bloom *)object);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"add", add, METH_O, NULL},
    {"add_pairs", add_pairs, METH_O, NULL},
    {"layers", layers, METH_NOARGS, NULL},
    {"restore", restore, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMemberDef members[] = {
    {"capacity", T_ULONGLONG, offsetof(Bloom, capacity), READONLY, NULL},
    {"held", T_ULONGLONG, offsetof(Bloom, held), READONLY, NULL},
    {"count", T_ULONGLONG, offsetof(Bloom, count), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_init, init},       {Py_tp_dealloc, dealloc},   {Py_tp_methods, methods},
    {Py_tp_members, members}, {Py_sq_contains, contains}, {0, NULL},
};
static PyType_Spec spec = {"gossamer.frontier._bloom.Bloom", sizeof(Bloom), 0, Py_TPFLAGS_DEFAULT, slots};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_bloom", NULL, 0, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__bloom(void) {
    PyObject *made = PyModule_Create(&module), *type = PyType_FromSpec(&spec);
    if (made == NULL || type == NULL || PyModule_AddObjectRef(made, "Bloom", type) < 0) Py_CLEAR(made);
    Py_XDECREF(type);
    return made;
}
