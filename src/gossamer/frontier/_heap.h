/* The heap itself; `_heap.c` makes a Python type of it and says why. */
#ifndef GOSSAMER_HEAP_H
#define GOSSAMER_HEAP_H
#include <Python.h>

enum { CHILDREN = 4 };

typedef struct {
    double time;
    long long number;
    PyObject *item;
} Cell;

typedef struct {
    PyObject_HEAD Cell *cells;
    Py_ssize_t held, room;
} Heap;

static inline int before(const Cell *one, const Cell *other) {
    return one->time < other->time || (one->time == other->time && one->number < other->number);
}

/* Put an item in; the heap gets a reference of its own. */
static inline int heap_push(Heap *self, Cell cell) {
    if (self->held == self->room) {
        Py_ssize_t room = self->room + self->room / 4 + 64;
        Cell *cells = PyMem_Realloc(self->cells, (size_t)room * sizeof(Cell));
        if (cells == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        self->cells = cells;
        self->room = room;
    }
    Py_INCREF(cell.item);
    Py_ssize_t at = self->held++;
    while (at > 0) {
        Py_ssize_t parent = (at - 1) / CHILDREN;
        if (!before(&cell, &self->cells[parent])) break;
        self->cells[at] = self->cells[parent];
        at = parent;
    }
    self->cells[at] = cell;
    return 0;
}

/* Take the item on top out, of which there is one; its reference goes to the caller. */
static inline PyObject *heap_pop(Heap *self) {
    PyObject *item = self->cells[0].item;
    Py_ssize_t held = --self->held, at = 0;
    const Cell last = self->cells[held];
    for (;;) {
        Py_ssize_t least = CHILDREN * at + 1;
        if (least >= held) break;
        Py_ssize_t end = least + CHILDREN < held ? least + CHILDREN : held;
        for (Py_ssize_t child = least + 1; child < end; child++)
            if (before(&self->cells[child], &self->cells[least])) least = child;
        if (!before(&self->cells[least], &last)) break;
        self->cells[at] = self->cells[least];
        at = least;
    }
    self->cells[at] = last;
    return item;
}

#endif
