/* The loops over a page's phrases; part of `phrases.py`.
 *
 * Why in C: sixteen numbers of 64 bits a page, each looked for among those of its commit and in 8 MB, remembered and written:
 * 2 us a page instead of 25. None of them becomes a Python object: that alone, for a dictionary, took 5 us.
 *
 * Invariants: a place is below PLACES whatever the name is, and the memory is at least that large; `phrases.py` gives the same.
 */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include "../_seed.h"

enum { PLACES = 1 << 19 };                  /* of two names each */
enum { FIRST_ROOM = 64, AHEAD = 16, LATER = AHEAD * (int)sizeof(uint64_t) }; /* AHEAD: names that are fetched side by side */
enum { NUMBER = 9, HEAD = 1 + NUMBER + 5 }; /* bytes of MessagePack: of a number, and of what stands before a leaf's */

#define MIX UINT64_C(0x9E3779B97F4A7C15)

typedef struct {
    PyObject_HEAD Py_buffer memory;
    uint64_t *names;   /* in the order in which they were shown */
    uint8_t *is_new;   /* of each, to the memory */
    uint32_t *numbers; /* by hash: the number of a name, counted from 1; 0: nobody is here. Twice as many as there is room */
    size_t count, room, news;
} Shown;

static uint64_t *place_of(const Py_buffer *memory, uint64_t name) {
    return (uint64_t *)memory->buf + (name >> 44 & ~UINT64_C(1));
}

static uint64_t name_at(const char *bytes) {
    uint64_t name;
    memcpy(&name, bytes, sizeof name);
    return name;
}

static Seed seed;

/* Return where the number of a name stands, or is to stand. */
static uint32_t *number_of(const Shown *self, uint64_t name) {
    size_t mask = 2 * self->room - 1, at = (size_t)seeded(&seed, name) & mask;
    while (self->numbers[at] != 0 && self->names[self->numbers[at] - 1] != name) at = (at + 1) & mask;
    return self->numbers + at;
}

/* Make room for some names more; for a few there is from the beginning. */
static int widen(Shown *self, size_t more) {
    if (self->count + more <= self->room) return 0;
    size_t room = self->room ? self->room : FIRST_ROOM;
    while (room < self->count + more) room *= 2;
    uint64_t *names = PyMem_Realloc(self->names, room * sizeof *names);
    if (names != NULL) self->names = names;
    uint8_t *is_new = PyMem_Realloc(self->is_new, room);
    if (is_new != NULL) self->is_new = is_new;
    uint32_t *numbers = PyMem_Calloc(2 * room, sizeof *numbers);
    if (names == NULL || is_new == NULL || numbers == NULL) {
        PyMem_Free(numbers);
        PyErr_NoMemory();
        return -1;
    }
    PyMem_Free(self->numbers);
    self->numbers = numbers;
    self->room = room;
    for (size_t i = 0; i < self->count; i++) *number_of(self, self->names[i]) = (uint32_t)(i + 1);
    return 0;
}

/* Add a name to those shown; return whether it is new to them and to the memory. */
static int show(Shown *self, uint64_t name) {
    uint32_t *number = number_of(self, name);
    if (*number != 0) return 0;
    const uint64_t *place = place_of(&self->memory, name);
    int is_new = place[0] != name && place[1] != name;
    self->names[self->count] = name;
    self->is_new[self->count++] = (uint8_t)is_new;
    self->news += (size_t)is_new;
    *number = (uint32_t)self->count;
    return is_new;
}

/* has_news(host, sketch) */
static PyObject *has_news(PyObject *object, PyObject *const *arguments, Py_ssize_t given) {
    Shown *self = (Shown *)object;
    if (given != 2 || !PyTuple_Check(arguments[1])) return PyErr_Format(PyExc_TypeError, "has_news(host, sketch)");
    uint64_t host = PyLong_AsUnsignedLongLong(arguments[0]), names[AHEAD];
    Py_ssize_t count = PyTuple_Size(arguments[1]);
    if (PyErr_Occurred()) return NULL;
    int found = 0;
    for (Py_ssize_t start = 0; start < count; start += AHEAD) {
        int some = count - start < AHEAD ? (int)(count - start) : AHEAD;
        for (int i = 0; i < some; i++) {
            names[i] = host + PyLong_AsUnsignedLongLongMask(PyTuple_GetItem(arguments[1], start + i)) * MIX;
            __builtin_prefetch(place_of(&self->memory, names[i])); /* all at once, not one after the other */
        }
        if (PyErr_Occurred() || widen(self, (size_t)some) < 0) return NULL; /* here: a number may be a call into Python */
        for (int i = 0; i < some; i++) found |= show(self, names[i]);
    }
    return PyBool_FromLong(found);
}

