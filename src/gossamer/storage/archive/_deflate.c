/* Deflate for small texts, as a module; part of `member.py`. How, and why in C: `_deflate.h`. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include "_deflate.h"

/* deflate(text, is_last): one block. */
static PyObject *deflate(PyObject *self, PyObject *args) {
    const char *text;
    Py_ssize_t size;
    int is_last;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#p", &text, &size, &is_last)) return NULL;
    if (size > MOST) {
        PyErr_Format(PyExc_ValueError, "the text is longer than %d bytes", (int)MOST);
        return NULL;
    }
    unsigned char out[ROOM(MOST)];
    unsigned char *end = deflate_block(out, (const unsigned char *)text, (unsigned)size, is_last);
    return PyBytes_FromStringAndSize((const char *)out, end - out);
}

static PyMethodDef functions[] = {{"deflate", deflate, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_deflate", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__deflate(void) {
    make_code();
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyModule_AddIntConstant(made, "MOST", MOST) < 0) Py_CLEAR(made);
    return made;
}
