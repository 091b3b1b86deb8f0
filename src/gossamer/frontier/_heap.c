/* A heap of hosts by time; part of `heap.py`.
 *
 * Why in C: with a million hosts a turn goes through twenty levels of the heap, and as tuples each comparison fetches three
 * objects from all over memory. Here time and number stand in the heap itself, four children side by side: 0.6 us instead of
 * 4.4 to take one of a million. A tuple a host is also what the garbage collector counts and walks over, which took another
 * 3 us of a new URL at half a million hosts.
 *
 * The least time is on top, ties go to the lower number. It takes no part in garbage collection, so nothing in it may refer to
 * it.
 */
#define Py_LIMITED_API 0x030b0000
#include "_heap.h"
#include <math.h>

static PyObject *push(PyObject *object, PyObject *const *arguments, Py_ssize_t count) {
    if (count != 3) return PyErr_Format(PyExc_TypeError, "push takes 3 arguments");
    Cell cell = {PyFloat_AsDouble(arguments[0]), PyLong_AsLongLong(arguments[1]), arguments[2]};
    if (PyErr_Occurred() || heap_push((Heap *)object, cell) < 0) return NULL;
    Py_RETURN_NONE;
}

static PyObject *pop(PyObject *object, PyObject *unused) {
    (void)unused;
    Heap *self = (Heap *)object;
    return self->held ? heap_pop(self) : PyErr_Format(PyExc_IndexError, "the heap is empty");
}

static PyObject *drain(PyObject *object, PyObject *unused) {
    (void)unused;
    Heap *self = (Heap *)object;
    Cell *cells = self->cells; /* out of reach of whoever the garbage collector wakes meanwhile */
    Py_ssize_t held = self->held;
    self->cells = NULL;
    self->held = self->room = 0;
    PyObject *all = PyList_New(held);
    for (Py_ssize_t i = 0; i < held; i++) { /* the references go into the tuples */
        PyObject *entry = all == NULL ? NULL : Py_BuildValue("(dLO)", cells[i].time, cells[i].number, cells[i].item);
        Py_DECREF(cells[i].item);
        if (entry == NULL || PyList_SetItem(all, i, entry) < 0) Py_CLEAR(all);
    }
    PyMem_Free(cells);
    return all;
}

static PyObject *time_of_top(PyObject *object, void *unused) {
    (void)unused;
    const Heap *self = (const Heap *)object;
    return PyFloat_FromDouble(self->held ? self->cells[0].time : HUGE_VAL);
}

static PyObject *top(PyObject *object, void *unused) {
    (void)unused;
    const Heap *self = (const Heap *)object;
    if (self->held == 0) return PyErr_Format(PyExc_IndexError, "the heap is empty");
    return Py_NewRef(self->cells[0].item);
}

static Py_ssize_t length(PyObject *object) { return ((Heap *)object)->held; }

static void dealloc(PyObject *object) {
    Heap *self = (Heap *)object;
    PyTypeObject *type = Py_TYPE(object);
    while (self->held) Py_DECREF(self->cells[--self->held].item);
    PyMem_Free(self->cells);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"push", (PyCFunction)(void (*)(void))push, METH_FASTCALL, NULL},
    {"pop", pop, METH_NOARGS, NULL},
    {"drain", drain, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef looks[] = {
    {"time", time_of_top, NULL, NULL, NULL},
    {"top", top, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, looks}, {Py_sq_length, length}, {0, NULL},
};
static PyType_Spec spec = {"gossamer.frontier._heap.Heap", sizeof(Heap), 0, Py_TPFLAGS_DEFAULT, slots};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_heap", NULL, 0, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__heap(void) {
    PyObject *made = PyModule_Create(&module), *type = PyType_FromSpec(&spec);
    if (made == NULL || type == NULL || PyModule_AddObjectRef(made, "Heap", type) < 0) Py_CLEAR(made);
    Py_XDECREF(type);
    return made;
}
