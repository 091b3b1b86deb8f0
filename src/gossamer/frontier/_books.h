/* What a page of found URLs is entered into, as `_admit.c` sees it: the objects behind `Admission`, and their counters. */
#ifndef GOSSAMER_BOOKS_H
#define GOSSAMER_BOOKS_H
#include "_bloom.h"
#include "_hosts.h"
#include "_records.h"
#include "_sheet.h"
#include "_slots.h"

#define NAMES(X)                                                                                                               \
    X(_ledger)                                                                                                                 \
    X(_seen)                                                                                                                   \
    X(_meta)                                                                                                                   \
    X(_admit)                                                                                                                  \
    X(_max_waiting) X(_bloom) X(_recent) X(_older) X(_fresh) X(_bound) X(recent_hits) X(bloom_misses) X(sequence) X(waiting)   \
        X(number) X(schedule) X(hosts) X(changed) X(moved) X(sheets) X(sheet) X(family) X(batch) X(put) X(acquire) X(lines)    \
            X(push) X(room) X(slots) X(gathered) X(look_ahead)
#define NAME(name) name_##name,
enum { NAMES(NAME) COUNT_OF_NAMES };
#define TEXT(name) #name,
static const char *const texts[] = {NAMES(TEXT)};
static PyObject *names[COUNT_OF_NAMES];
static PyObject *bloom_type, *host_type, *hosts_type, *sheet_type, *gathered_type, *usual_fingerprint, *zero, *spelled;
static Shape entry_shape;

/* What a page is entered into. Everything is a reference of our own. */
typedef struct {
    PyObject *admission, *ledger, *seen, *meta, *bloom, *recent, *older, *fresh, *hosts, *changed, *moved, *sheets, *sheet;
    PyObject *lines, *batch, *put, *gathered, *fingerprint, *no_policy, *now_object;
    long long sequence, waiting, number, bound, max_waiting, room, recent_hits, bloom_misses;
    double now;
    int is_own;    /* keys are named by the fingerprint we know */
    int laid_down; /* the counters are as the Python side has them */
} Books;

static PyObject *attribute(PyObject *object, int name) { return PyObject_GetAttr(object, names[name]); }

static int get_number(PyObject *object, int name, long long *number) {
    PyObject *found = attribute(object, name);
    if (found == NULL) return -1;
    *number = PyLong_AsLongLong(found);
    Py_DECREF(found);
    return *number == -1 && PyErr_Occurred() ? -1 : 0;
}

static int set_number(PyObject *object, int name, long long number) {
    PyObject *made = PyLong_FromLongLong(number);
    int done = made == NULL ? -1 : PyObject_SetAttr(object, names[name], made);
    Py_XDECREF(made);
    return done;
}

static int refresh(PyObject **field, PyObject *object, int name) {
    PyObject *found = attribute(object, name);
    if (found == NULL) return -1;
    replace_field(field, found);
    return 0;
}

/* Take up what the Python side changes, too. */
static int take_up(Books *books) {
    books->laid_down = 1;
    return -(refresh(&books->recent, books->seen, name__recent) < 0 || refresh(&books->older, books->seen, name__older) < 0 ||
             get_number(books->meta, name_sequence, &books->sequence) < 0 ||
             get_number(books->meta, name_waiting, &books->waiting) < 0 ||
             get_number(books->meta, name_number, &books->number) < 0);
}

static int lay_down(Books *books) {
    if (books->laid_down) return 0; /* a page of known URLs changes nothing */
    books->laid_down = 1;
    return -(set_number(books->meta, name_sequence, books->sequence) < 0 ||
             set_number(books->meta, name_waiting, books->waiting) < 0 ||
             set_number(books->meta, name_number, books->number) < 0);
}

static int add_number(PyObject *object, int name, long long more) {
    long long number;
    return more == 0 ? 0 : get_number(object, name, &number) < 0 ? -1 : set_number(object, name, number + more);
}

static void close_books(Books *books) {
    PyObject *held[] = {books->ledger, books->seen,  books->meta,  books->bloom,   books->recent,
                        books->older,  books->fresh, books->hosts, books->moved,   books->sheets,
                        books->sheet,  books->batch, books->put,   books->changed, books->lines,
                        books->gathered};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) Py_XDECREF(held[i]);
}

static int open_books(Books *books) {
    PyObject *schedule = NULL, *slots = NULL;
    int failed =
        refresh(&books->ledger, books->admission, name__ledger) < 0 ||
        refresh(&books->seen, books->admission, name__seen) < 0 || refresh(&books->meta, books->admission, name__meta) < 0 ||
        get_number(books->admission, name__max_waiting, &books->max_waiting) < 0 ||
        refresh(&books->bloom, books->seen, name__bloom) < 0 || refresh(&books->fresh, books->seen, name__fresh) < 0 ||
        get_number(books->seen, name__bound, &books->bound) < 0 ||
        (schedule = attribute(books->ledger, name_schedule)) == NULL || refresh(&books->hosts, schedule, name_hosts) < 0 ||
        refresh(&books->changed, books->ledger, name_changed) < 0 || refresh(&books->moved, books->ledger, name_moved) < 0 ||
        refresh(&books->sheets, books->ledger, name_sheets) < 0 || refresh(&books->sheet, books->sheets, name_sheet) < 0 ||
        refresh(&books->lines, books->ledger, name_lines) < 0 || get_number(books->lines, name_room, &books->room) < 0 ||
        (slots = attribute(books->seen, name_slots)) == NULL || refresh(&books->gathered, slots, name_gathered) < 0 ||
        refresh(&books->batch, books->ledger, name_batch) < 0 || refresh(&books->put, books->batch, name_put) < 0 ||
        take_up(books) < 0;
    Py_XDECREF(schedule), Py_XDECREF(slots);
    if (!failed &&
        (Py_TYPE(books->bloom) != (PyTypeObject *)bloom_type || Py_TYPE(books->sheet) != (PyTypeObject *)sheet_type ||
         Py_TYPE(books->hosts) != (PyTypeObject *)hosts_type || Py_TYPE(books->gathered) != (PyTypeObject *)gathered_type)) {
        PyErr_SetString(PyExc_TypeError, "a filter, a sheet, the hosts or the gathered slots are not the compiled ones");
        failed = 1;
    }
    return failed ? -1 : 0;
}

#endif
