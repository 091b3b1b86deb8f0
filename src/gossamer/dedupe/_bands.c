/* Rows of the tables of near duplicates that a SimHash stands in, and which of them may be there: what `bands.py` says.
 *
 * Why in C: ten keys are made of each SimHash, and each is looked for; 1.2 us instead of 15 or more.
 *
 * Invariants: `bands.py` gives the same keys and the same places; a place is never beyond the sieve that was handed in.
 */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES = 10, PREFIX = 5, KEY = PREFIX + 5, PLACES = 22, BLOCKS = 5, NAME = 8, ENTRY = 16 };

static const struct { int start, width; } blocks[BLOCKS] = {{51, 13}, {38, 13}, {25, 13}, {12, 13}, {0, 12}};

/* Of each table the bits of its pair of blocks, 26 at most. */
static void bands_of(uint64_t simhash, uint32_t bands[TABLES]) {
    uint32_t parts[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) parts[i] = (uint32_t)(simhash >> blocks[i].start) & ((1u << blocks[i].width) - 1);
    int table = 0;
    for (int high = 0; high < BLOCKS; high++)
        for (int low = high + 1; low < BLOCKS; low++) bands[table++] = parts[high] << blocks[low].width | parts[low];
}

/* Similar texts have similar bands: a product spreads them. */
static size_t place_of(int table, uint32_t band) {
    return (size_t)table << PLACES | (band * UINT32_C(0x9E3779B1)) >> (32 - PLACES);
}

static PyObject *key_of(int table, uint32_t band) {
    char key[KEY] = {'n', 'e', 'a', 'r', '/', (char)table, (char)(band >> 24), (char)(band >> 16), (char)(band >> 8), (char)band};
    return PyBytes_FromStringAndSize(key, KEY);
}

static int append(PyObject *list, PyObject *item) {
    int failed = item == NULL || PyList_Append(list, item) < 0;
    Py_XDECREF(item);
    return failed;
}

static PyObject *rows_of(PyObject *module, PyObject *number) {
    (void)module;
    uint64_t simhash = PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred()) return NULL;
    uint32_t bands[TABLES];
    bands_of(simhash, bands);
    PyObject *rows = PyList_New(0);
    for (int table = 0; rows != NULL && table < TABLES; table++)
        if (append(rows, key_of(table, bands[table]))) Py_CLEAR(rows);
    return rows;
}

/* Take the sieve and the bands out of the arguments; the caller gives the sieve back. */
static int taken(PyObject *args, const char *format, Py_buffer *sieve, uint32_t bands[TABLES]) {
    unsigned long long simhash;
    if (!PyArg_ParseTuple(args, format, sieve, &simhash)) return -1;
    if (sieve->len < (Py_ssize_t)TABLES << (PLACES - 3)) {
        PyBuffer_Release(sieve);
        PyErr_SetString(PyExc_ValueError, "that sieve is too small");
        return -1;
    }
    bands_of(simhash, bands);
    return 0;
}

static PyObject *asked(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer sieve;
    uint32_t bands[TABLES];
    if (taken(args, "y*K", &sieve, bands) < 0) return NULL;
    const unsigned char *bits = sieve.buf;
    PyObject *rows = PyList_New(0);
    for (int table = 0; rows != NULL && table < TABLES; table++) {
        size_t place = place_of(table, bands[table]);
        if (bits[place >> 3] >> (place & 7) & 1 && append(rows, key_of(table, bands[table]))) Py_CLEAR(rows);
    }
    PyBuffer_Release(&sieve);
    return rows;
}

static PyObject *enter(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer sieve;
    uint32_t bands[TABLES];
    if (taken(args, "w*K", &sieve, bands) < 0) return NULL;
    unsigned char *bits = sieve.buf;
    for (int table = 0; table < TABLES; table++) {
        size_t place = place_of(table, bands[table]);
        bits[place >> 3] |= (unsigned char)(1 << (place & 7));
    }
    PyBuffer_Release(&sieve);
    Py_RETURN_NONE;
}

static uint64_t number_at(const unsigned char *bytes) {
    uint64_t number = 0;
    for (int i = 0; i < 8; i++) number = number << 8 | bytes[i];
    return number;
}

/* Take a table and some entries out of the arguments, after the sieve if there is one; the caller gives both back. */
static int taken_entries(PyObject *args, Py_buffer *sieve, int *table, Py_buffer *entries) {
    if (sieve != NULL ? !PyArg_ParseTuple(args, "w*iy*", sieve, table, entries) : !PyArg_ParseTuple(args, "iy*", table, entries))
        return -1;
    if (*table >= 0 && *table < TABLES && (sieve == NULL || sieve->len >= (Py_ssize_t)TABLES << (PLACES - 3))) return 0;
    PyBuffer_Release(entries);
    if (sieve != NULL) PyBuffer_Release(sieve);
    PyErr_SetString(PyExc_ValueError, "there is no such table, or that sieve is too small");
    return -1;
}

