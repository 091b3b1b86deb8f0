/* The sheet that is being filled; part of `sheets.py`.
 *
 * Why in C: `_admit.c` writes the entries of a whole page into it without a call for each, and without a copy of the entry in
 * which the key is left out; that was 1.1 us of a new URL. What it writes is, byte for byte, what msgspec would.
 */
#define Py_LIMITED_API 0x030b0000
#include "_sheet.h"
#include <stddef.h>
#include <structmember.h>

static PyObject *names[ENTRY_FIELDS]; /* of the fields of an entry */

/* add(sequence, slot, entry, now): return how many entries stood there before. */
static PyObject *add(PyObject *object, PyObject *arguments) {
    Sheet *self = (Sheet *)object;
    PyObject *entry, *fields[ENTRY_FIELDS] = {NULL};
    long long sequence;
    unsigned long long slot;
    double now;
    if (!PyArg_ParseTuple(arguments, "LKOd", &sequence, &slot, &entry, &now)) return NULL;
    int place = self->count, done = 0;
    for (int i = 0; done == 0 && i < ENTRY_FIELDS; i++)
        if ((fields[i] = PyObject_GetAttr(entry, names[i])) == NULL) done = -1;
    if (done == 0) done = sheet_add(self, sequence, slot, fields, now);
    for (int i = 0; i < ENTRY_FIELDS; i++) Py_XDECREF(fields[i]);
    return done < 0 ? NULL : PyLong_FromLong(place);
}

static PyObject *take(PyObject *object, PyObject *unused) {
    (void)unused;
    return sheet_take((Sheet *)object);
}

static PyObject *new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    PyObject *encode;
    if (keywords != NULL || !PyArg_ParseTuple(arguments, "O", &encode)) return PyErr_Format(PyExc_TypeError, "Sheet(encode)");
    Sheet *self = (Sheet *)PyType_GenericAlloc(type, 0);
    if (self != NULL) self->encode = Py_NewRef(encode);
    return (PyObject *)self;
}

static void dealloc(PyObject *object) {
    Sheet *self = (Sheet *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->encode);
    PyMem_Free(self->bodies.bytes);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {{"add", add, METH_VARARGS, NULL}, {"take", take, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"count", T_INT, offsetof(Sheet, count), READONLY, NULL},
    {"first", T_LONGLONG, offsetof(Sheet, first), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_new, new}, {Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {Py_tp_members, members}, {0, NULL},
};
static PyType_Spec spec = {"gossamer.frontier._sheet.Sheet", sizeof(Sheet), 0, Py_TPFLAGS_DEFAULT, slots};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_sheet", NULL, -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__sheet(void) {
    static const char *const texts[] = {"url",   "key",      "host",      "depth",    "kind",   "via",
                                        "score", "priority", "redirects", "off_site", "refused"};
    PyObject *made = PyModule_Create(&module), *type = PyType_FromSpec(&spec);
    for (int i = 0; made != NULL && i < ENTRY_FIELDS; i++)
        if ((names[i] = PyUnicode_InternFromString(texts[i])) == NULL) Py_CLEAR(made);
    if (made == NULL || type == NULL || PyModule_AddObjectRef(made, "Sheet", type) < 0) Py_CLEAR(made);
    Py_XDECREF(type);
    return made;
}
