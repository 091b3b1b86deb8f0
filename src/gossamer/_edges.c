/* The links of a page in one pass: which of them have a name already, and how they are packed; part of `edges.py`.
 *
 * Why in C: each page has a hundred links, and of each only four facts are read. In Python that costs 0.5 us a link, here 0.1.
 *
 * Invariants: what is packed is byte for byte what `edges.py` packs without this module: a test holds the two against each
 * other. Nothing is written beyond nine bytes a link.
 */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

typedef unsigned char byte;

static PyObject *url_word, *kind_word, *nofollow_word;

/* split_known(links, names): for each link of a tuple its name, by its URL, or None; and the links that have none. */
static PyObject *split_known(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 2 || !PyTuple_Check(arguments[0]) || !PyDict_Check(arguments[1]))
        return PyErr_Format(PyExc_TypeError, "split_known(tuple of links, dict of names)");
    Py_ssize_t links = PyTuple_Size(arguments[0]);
    PyObject *names = PyList_New(links), *unknown = PyList_New(0);
    for (Py_ssize_t i = 0; names != NULL && unknown != NULL && i < links; i++) {
        PyObject *link = PyTuple_GetItem(arguments[0], i), *url = PyObject_GetAttr(link, url_word);
        PyObject *name = Py_XNewRef(url == NULL ? NULL : PyDict_GetItemWithError(arguments[1], url));
        Py_XDECREF(url);
        int failed = name == NULL && (PyErr_Occurred() != NULL || PyList_Append(unknown, link) < 0);
        if (name == NULL) name = Py_NewRef(Py_None);
        if (failed) Py_DECREF(name);
        if (failed || PyList_SetItem(names, i, name) < 0) Py_CLEAR(names);
    }
    PyObject *both = names != NULL && unknown != NULL ? PyTuple_Pack(2, names, unknown) : NULL;
    Py_XDECREF(names);
    Py_XDECREF(unknown);
    return both;
}

/* Write the name of a link, lowest byte first; -1: it is no name. */
static int write_name(PyObject *name, byte *into) {
    uint64_t number = name == NULL ? 0 : PyLong_AsUnsignedLongLong(name);
    if (name == NULL || (number == (uint64_t)-1 && PyErr_Occurred())) return -1;
    for (int i = 0; i < 8; i++) into[i] = (byte)(number >> 8 * i);
    return 0;
}

typedef struct { PyObject *kind; int number; } Kind; /* of the link before, held: nearly all of a page are of one kind */

/* Return how a link is linked: the number of its kind, with the highest bit for nofollow; -1: it is no link. */
static int way_of(PyObject *link, PyObject *numbers, int all_nofollow, Kind *last) {
    PyObject *kind = PyObject_GetAttr(link, kind_word);
    if (kind == NULL) return -1;
    if (kind == last->kind) {
        Py_DECREF(kind);
    } else {
        PyObject *number = PyDict_GetItemWithError(numbers, kind);
        if (number == NULL && !PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, kind);
        last->number = number == NULL ? -1 : (int)PyLong_AsLong(number);
        Py_XDECREF(last->kind);
        last->kind = kind;
    }
    PyObject *own = last->number < 0 ? NULL : PyObject_GetAttr(link, nofollow_word);
    int is_nofollow = own == NULL ? -1 : PyObject_IsTrue(own);
    Py_XDECREF(own);
    return is_nofollow < 0 ? -1 : (last->number & 0x7f) | (is_nofollow || all_nofollow ? 0x80 : 0);
}

/* pack(links, names, numbers, nofollow): the edges of a page; `names` is a list with a number for each link. */
static PyObject *pack(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 4 || !PyTuple_Check(arguments[0]) || !PyList_Check(arguments[1]) || !PyDict_Check(arguments[2]))
        return PyErr_Format(PyExc_TypeError, "pack(tuple of links, list of names, dict of numbers, bool)");
    Py_ssize_t links = PyTuple_Size(arguments[0]);
    int nofollow = PyObject_IsTrue(arguments[3]);
    if (nofollow < 0) return NULL;
    if (PyList_Size(arguments[1]) != links) return PyErr_Format(PyExc_ValueError, "each link needs a name");
    PyObject *edges = PyBytes_FromStringAndSize(NULL, links * 9);
    Kind last = {NULL, -1};
    byte *into = edges == NULL ? NULL : (byte *)PyBytes_AsString(edges);
    for (Py_ssize_t i = 0; edges != NULL && i < links; i++) {
        int way = way_of(PyTuple_GetItem(arguments[0], i), arguments[2], nofollow, &last);
        if (way < 0 || write_name(PyList_GetItem(arguments[1], i), into + 8 * i) < 0) Py_CLEAR(edges);
        else into[8 * links + i] = (byte)way;
    }
    Py_XDECREF(last.kind);
    return edges;
}

/* total(edges): the sum of the names, in 64 bits. */
static PyObject *total(PyObject *module, PyObject *edges) {
    (void)module;
    char *bytes;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(edges, &bytes, &length) < 0) return NULL;
    uint64_t sum = 0;
    for (const byte *at = (const byte *)bytes, *stop = at + 8 * (length / 9); at < stop; at += 8) {
        uint64_t name = 0;
        for (int i = 0; i < 8; i++) name |= (uint64_t)at[i] << 8 * i;
        sum += name;
    }
    return PyLong_FromUnsignedLongLong(sum);
}

static PyMethodDef methods[] = {
    {"split_known", (PyCFunction)(void (*)(void))split_known, METH_FASTCALL, NULL},
    {"pack", (PyCFunction)(void (*)(void))pack, METH_FASTCALL, NULL},
    {"total", total, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_edges", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__edges(void) {
    if (url_word == NULL) { /* else: a second interpreter */
        url_word = PyUnicode_InternFromString("url");
        kind_word = PyUnicode_InternFromString("kind");
        nofollow_word = PyUnicode_InternFromString("nofollow");
    }
    return url_word && kind_word && nofollow_word ? PyModule_Create(&module) : NULL;
}
