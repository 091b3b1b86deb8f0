/* The fields of msgspec structs without a call: where an instance keeps each is found once, by looking.
 *
 * Why: asking for an attribute by name is a call, and a settled URL asks for forty. A struct is made with a different object
 * in every field, and its memory is looked through for them. If msgspec ever keeps them otherwise they are not found, or if a
 * copy is ever not a new object, the module cannot be imported, and the pure way is taken.
 */
#ifndef GOSSAMER_FIELDS_H
#define GOSSAMER_FIELDS_H
#include "_host.h"

enum { MOST_FIELDS = 16 };

typedef struct {
    PyTypeObject *type;
    size_t offsets[MOST_FIELDS];
} Shape;

/* Return a copy of a struct: half the time of calling its type. Its fields are about to be written, so it must be a new object
 * of the same kind: whoever made `__copy__` something else made these modules useless, not dangerous. */
static inline PyObject *copy_of(PyObject *object) {
    static PyObject *name;
    if (name == NULL && (name = PyUnicode_InternFromString("__copy__")) == NULL) return NULL;
    PyObject *copy = PyObject_CallMethodObjArgs(object, name, NULL);
    if (copy == NULL || (copy != object && Py_TYPE(copy) == Py_TYPE(object) && Py_REFCNT(copy) == 1)) return copy;
    Py_DECREF(copy);
    return PyErr_Format(PyExc_TypeError, "the copy of a struct is not a new struct");
}

/* Tell whether a struct is copied as these modules need it; if not no error is set. */
static inline int has_new_copies(PyObject *made) {
    PyObject *copy = copy_of(made);
    if (copy == NULL) PyErr_Clear();
    Py_XDECREF(copy);
    return copy != NULL;
}

/* Find the fields of a type, named in a text with blanks between them; they must be all it has. */
static inline int learn(Shape *shape, const char *module, const char *name, const char *fields) {
    PyObject *type = imported(module, name), *text = PyUnicode_FromString(fields), *given = PyDict_New(), *made = NULL;
    PyObject *all = text == NULL ? NULL : PyUnicode_Split(text, NULL, -1), *none = PyTuple_New(0), *size = NULL;
    Py_ssize_t count = all == NULL ? -1 : PyList_Size(all), found = 0;
    if (type == NULL || given == NULL || none == NULL || count < 0 || count > MOST_FIELDS) goto end;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *mark = PyBytes_FromFormat("field %zd", i);
        int failed = mark == NULL || PyDict_SetItem(given, PyList_GetItem(all, i), mark) < 0;
        Py_XDECREF(mark);
        if (failed) goto end;
    }
    if ((made = PyObject_Call(type, none, given)) == NULL) goto end;
    if (!has_new_copies(made)) goto end;
    if ((size = PyObject_GetAttrString(type, "__basicsize__")) == NULL) goto end;
    for (Py_ssize_t i = 0; i < count; i++) {
        const PyObject *mark = PyDict_GetItem(given, PyList_GetItem(all, i));
        for (size_t at = sizeof(PyObject); at + sizeof mark <= PyLong_AsSize_t(size); at += sizeof mark)
            if (memcmp((char *)made + at, &mark, sizeof mark) == 0) {
                shape->offsets[i] = at;
                found++;
                break;
            }
    }
    shape->type = (PyTypeObject *)Py_NewRef(type);
end:
    Py_XDECREF(type), Py_XDECREF(text), Py_XDECREF(given), Py_XDECREF(made), Py_XDECREF(all), Py_XDECREF(none),
        Py_XDECREF(size);
    if (found == count) return 0;
    if (!PyErr_Occurred()) PyErr_Format(PyExc_ImportError, "%s keeps its fields in an unknown way", name);
    return -1;
}

static inline int has_shape(const Shape *shape, PyObject *object) { return Py_TYPE(object) == shape->type; }

/* Return a field of an object of that shape; the reference is the object's. */
static inline PyObject *field(const Shape *shape, PyObject *object, int number) {
    return *(PyObject **)((char *)object + shape->offsets[number]);
}

/* Let a field of a new struct, which nobody else has seen, refer to a value; takes the reference over. -1: there is none. */
static inline int set_field(const Shape *shape, PyObject *object, int number, PyObject *value) {
    if (value == NULL) return -1;
    replace_field((PyObject **)((char *)object + shape->offsets[number]), value);
    return 0;
}

#endif
