/* A host with work as the compiled modules of the frontier see it; `_host.c` makes the type, `schedule.py` explains the
 * fields.
 */
#ifndef GOSSAMER_HOST_H
#define GOSSAMER_HOST_H
#include <Python.h>
#include <string.h>

enum { TICKET = 17, QUEUES = 7 }; /* as in `keys.py` and `order.py` */

typedef struct {
    PyObject_HEAD PyObject *name, *policy, *clock, *line, *more, *out;
    long long number, page, later;
    double first_due, since, ready, wake;
    int leased, stands;
} Host;

/* Let a field refer to something else; takes the reference over. */
static inline void replace_field(PyObject **field, PyObject *value) {
    PyObject *before = *field;
    *field = value;
    Py_XDECREF(before);
}

/* Return how many URLs wait, whatever for. */
static inline long long waiting_of(const Host *host) {
    long long count = PyBytes_Size(host->line) / TICKET + host->later;
    for (Py_ssize_t i = 0; host->more != Py_None && i < PyTuple_Size(host->more); i++)
        count += PyLong_AsLongLong(PyTuple_GetItem(host->more, i));
    return count;
}

/* Import a type of a neighbour module; NULL with an error set when it is not compiled. */
static inline PyObject *imported(const char *module, const char *name) {
    PyObject *from = PyImport_ImportModule(module), *found = from == NULL ? NULL : PyObject_GetAttrString(from, name);
    Py_XDECREF(from);
    return found;
}

/* Tell whether an object is a host; if not, say so. */
static inline int is_host(PyObject *type, PyObject *object) {
    if (Py_TYPE(object) == (PyTypeObject *)type) return 1;
    PyErr_SetString(PyExc_TypeError, "that is no compiled host");
    return 0;
}

#endif
