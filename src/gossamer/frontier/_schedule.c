/* Hosts after a change, all of a call at once; part of `schedule.py`, which says what is meant.
 *
 * Why in C: after every call each host that changed is put where it belongs, which is a dozen looks at its fields and a push
 * into a heap: 0.2 us a host instead of 1.6. What is unusual about a host (a policy, URLs that wait for a date) is left to
 * Python.
 */
#define Py_LIMITED_API 0x030b0000
#include "_hosts.h"
#include "_records.h"
#include "_queue.h"
#include <math.h>

static Shape clock_shape;
static PyObject *heap_type, *host_type, *hosts_type;

/* How hosts are placed: what `Schedule` knows. */
typedef struct {
    PyObject *heaps, *place, *no_policy;
    long connections;
    Py_ssize_t most; /* entries of a heap, before false ones are swept out */
} Places;

/* Put a host where it belongs; 0 when that is for Python to do. */
static int place(const Places *places, Host *host) {
    PyObject *clock = host->clock;
    if (host->policy != places->no_policy || host->later || host->wake < HUGE_VAL || !has_shape(&clock_shape, clock)) return 0;
    double ready = PyFloat_AsDouble(field(&clock_shape, clock, NEXT_TIME));
    double blocked = PyFloat_AsDouble(field(&clock_shape, clock, BLOCKED_UNTIL));
    if (PyErr_Occurred()) return -1;
    if (host->since > ready) ready = host->since;
    if (blocked > ready) ready = blocked;
    if (host->leased >= (field(&clock_shape, clock, PROBING) == Py_True ? 1 : places->connections)) ready = HUGE_VAL;
    if (ready != host->ready) {
        host->ready = ready;
        host->stands = 0;
    }
    if (ready == HUGE_VAL) return 1;
    const char *line = PyBytes_AsString(host->line);
    for (Py_ssize_t at = 0, size = PyBytes_Size(host->line); at < size; at += TICKET) {
        int queue = line[at];
        if (host->stands >> queue & 1) continue;
        Heap *heap = (Heap *)PyTuple_GetItem(places->heaps, queue);
        if (heap == NULL) return -1;
        if (heap->held > places->most) return 0;
        if (heap_push(heap, (Cell){ready, host->number, (PyObject *)host}) < 0) return -1;
        host->stands |= 1 << queue;
    }
    return 1;
}

/* Tell whether these are our heaps, one for each queue; if not, say so. */
static int are_heaps(PyObject *heaps) {
    int is_ours = PyTuple_Size(heaps) == QUEUES;
    for (Py_ssize_t i = 0; is_ours && i < QUEUES; i++)
        is_ours = Py_TYPE(PyTuple_GetItem(heaps, i)) == (PyTypeObject *)heap_type;
    if (!is_ours) PyErr_SetString(PyExc_TypeError, "a heap is not the compiled one, or there is not one for each queue");
    return is_ours;
}

/* place_all(hosts, heaps, place, no_policy, connections, most): put hosts where they belong; `place` is for unusual ones. */
static PyObject *place_all(PyObject *module, PyObject *arguments) {
    (void)module;
    Places places;
    PyObject *hosts, *host;
    if (!PyArg_ParseTuple(arguments, "OO!OOln", &hosts, &PyTuple_Type, &places.heaps, &places.place, &places.no_policy,
                          &places.connections, &places.most) ||
        !are_heaps(places.heaps))
        return NULL;
    PyObject *each = PyObject_GetIter(hosts);
    if (each == NULL) return NULL;
    int done = 1;
    while (done >= 0 && (host = PyIter_Next(each)) != NULL) {
        done = is_host(host_type, host) ? place(&places, (Host *)host) : -1;
        if (done == 0) {
            PyObject *placed = PyObject_CallFunctionObjArgs(places.place, host, NULL);
            done = placed == NULL ? -1 : 1;
            Py_XDECREF(placed);
        }
        Py_DECREF(host);
    }
    Py_DECREF(each);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

static int is_idle(const Host *host) { return !host->leased && !host->later && PyBytes_Size(host->line) == 0; }

/* rest(changed, moved, hosts, resting): move the hosts among the changed that have no work out of the schedule, to rest. */
static PyObject *rest(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *changed, *moved, *hosts, *resting, *object;
    if (!PyArg_ParseTuple(arguments, "OOO!O!", &changed, &moved, (PyTypeObject *)hosts_type, &hosts, &PyDict_Type, &resting))
        return NULL;
    PyObject *each = PyObject_GetIter(changed);
    while (each != NULL && (object = PyIter_Next(each)) != NULL) {
        Host *host = (Host *)object;
        if (is_host(host_type, object) && is_idle(host) && PySet_Discard(moved, object) >= 0) {
            host->ready = host->wake = HUGE_VAL;
            host->stands = 0;
            uint64_t hash;
            if (hash_name(host->name, &hash) == 0) {
                Place *place = find_place((Hosts *)hosts, hash, host->name);
                if (place->host != NULL) free_place((Hosts *)hosts, place);
                PyDict_SetItem(resting, host->name, object);
            }
        }
        Py_DECREF(object);
        if (PyErr_Occurred()) break;
    }
    Py_XDECREF(each);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

/* ready(heaps, now): return a bit for each queue with a host that may be leased; false entries on top are thrown away. */
static PyObject *ready(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *heaps;
    double now;
    long found = 0;
    if (!PyArg_ParseTuple(arguments, "O!d", &PyTuple_Type, &heaps, &now) || !are_heaps(heaps)) return NULL;
    for (int queue = 0; queue < QUEUES; queue++) {
        int is_ready = has_ready(host_type, (Heap *)PyTuple_GetItem(heaps, queue), queue, now);
        if (is_ready < 0) return NULL;
        found |= (long)is_ready << queue;
    }
    return PyLong_FromLong(found);
}

static PyMethodDef functions[] = {
    {"place_all", place_all, METH_VARARGS, NULL},
    {"rest", rest, METH_VARARGS, NULL},
    {"ready", ready, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_schedule", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__schedule(void) {
    heap_type = imported("gossamer.frontier._heap", "Heap");
    host_type = imported("gossamer.frontier._host", "Host");
    hosts_type = imported("gossamer.frontier._hosts", "Hosts");
    if (heap_type == NULL || host_type == NULL || hosts_type == NULL || learn_clock(&clock_shape) < 0) return NULL;
    return PyModule_Create(&module);
}