static PyObject *names_of(PyObject *object, PyObject *unused) {
    (void)unused;
    const Shown *self = (const Shown *)object;
    return PyBytes_FromStringAndSize((const char *)self->names, (Py_ssize_t)(self->count * sizeof(uint64_t)));
}

static PyObject *news_of(PyObject *object, PyObject *unused) {
    (void)unused;
    const Shown *self = (const Shown *)object;
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(self->news * sizeof(uint64_t)));
    char *at = made == NULL ? NULL : PyBytes_AsString(made);
    for (size_t i = 0; made != NULL && i < self->count; i++) {
        if (!self->is_new[i]) continue;
        memcpy(at, self->names + i, sizeof(uint64_t));
        at += sizeof(uint64_t);
    }
    return made;
}

static int is_too_small(const Py_buffer *memory) {
    if (memory->len >= (Py_ssize_t)(2 * PLACES * sizeof(uint64_t)) && (uintptr_t)memory->buf % sizeof(uint64_t) == 0) return 0;
    PyErr_SetString(PyExc_ValueError, "that memory is too small, or begins where no number can");
    return 1;
}

static PyObject *new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    PyObject *memory;
    if (keywords != NULL || !PyArg_ParseTuple(arguments, "O", &memory)) return PyErr_Format(PyExc_TypeError, "Shown(memory)");
    Shown *self = (Shown *)PyType_GenericAlloc(type, 0);
    if (self == NULL) return NULL;
    if (PyObject_GetBuffer(memory, &self->memory, PyBUF_SIMPLE) < 0 || is_too_small(&self->memory)) Py_CLEAR(self);
    return (PyObject *)self;
}

static void dealloc(PyObject *object) {
    Shown *self = (Shown *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->memory.obj != NULL) PyBuffer_Release(&self->memory);
    PyMem_Free(self->names);
    PyMem_Free(self->is_new);
    PyMem_Free(self->numbers);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* learn(memory, names) */
static PyObject *learn(PyObject *module, PyObject *arguments) {
    (void)module;
    Py_buffer memory;
    const char *names;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "w*y#", &memory, &names, &size)) return NULL;
    int failed = is_too_small(&memory);
    for (Py_ssize_t i = 0; !failed && i + (Py_ssize_t)sizeof(uint64_t) <= size; i += (Py_ssize_t)sizeof(uint64_t)) {
        uint64_t name = name_at(names + i), *place = place_of(&memory, name);
        if (i + LATER + (Py_ssize_t)sizeof(uint64_t) <= size) __builtin_prefetch(place_of(&memory, name_at(names + i + LATER)), 1);
        if (place[0] == name) continue;
        place[1] = place[0];
        place[0] = name;
    }
    PyBuffer_Release(&memory);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

static uint8_t *number(uint8_t *at, uint64_t value) {
    *at++ = 0xcf; /* 64 bits, unsigned */
    for (int bits = 56; bits >= 0; bits -= 8) *at++ = (uint8_t)(value >> bits);
    return at;
}

/* packed(learned, names): a leaf of the log. */
static PyObject *packed(PyObject *module, PyObject *arguments) {
    (void)module;
    unsigned long long learned;
    const char *names;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "Ky#", &learned, &names, &size)) return NULL;
    Py_ssize_t count = size / (Py_ssize_t)sizeof(uint64_t);
    PyObject *made = PyBytes_FromStringAndSize(NULL, HEAD + NUMBER * count);
    if (made == NULL) return NULL;
    uint8_t *at = (uint8_t *)PyBytes_AsString(made);
    *at++ = 0x92; /* a list of two */
    at = number(at, learned);
    *at++ = 0xdd; /* a list, its length in 32 bits */
    for (int bits = 24; bits >= 0; bits -= 8) *at++ = (uint8_t)((size_t)count >> bits);
    for (Py_ssize_t i = 0; i < count; i++) at = number(at, name_at(names + i * (Py_ssize_t)sizeof(uint64_t)));
    return made;
}

static PyMethodDef methods[] = {
    {"has_news", (PyCFunction)(void (*)(void))has_news, METH_FASTCALL, NULL},
    {"names", names_of, METH_NOARGS, NULL},
    {"news", news_of, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {{Py_tp_new, new}, {Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {"gossamer.lessons._phrases.Shown", sizeof(Shown), 0, Py_TPFLAGS_DEFAULT, slots};
static PyMethodDef functions[] = {
    {"learn", learn, METH_VARARGS, NULL}, {"packed", packed, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_phrases", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__phrases(void) {
    PyObject *made = draw_seed(&seed) < 0 ? NULL : PyModule_Create(&module), *type = made == NULL ? NULL : PyType_FromSpec(&spec);
    if (made == NULL || type == NULL || PyModule_AddObjectRef(made, "Shown", type) < 0) Py_CLEAR(made);
    Py_XDECREF(type);
    return made;
}
