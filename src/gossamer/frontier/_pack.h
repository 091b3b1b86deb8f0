/* MessagePack and big-endian numbers, written into one growing buffer; the bytes are those msgspec would write. */
#ifndef GOSSAMER_PACK_H
#define GOSSAMER_PACK_H
#include <Python.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    unsigned char *bytes;
    size_t length, room;
} Buffer;

/* Return where that many bytes are to be written; NULL: no memory, which is said. */
static inline unsigned char *extend(Buffer *buffer, size_t count) {
    if (buffer->length + count > buffer->room) {
        size_t room = 2 * (buffer->length + count) + 256;
        unsigned char *bytes = PyMem_Realloc(buffer->bytes, room);
        if (bytes == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        buffer->bytes = bytes;
        buffer->room = room;
    }
    buffer->length += count;
    return buffer->bytes + buffer->length - count;
}

static inline void big(unsigned char *at, uint64_t number, int width) {
    for (int i = width - 1; i >= 0; i--, number >>= 8) at[i] = (unsigned char)number;
}

static inline uint64_t bits_of(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline int pack_raw(Buffer *buffer, const void *bytes, size_t length) {
    unsigned char *at = extend(buffer, length);
    if (at == NULL) return -1;
    memcpy(at, bytes, length);
    return 0;
}

static inline int pack_byte(Buffer *buffer, unsigned char byte) { return pack_raw(buffer, &byte, 1); }

/* A first byte and a number in that many bytes. */
static inline int pack_headed(Buffer *buffer, unsigned char head, uint64_t number, int width) {
    unsigned char *at = extend(buffer, (size_t)width + 1);
    if (at == NULL) return -1;
    *at = head;
    big(at + 1, number, width);
    return 0;
}

static inline int pack_none(Buffer *buffer) { return pack_byte(buffer, 0xc0); }

static inline int pack_double(Buffer *buffer, double number) { return pack_headed(buffer, 0xcb, bits_of(number), 8); }

static inline int pack_integer(Buffer *buffer, long long number) {
    if (number >= 0) {
        if (number < 0x80) return pack_byte(buffer, (unsigned char)number);
        if (number <= 0xff) return pack_headed(buffer, 0xcc, (uint64_t)number, 1);
        if (number <= 0xffff) return pack_headed(buffer, 0xcd, (uint64_t)number, 2);
        if (number <= 0xffffffff) return pack_headed(buffer, 0xce, (uint64_t)number, 4);
        return pack_headed(buffer, 0xcf, (uint64_t)number, 8);
    }
    if (number >= -0x20) return pack_byte(buffer, (unsigned char)number);
    if (number >= -0x80) return pack_headed(buffer, 0xd0, (uint64_t)number, 1);
    if (number >= -0x8000) return pack_headed(buffer, 0xd1, (uint64_t)number, 2);
    if (number >= -0x80000000ll) return pack_headed(buffer, 0xd2, (uint64_t)number, 4);
    return pack_headed(buffer, 0xd3, (uint64_t)number, 8);
}

static inline int pack_array(Buffer *buffer, size_t length) {
    if (length < 16) return pack_byte(buffer, (unsigned char)(0x90 | length));
    return length <= 0xffff ? pack_headed(buffer, 0xdc, length, 2) : pack_headed(buffer, 0xdd, length, 4);
}

static inline int pack_text(Buffer *buffer, PyObject *text) {
    Py_ssize_t size;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes == NULL) return -1;
    int done = size < 32        ? pack_byte(buffer, (unsigned char)(0xa0 | size))
               : size <= 0xff   ? pack_headed(buffer, 0xd9, (uint64_t)size, 1)
               : size <= 0xffff ? pack_headed(buffer, 0xda, (uint64_t)size, 2)
                                : pack_headed(buffer, 0xdb, (uint64_t)size, 4);
    return done < 0 ? -1 : pack_raw(buffer, bytes, (size_t)size);
}

static inline int pack_bytes(Buffer *buffer, PyObject *object) {
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0) return -1;
    int done = size <= 0xff     ? pack_headed(buffer, 0xc4, (uint64_t)size, 1)
               : size <= 0xffff ? pack_headed(buffer, 0xc5, (uint64_t)size, 2)
                                : pack_headed(buffer, 0xc6, (uint64_t)size, 4);
    return done < 0 ? -1 : pack_raw(buffer, bytes, (size_t)size);
}

/* Whatever `encode` makes bytes of. */
static inline int pack_encoded(Buffer *buffer, PyObject *encode, PyObject *object) {
    if (object == Py_None) return pack_none(buffer);
    PyObject *made = PyObject_CallFunctionObjArgs(encode, object, NULL);
    char *bytes;
    Py_ssize_t size;
    int done = made == NULL || PyBytes_AsStringAndSize(made, &bytes, &size) < 0 ? -1 : pack_raw(buffer, bytes, (size_t)size);
    Py_XDECREF(made);
    return done;
}

/* None, a number or a text: what the fields of rows are. */
static inline int pack_plain(Buffer *buffer, PyObject *object) {
    if (object == Py_None) return pack_none(buffer);
    if (PyFloat_Check(object)) return pack_double(buffer, PyFloat_AsDouble(object));
    if (PyUnicode_Check(object)) return pack_text(buffer, object);
    long long number = PyLong_AsLongLong(object);
    return number == -1 && PyErr_Occurred() ? -1 : pack_integer(buffer, number);
}

#endif