static PyObject *entered(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer sieve, entries;
    int table;
    if (taken_entries(args, &sieve, &table, &entries) < 0) return NULL;
    unsigned char *bits = sieve.buf;
    PyObject *fresh = PyList_New(0), *others = PyList_New(0);
    int failed = fresh == NULL || others == NULL;
    const char *entry = entries.buf;
    for (Py_ssize_t left = entries.len / ENTRY; !failed && left > 0; left--, entry += ENTRY) {
        uint32_t bands[TABLES];
        bands_of(number_at((const unsigned char *)entry), bands);
        size_t place = place_of(table, bands[table]);
        PyObject *row = key_of(table, bands[table]), *value = PyBytes_FromStringAndSize(entry, ENTRY);
        PyObject *pair = row != NULL && value != NULL ? PyTuple_Pack(2, row, value) : NULL;
        Py_XDECREF(row);
        Py_XDECREF(value);
        failed = append(bits[place >> 3] >> (place & 7) & 1 ? others : fresh, pair);
        bits[place >> 3] |= (unsigned char)(1 << (place & 7));
    }
    PyBuffer_Release(&entries);
    PyBuffer_Release(&sieve);
    PyObject *both = failed ? NULL : PyTuple_Pack(2, fresh, others);
    Py_XDECREF(fresh);
    Py_XDECREF(others);
    return both;
}

typedef struct {
    uint32_t band, place;
} Ordered;

static int compare(const void *one, const void *two) {
    const Ordered *first = one, *second = two;
    if (first->band != second->band) return first->band < second->band ? -1 : 1;
    return first->place < second->place ? -1 : first->place > second->place;
}

static PyObject *in_order(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer entries;
    int table;
    if (taken_entries(args, NULL, &table, &entries) < 0) return NULL;
    size_t count = (size_t)entries.len / ENTRY;
    const char *bytes = entries.buf;
    Ordered *order = malloc(count * sizeof *order + 1);
    PyObject *result = order == NULL ? PyErr_NoMemory() : PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * ENTRY));
    for (size_t i = 0; result != NULL && i < count; i++) {
        uint32_t bands[TABLES];
        bands_of(number_at((const unsigned char *)bytes + i * ENTRY), bands);
        order[i] = (Ordered){bands[table], (uint32_t)i};
    }
    if (result != NULL) {
        char *sorted = PyBytes_AsString(result);
        qsort(order, count, sizeof *order, compare);
        for (size_t i = 0; i < count; i++) memcpy(sorted + i * ENTRY, bytes + (size_t)order[i].place * ENTRY, ENTRY);
    }
    free(order);
    PyBuffer_Release(&entries);
    return result;
}

static PyObject *met(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer sieve;
    PyObject *names;
    if (!PyArg_ParseTuple(args, "w*O!", &sieve, &PyList_Type, &names)) return NULL;
    unsigned char *bits = sieve.buf;
    PyObject *known = PyList_New(0);
    int failed = known == NULL || sieve.len < (Py_ssize_t)(TABLES + 1) << (PLACES - 3);
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(names); i++) {
        PyObject *name = PyList_GetItem(names, i);
        char *bytes;
        Py_ssize_t length;
        failed = PyBytes_AsStringAndSize(name, &bytes, &length) < 0 || length != NAME;
        if (failed) break;
        size_t place = (size_t)TABLES << PLACES | (size_t)(number_at((unsigned char *)bytes) >> (64 - PLACES));
        if (bits[place >> 3] >> (place & 7) & 1) failed = PyList_Append(known, name) < 0;
        bits[place >> 3] |= (unsigned char)(1 << (place & 7));
    }
    PyBuffer_Release(&sieve);
    if (!failed) return known;
    Py_XDECREF(known);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a name is not of eight bytes, or that sieve is too small");
    return NULL;
}

static PyMethodDef methods[] = {
    {"rows_of", rows_of, METH_O, NULL},
    {"asked", asked, METH_VARARGS, NULL},
    {"enter", enter, METH_VARARGS, NULL},
    {"entered", entered, METH_VARARGS, NULL},
    {"in_order", in_order, METH_VARARGS, NULL},
    {"met", met, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_bands", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__bands(void) { return PyModule_Create(&module); }
