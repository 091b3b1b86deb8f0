/* MessagePack as `_pack.h` writes it, read from bytes of which none may be trusted; what is unusual is left to msgspec. */
#ifndef GOSSAMER_UNPACK_H
#define GOSSAMER_UNPACK_H
#include <Python.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t number_at(const unsigned char *at, int width) {
    uint64_t number = 0;
    for (int i = 0; i < width; i++) number = number << 8 | at[i];
    return number;
}

/* Where an entry is read; `at` is NULL after something that is not as we write it. */
typedef struct {
    const unsigned char *at, *end;
} Reader;

static inline const unsigned char *next(Reader *reader, size_t count) {
    const unsigned char *at = reader->at;
    if (at == NULL || (size_t)(reader->end - at) < count) return reader->at = NULL;
    reader->at += count;
    return at;
}

/* Return the bytes of a text and their count; NULL: it is none. */
static inline const char *read_text(Reader *reader, Py_ssize_t *size) {
    const unsigned char *head = next(reader, 1), *width;
    if (head == NULL) return NULL;
    if ((*head & 0xe0) == 0xa0) {
        *size = *head & 31;
    } else if (*head == 0xd9 && (width = next(reader, 1)) != NULL) {
        *size = *width;
    } else if (*head == 0xda && (width = next(reader, 2)) != NULL) {
        *size = (Py_ssize_t)number_at(width, 2);
    } else {
        reader->at = NULL;
        return NULL;
    }
    return (const char *)next(reader, (size_t)*size);
}

static inline PyObject *text(Reader *reader) {
    Py_ssize_t size;
    const char *bytes = read_text(reader, &size);
    return bytes == NULL ? NULL : PyUnicode_DecodeUTF8(bytes, size, NULL);
}

static inline PyObject *number(Reader *reader) {
    const unsigned char *head = next(reader, 1), *wide;
    if (head == NULL) return NULL;
    if (*head < 0x80) return PyLong_FromLong(*head);
    if (*head == 0xcc && (wide = next(reader, 1)) != NULL) return PyLong_FromLong(*wide);
    if (*head == 0xcd && (wide = next(reader, 2)) != NULL) return PyLong_FromLong((long)number_at(wide, 2));
    return NULL;
}

static inline PyObject *score(Reader *reader) {
    const unsigned char *head = next(reader, 9);
    if (head == NULL || *head != 0xcb) return NULL;
    uint64_t bits = number_at(head + 1, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return PyFloat_FromDouble(value);
}

#endif
