/* Rows of the tables of near duplicates that a SimHash stands in, and which of them may be there: what `bands.py` says.
 *
 * Why in C: ten keys are made of each SimHash twice a page, and each is looked for; 1.2 us instead of 15 or more.
 *
 * Invariants: `bands.py` gives the same keys and the same places; a place is never beyond the sieve that was handed in.
 */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

enum { TABLES = 10, PREFIX = 5, KEY = PREFIX + 5, PLACES = 22, BLOCKS = 5 };

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
static int taken(PyObject *args, const char *format, Py_buffer *sieve, uint32_t bands[TABLES], PyObject **entry) {
    unsigned long long simhash;
    if (!PyArg_ParseTuple(args, format, sieve, &simhash, entry)) return -1;
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
    if (taken(args, "y*K", &sieve, bands, NULL) < 0) return NULL;
    const unsigned char *bits = sieve.buf;
    PyObject *rows = PyList_New(0);
    for (int table = 0; rows != NULL && table < TABLES; table++) {
        size_t place = place_of(table, bands[table]);
        if (bits[place >> 3] >> (place & 7) & 1 && append(rows, key_of(table, bands[table]))) Py_CLEAR(rows);
    }
    PyBuffer_Release(&sieve);
    return rows;
}

static PyObject *entered(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer sieve;
    uint32_t bands[TABLES];
    PyObject *entry;
    if (taken(args, "w*KS", &sieve, bands, &entry) < 0) return NULL;
    unsigned char *bits = sieve.buf;
    PyObject *fresh = PyList_New(0), *others = PyList_New(0);
    int failed = fresh == NULL || others == NULL;
    for (int table = 0; !failed && table < TABLES; table++) {
        size_t place = place_of(table, bands[table]);
        PyObject *row = key_of(table, bands[table]);
        if (row == NULL) {
            failed = 1;
        } else if (bits[place >> 3] >> (place & 7) & 1) {
            failed = append(others, row);
        } else {
            bits[place >> 3] |= (unsigned char)(1 << (place & 7));
            failed = append(fresh, PyTuple_Pack(2, row, entry));
            Py_DECREF(row);
        }
    }
    PyBuffer_Release(&sieve);
    PyObject *both = failed ? NULL : PyTuple_Pack(2, fresh, others);
    Py_XDECREF(fresh);
    Py_XDECREF(others);
    return both;
}

static PyMethodDef methods[] = {
    {"rows_of", rows_of, METH_O, NULL},
    {"asked", asked, METH_VARARGS, NULL},
    {"entered", entered, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_bands", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__bands(void) { return PyModule_Create(&module); }
