/* The sheet that is being filled; `_sheet.c` makes a Python type of it, `sheets.py` says what a sheet is. */
#ifndef GOSSAMER_SHEET_H
#define GOSSAMER_SHEET_H
#include "_pack.h"

enum { SHEET_FULL = 8 }; /* as in `sheets.py` */
enum { URL, KEY, HOST, DEPTH, KIND, VIA, SCORE, PRIORITY, REDIRECTS, OFF_SITE, REFUSED, ENTRY_FIELDS };

typedef struct {
    PyObject_HEAD PyObject *encode; /* what msgspec makes of a verdict */
    Buffer bodies;
    uint64_t slots[SHEET_FULL];
    uint32_t ends[SHEET_FULL];
    int count;
    long long first; /* sequence of its first entry */
    double now;
} Sheet;

/* Write the body of an entry, given by its fields; a key that is the text of its URL is not written a second time. */
static inline int sheet_write(Sheet *self, PyObject *const *fields) {
    Buffer *bodies = &self->bodies;
    int same = fields[KEY] == fields[URL] || PyUnicode_Compare(fields[KEY], fields[URL]) == 0;
    if (PyErr_Occurred() || pack_array(bodies, ENTRY_FIELDS) < 0) return -1;
    for (int i = 0; i < REFUSED; i++)
        if ((i == KEY && same ? pack_byte(bodies, 0xa0) : pack_plain(bodies, fields[i])) < 0) return -1;
    return pack_encoded(bodies, self->encode, fields[REFUSED]);
}

/* Add an entry; of one that cannot be written nothing is left. */
static inline int sheet_add(Sheet *self, long long sequence, uint64_t slot, PyObject *const *fields, double now) {
    Buffer *bodies = &self->bodies;
    int count = self->count;
    size_t before = bodies->length;
    int failed = count == SHEET_FULL || sheet_write(self, fields) < 0;
    if (failed || self->count != count) { /* the latter when whoever encodes a verdict used the sheet for another */
        if (self->count == count) bodies->length = before;
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the sheet is full");
        return -1;
    }
    if (count == 0) {
        self->first = sequence;
        self->now = now;
    }
    self->slots[self->count] = slot;
    self->ends[self->count++] = (uint32_t)bodies->length;
    return 0;
}

/* Return the bytes of the sheet and begin another. */
static inline PyObject *sheet_take(Sheet *self) {
    Py_ssize_t head = 9 + 12 * self->count, size = head + (Py_ssize_t)self->bodies.length;
    PyObject *made = PyBytes_FromStringAndSize(NULL, size);
    if (made == NULL) return NULL;
    unsigned char *at = (unsigned char *)PyBytes_AsString(made);
    big(at, bits_of(self->now), 8);
    at[8] = (unsigned char)self->count;
    for (int i = 0; i < self->count; i++) {
        big(at + 9 + 12 * i, self->slots[i], 8);
        big(at + 17 + 12 * i, self->ends[i], 4);
    }
    if (self->bodies.length) memcpy(at + head, self->bodies.bytes, self->bodies.length);
    self->count = 0;
    self->bodies.length = 0;
    return made;
}

#endif
