/* The hosts with work by their names; part of `schedule.py`. It is a dict of hosts, as far as the frontier uses one.
 *
 * Why in C: a new URL looks for its host among a million, and in a dict that is three waits for memory, one after the other.
 * Here the places of some dozen hosts are fetched ahead before the first is looked at: 0.6 us less a new URL.
 */
#define Py_LIMITED_API 0x030b0000
#include "_hosts.h"

static PyObject *host_type;

/* Find the place of a name; NULL: an error is set. */
static Place *place_for(PyObject *object, PyObject *name) {
    uint64_t hash;
    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "a host has a text for its name");
        return NULL;
    }
    return hash_name(name, &hash) < 0 ? NULL : find_place((Hosts *)object, hash, name);
}

/* get(name, default=None) */
static PyObject *get(PyObject *object, PyObject *arguments) {
    PyObject *name, *other = Py_None;
    if (!PyArg_ParseTuple(arguments, "O|O", &name, &other)) return NULL;
    Place *place = place_for(object, name);
    return place == NULL ? NULL : Py_NewRef(place->host == NULL ? other : (PyObject *)place->host);
}

static PyObject *subscript(PyObject *object, PyObject *name) {
    Place *place = place_for(object, name);
    if (place != NULL && place->host == NULL) PyErr_SetObject(PyExc_KeyError, name);
    return place == NULL || place->host == NULL ? NULL : Py_NewRef((PyObject *)place->host);
}

static int assign(PyObject *object, PyObject *name, PyObject *host) {
    uint64_t hash;
    if (host == NULL) {
        PyErr_SetString(PyExc_TypeError, "a host is taken out by pop");
        return -1;
    }
    if (!is_host(host_type, host) || hash_name(((Host *)host)->name, &hash) < 0) return -1;
    if (!is_named((Host *)host, name)) {
        PyErr_SetString(PyExc_ValueError, "that is not the name of the host");
        return -1;
    }
    return put_host((Hosts *)object, hash, (Host *)host);
}

/* pop(name, default) */
static PyObject *pop(PyObject *object, PyObject *arguments) {
    PyObject *name, *other;
    if (!PyArg_ParseTuple(arguments, "OO", &name, &other)) return NULL;
    Place *place = place_for(object, name);
    if (place == NULL || place->host == NULL) return place == NULL ? NULL : Py_NewRef(other);
    PyObject *host = Py_NewRef((PyObject *)place->host);
    free_place((Hosts *)object, place);
    return host;
}

/* values(): return the hosts, those that were met first in front: where they stand here depends on the process. */
static PyObject *values(PyObject *object, PyObject *unused) {
    (void)unused;
    Hosts *self = (Hosts *)object;
    PyObject *all = PyList_New(0);
    for (size_t i = 0; all != NULL && i < self->room; i++)
        if (self->places[i].host != NULL && PyList_Append(all, (PyObject *)self->places[i].host) < 0) Py_CLEAR(all);
    if (all != NULL && PyList_Sort(all) < 0) Py_CLEAR(all);
    return all;
}

static int contains(PyObject *object, PyObject *name) {
    Place *place = place_for(object, name);
    return place == NULL ? -1 : place->host != NULL;
}

static Py_ssize_t length(PyObject *object) { return (Py_ssize_t)((Hosts *)object)->held; }

static PyObject *new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    if (keywords != NULL || !PyArg_ParseTuple(arguments, "")) return PyErr_Format(PyExc_TypeError, "Hosts()");
    Hosts *self = (Hosts *)PyType_GenericAlloc(type, 0);
    if (self == NULL) return NULL;
    self->room = 64;
    self->places = PyMem_Calloc(self->room, sizeof(Place));
    if (self->places == NULL) {
        Py_DECREF((PyObject *)self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    Hosts *self = (Hosts *)object;
    for (size_t i = 0; self->places != NULL && i < self->room; i++) Py_XDECREF((PyObject *)self->places[i].host);
    PyMem_Free(self->places);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"get", get, METH_VARARGS, NULL},
    {"pop", pop, METH_VARARGS, NULL},
    {"values", values, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_new, new},
    {Py_tp_dealloc, dealloc},
    {Py_tp_methods, methods},
    {Py_mp_length, length},
    {Py_mp_subscript, subscript},
    {Py_mp_ass_subscript, assign},
    {Py_sq_contains, contains},
    {0, NULL},
};
static PyType_Spec spec = {"gossamer.frontier._hosts.Hosts", sizeof(Hosts), 0, Py_TPFLAGS_DEFAULT, slots};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_hosts", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__hosts(void) {
    host_type = imported("gossamer.frontier._host", "Host");
    PyObject *made = host_type == NULL ? NULL : PyModule_Create(&module), *type = made == NULL ? NULL : PyType_FromSpec(&spec);
    if (made == NULL || type == NULL || PyModule_AddObjectRef(made, "Hosts", type) < 0) Py_CLEAR(made);
    Py_XDECREF(type);
    return made;
}
