/* The slots gathered in memory, and the merging of those on disk; part of `slots.py`, which says what both are.
 *
 * Why in C: a new URL is noted here without a call and without an object, 0.03 us instead of a row in the store of 2 to 3; and
 * a pair of numbers is merged in some 10 ns, so that the files are few, with the interpreter's lock let go meanwhile.
 */
#define Py_LIMITED_API 0x030b0000
#include "_slots.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 16, BLOCK = 4096, AT_ONCE = 4096, MOST_RUNS = 64 };

static void big(unsigned char *at, uint64_t number) {
    for (int i = 7; i >= 0; i--, number >>= 8) at[i] = (unsigned char)number;
}

static uint64_t number_at(const unsigned char *at) { /* written out: compilers make one instruction of it */
    return (uint64_t)at[0] << 56 | (uint64_t)at[1] << 48 | (uint64_t)at[2] << 40 | (uint64_t)at[3] << 32 | (uint64_t)at[4] << 24 |
           (uint64_t)at[5] << 16 | (uint64_t)at[6] << 8 | at[7];
}

/* add(slot, reference) */
static PyObject *add(PyObject *object, PyObject *arguments) {
    unsigned long long slot, reference;
    if (!PyArg_ParseTuple(arguments, "KK", &slot, &reference)) return NULL;
    if (reference == 0) return PyErr_Format(PyExc_ValueError, "no entry stands there");
    if (gather((Gathered *)object, slot, reference) < 0) return NULL;
    Py_RETURN_NONE;
}

/* get(slot): return where its entry stands, None: it is not here. */
static PyObject *get(PyObject *object, PyObject *number) {
    unsigned long long slot = PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred()) return NULL;
    uint64_t reference = pair_of((Gathered *)object, slot)->reference;
    if (reference == 0) Py_RETURN_NONE;
    return PyLong_FromUnsignedLongLong(reference);
}

/* Sort pairs by their slots, 16 bits at a time: a tenth of what comparing them takes. */
static int sort(Pair *pairs, size_t count) {
    Pair *other = PyMem_Malloc((count + 1) * sizeof(Pair));
    uint32_t *starts = PyMem_Malloc(65537 * sizeof(uint32_t));
    for (int shift = 0; other != NULL && starts != NULL && shift < 64; shift += 16) { /* four times: it ends where it began */
        Pair *from = shift / 16 % 2 ? other : pairs, *to = shift / 16 % 2 ? pairs : other;
        memset(starts, 0, 65537 * sizeof(uint32_t));
        for (size_t i = 0; i < count; i++) starts[(from[i].slot >> shift & 0xffff) + 1]++;
        for (int i = 0; i < 65536; i++) starts[i + 1] += starts[i];
        for (size_t i = 0; i < count; i++) to[starts[from[i].slot >> shift & 0xffff]++] = from[i];
    }
    int failed = other == NULL || starts == NULL;
    PyMem_Free(other);
    PyMem_Free(starts);
    if (failed) PyErr_NoMemory();
    return failed ? -1 : 0;
}

/* pairs(): return them in the order of the slots, as they are written. */
static PyObject *pairs(PyObject *object, PyObject *unused) {
    (void)unused;
    Gathered *self = (Gathered *)object;
    Pair *sorted = PyMem_Malloc((self->held + 1) * sizeof(Pair));
    size_t count = 0;
    if (sorted == NULL) return PyErr_NoMemory();
    for (size_t i = 0; i < self->room; i++)
        if (self->pairs[i].reference) sorted[count++] = self->pairs[i];
    PyObject *made = sort(sorted, count) < 0 ? NULL : PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * WIDTH));
    unsigned char *to = made == NULL ? NULL : (unsigned char *)PyBytes_AsString(made);
    for (size_t i = 0; made != NULL && i < count; i++, to += WIDTH) big(to, sorted[i].slot), big(to + 8, sorted[i].reference);
    PyMem_Free(sorted);
    return made;
}

static Seed seed;

static Py_ssize_t length(PyObject *object) { return (Py_ssize_t)((Gathered *)object)->held; }

