/* A host with work; part of `schedule.py`, which says what the fields mean.
 *
 * Why in C: there are a million of these, and every URL touches several of their fields. As a msgspec struct a host took 136
 * bytes and an object for each of its numbers; here it takes 128 with them, and the other compiled modules of the frontier
 * read and write its fields without a call. It takes no part in garbage collection: nothing it refers to refers to it.
 *
 * Invariants: `line` and `out` are whole tickets, each of a queue there is; `more` is None or a number for each queue; no field is
 * ever missing. What Python writes is looked at here, so that nobody who reads a field has to.
 */
#define Py_LIMITED_API 0x030b0000
#include "_host.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <structmember.h>

static PyObject *no_policy, *new_clock, *empty; /* what a host has that was given nothing else */

/* Host(name, number, policy=NO_POLICY, clock=NEW_CLOCK) */
static PyObject *new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"name", "number", "policy", "clock", NULL};
    PyObject *name, *policy = no_policy, *clock = new_clock;
    long long number;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "UL|OO", names, &name, &number, &policy, &clock)) return NULL;
    if (policy == NULL || clock == NULL) return PyErr_Format(PyExc_RuntimeError, "nobody said what a new host has");
    Host *self = (Host *)PyType_GenericAlloc(type, 0);
    if (self == NULL) return NULL;
    self->name = Py_NewRef(name);
    self->policy = Py_NewRef(policy);
    self->clock = Py_NewRef(clock);
    self->line = Py_NewRef(empty);
    self->out = Py_NewRef(empty);
    self->more = Py_NewRef(Py_None);
    self->number = number;
    self->first_due = self->ready = self->wake = HUGE_VAL;
    return (PyObject *)self;
}

static void dealloc(PyObject *object) {
    Host *self = (Host *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject *fields[] = {self->name, self->policy, self->clock, self->line, self->more, self->out};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) Py_XDECREF(fields[i]);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* The pure heap compares hosts of the same time and number; no two have the same number. */
static PyObject *compare(PyObject *one, PyObject *other, int how) {
    if (how != Py_LT || Py_TYPE(one) != Py_TYPE(other)) Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong(((Host *)one)->number < ((Host *)other)->number);
}

static Py_hash_t hash(PyObject *self) { return (Py_hash_t)((uintptr_t)self >> 4); }

static PyObject *waiting(PyObject *object, void *unused) {
    (void)unused;
    long long count = waiting_of((const Host *)object);
    return PyErr_Occurred() ? NULL : PyLong_FromLongLong(count);
}

/* shared(policy, clock): say what a host has that was given nothing else. */
static PyObject *shared(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *policy, *clock;
    if (!PyArg_ParseTuple(arguments, "OO", &policy, &clock)) return NULL;
    replace_field(&no_policy, Py_NewRef(policy));
    replace_field(&new_clock, Py_NewRef(clock));
    Py_RETURN_NONE;
}

static int is_anything(PyObject *value) { return value != NULL; }

static int is_line(PyObject *value) {
    if (!PyBytes_Check(value) || PyBytes_Size(value) % TICKET) return 0;
    const unsigned char *line = (const unsigned char *)PyBytes_AsString(value);
    for (Py_ssize_t at = 0, size = PyBytes_Size(value); at < size; at += TICKET)
        if (line[at] >= QUEUES) return 0;
    return 1;
}

static int is_more(PyObject *value) {
    if (value == Py_None) return 1;
    if (!PyTuple_Check(value) || PyTuple_Size(value) != QUEUES) return 0;
    for (int queue = 0; queue < QUEUES; queue++)
        if (!PyLong_Check(PyTuple_GetItem(value, queue))) return 0;
    return 1;
}

/* A field that holds an object: where, and what may stand there. */
typedef struct {
    size_t offset;
    int (*is_right)(PyObject *value);
    const char *wanted;
} Field;
static Field policy_field = {offsetof(Host, policy), is_anything, "a policy"},
             clock_field = {offsetof(Host, clock), is_anything, "a clock"},
             line_field = {offsetof(Host, line), is_line, "a line of whole tickets of queues there are"},
             out_field = {offsetof(Host, out), is_line, "a line of whole tickets of queues there are"},
             more_field = {offsetof(Host, more), is_more, "None or a number for each queue"};

static PyObject *look(PyObject *object, void *field) {
    return Py_NewRef(*(PyObject **)((char *)object + ((const Field *)field)->offset));
}

static int change(PyObject *object, PyObject *value, void *closure) {
    const Field *field = closure;
    if (value == NULL || !field->is_right(value)) {
        PyErr_Format(PyExc_ValueError, "a host wants %s", field->wanted);
        return -1;
    }
    replace_field((PyObject **)((char *)object + field->offset), Py_NewRef(value));
    return 0;
}

static PyMemberDef members[] = {
    {"name", T_OBJECT_EX, offsetof(Host, name), READONLY, NULL}, {"number", T_LONGLONG, offsetof(Host, number), READONLY, NULL},
    {"later", T_LONGLONG, offsetof(Host, later), 0, NULL},       {"first_due", T_DOUBLE, offsetof(Host, first_due), 0, NULL},
    {"leased", T_INT, offsetof(Host, leased), 0, NULL},          {"page", T_LONGLONG, offsetof(Host, page), 0, NULL},
    {"since", T_DOUBLE, offsetof(Host, since), 0, NULL},         {"ready", T_DOUBLE, offsetof(Host, ready), 0, NULL},
    {"wake", T_DOUBLE, offsetof(Host, wake), 0, NULL},           {"stands", T_INT, offsetof(Host, stands), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyGetSetDef looks[] = {
    {"policy", look, change, NULL, &policy_field},
    {"clock", look, change, NULL, &clock_field},
    {"line", look, change, NULL, &line_field},
    {"more", look, change, NULL, &more_field},
    {"out", look, change, NULL, &out_field},
    {"waiting", waiting, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_new, new},   {Py_tp_dealloc, dealloc}, {Py_tp_richcompare, compare},
    {Py_tp_hash, hash}, {Py_tp_members, members}, {Py_tp_getset, looks},
    {0, NULL},
};
static PyType_Spec spec = {"gossamer.frontier._host.Host", sizeof(Host), 0, Py_TPFLAGS_DEFAULT, slots};
static PyMethodDef functions[] = {{"shared", shared, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_host", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__host(void) {
    PyObject *made = PyModule_Create(&module), *type = PyType_FromSpec(&spec);
    empty = PyBytes_FromStringAndSize(NULL, 0);
    if (made == NULL || type == NULL || empty == NULL || PyModule_AddObjectRef(made, "Host", type) < 0) Py_CLEAR(made);
    Py_XDECREF(type);
    return made;
}