static PyObject *new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    if (keywords != NULL || !PyArg_ParseTuple(arguments, "")) return PyErr_Format(PyExc_TypeError, "Gathered()");
    Gathered *self = (Gathered *)PyType_GenericAlloc(type, 0);
    if (self == NULL) return NULL;
    self->room = 64;
    self->seed = seed;
    self->pairs = PyMem_Calloc(self->room, sizeof(Pair));
    if (self->pairs == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyMem_Free(((Gathered *)object)->pairs);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* A file of pairs that is read from the first to the last. */
typedef struct {
    FILE *file;
    unsigned char held[AT_ONCE * WIDTH];
    size_t at, count;
    uint64_t slot; /* of the pair it has come to */
    int is_over;
} Source;

static void advance(Source *source) {
    if (++source->at >= source->count) {
        source->count = fread(source->held, WIDTH, AT_ONCE, source->file);
        source->at = 0;
        source->is_over = source->count == 0;
    }
    if (!source->is_over) source->slot = number_at(source->held + source->at * WIDTH);
}

/* Merge files, the newest first, into one; 0, or the number of the error. */
static int merge_files(Source *sources, Py_ssize_t count, FILE *target) {
    unsigned char merged[AT_ONCE * WIDTH];
    size_t made = 0;
    for (;;) {
        Source *least = NULL;
        for (Py_ssize_t i = 0; i < count; i++)
            if (!sources[i].is_over && (least == NULL || sources[i].slot < least->slot)) least = &sources[i];
        if (least == NULL) break;
        uint64_t slot = least->slot;
        memcpy(merged + WIDTH * made, least->held + least->at * WIDTH, WIDTH);
        if (++made == AT_ONCE && fwrite(merged, WIDTH, made, target) != made) return errno ? errno : EIO;
        made %= AT_ONCE;
        for (Py_ssize_t i = 0; i < count; i++) /* what older ones say of it is not true any more */
            if (!sources[i].is_over && sources[i].slot == slot) advance(&sources[i]);
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (ferror(sources[i].file)) return EIO;
    return fwrite(merged, WIDTH, made, target) != made || fflush(target) ? errno ? errno : EIO : 0;
}

/* merge(paths, target): merge files of pairs, the newest first, into a new one. */
static PyObject *merge(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *paths;
    const char *name;
    if (!PyArg_ParseTuple(arguments, "O!s", &PyList_Type, &paths, &name)) return NULL;
    Py_ssize_t count = PyList_Size(paths), opened = 0;
    if (count > MOST_RUNS) return PyErr_Format(PyExc_ValueError, "that many files are not merged at once");
    Source *sources = PyMem_Calloc((size_t)count + 1, sizeof(Source));
    if (sources == NULL) return PyErr_NoMemory();
    FILE *target = fopen(name, "wb");
    int problem = target == NULL ? errno : 0;
    for (; !problem && opened < count; opened++) {
        const char *path = PyUnicode_AsUTF8AndSize(PyList_GetItem(paths, opened), NULL);
        if (path == NULL || (sources[opened].file = fopen(path, "rb")) == NULL) {
            problem = path == NULL ? EINVAL : errno;
            break;
        }
    }
    if (!problem) {
        Py_BEGIN_ALLOW_THREADS;
        for (Py_ssize_t i = 0; i < count; i++) advance(&sources[i]);
        problem = merge_files(sources, count, target);
        Py_END_ALLOW_THREADS;
    }
    for (Py_ssize_t i = 0; i < opened; i++) fclose(sources[i].file);
    if (target != NULL && fclose(target) && !problem) problem = errno;
    PyMem_Free(sources);
    if (problem && !PyErr_Occurred()) {
        errno = problem;
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, name);
    }
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

/* find(file, fences, slot): return where the entry of a slot stands in a file of pairs; None: it is not there. The fences are
 * the first slot of each block, in the order of this machine. */
static PyObject *find(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *fences;
    unsigned long long slot;
    int file;
    Py_buffer view;
    if (!PyArg_ParseTuple(arguments, "iOK", &file, &fences, &slot) || PyObject_GetBuffer(fences, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    const char *first = view.buf;
    size_t low = 0, high = (size_t)view.len / sizeof(uint64_t); /* the block begins with the last fence that is not above it */
    while (low < high) {
        size_t middle = (low + high) / 2;
        uint64_t fence;
        memcpy(&fence, first + middle * sizeof fence, sizeof fence);
        if (fence <= slot) low = middle + 1;
        else high = middle;
    }
    PyBuffer_Release(&view);
    if (low == 0) Py_RETURN_NONE;
    unsigned char block[BLOCK];
    ssize_t size = pread(file, block, sizeof block, (off_t)(low - 1) * BLOCK);
    if (size < 0) return PyErr_SetFromErrno(PyExc_OSError);
    for (size_t begin = 0, end = (size_t)size / WIDTH; begin < end;) {
        size_t middle = (begin + end) / 2;
        uint64_t found = number_at(block + middle * WIDTH);
        if (found == slot) return PyLong_FromUnsignedLongLong(number_at(block + middle * WIDTH + 8));
        if (found < slot) begin = middle + 1;
        else end = middle;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"add", add, METH_VARARGS, NULL},
    {"get", get, METH_O, NULL},
    {"pairs", pairs, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot type_slots[] = {
    {Py_tp_new, new}, {Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {Py_sq_length, length}, {0, NULL},
};
static PyType_Spec spec = {"gossamer.frontier._slots.Gathered", sizeof(Gathered), 0, Py_TPFLAGS_DEFAULT, type_slots};
static PyMethodDef functions[] = {{"merge", merge, METH_VARARGS, NULL}, {"find", find, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_slots", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__slots(void) {
    PyObject *made = draw_seed(&seed) < 0 ? NULL : PyModule_Create(&module), *type = made == NULL ? NULL : PyType_FromSpec(&spec);
    if (made == NULL || type == NULL || PyModule_AddObjectRef(made, "Gathered", type) < 0) Py_CLEAR(made);
    Py_XDECREF(type);
    return made;
}
