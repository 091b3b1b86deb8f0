/* Turns that end well, all of a call at once; part of `endings.py`, which says what is meant.
 *
 * Why in C: a settled URL asks for forty fields of five records, makes two clocks and a row: 5 us instead of 12,
 * the store's part included. Only
 * the plain case is here, which is nearly every one: the turn is still its owner's, the URL is done or
 * dead (but not gone: another spelling of it may be there), and a host without a policy answered, neither failing nor asking for anything. Where something failed before, or is to
 * be slower, the rules of `policy` are asked for the clock. Every other settlement is handed to Python before anything was
 * changed for it.
 */
#define Py_LIMITED_API 0x030b0000
#include "_records.h"
#include "_pack.h"

enum { WINDOW = 100, TRIED = 1 }; /* as in `breaker.py` and `sheets.py` */

static Shape settlements, leases, answers, clocks, turns, rows;
static PyObject *host_type, *done_fate, *dead_fate, *gone_outcome, *not_for_us, *zero, *nothing, *encode;

/* What turns end in; the objects are the caller's. */
typedef struct {
    PyObject *live, *changed, *moved, *put, *family, *no_policy, *clock_after, *settle, *admit, *ended, *now_object;
    PyObject *found; /* entries that were discovered and are yet to be admitted */
    PyObject *first; /* token of the row of leases that the last turn stood in */
    long long left;  /* turns in a row that stood there and ended */
    double now, delay, slow, quick, most_slowdown;
    long long done, dead;
} Books;

/* Of a number of any size: the last requests of a host are a hundred bits, more than any integer of C holds. */
static int is_zero(PyObject *number) { return number == zero || (PyLong_Check(number) && PyObject_IsTrue(number) == 0); }

/* Return the clock after an answer that is plain, at a host of which nothing bad is known; NULL: ask the rules. */
static PyObject *plain_clock(const Books *books, PyObject *clock, PyObject *answer) {
    PyObject *values[CLOCK_FIELDS];
    for (int i = 0; i < CLOCK_FIELDS; i++) values[i] = field(&clocks, clock, i);
    double next = PyFloat_AsDouble(values[NEXT_TIME]), slowdown = PyFloat_AsDouble(values[SLOWDOWN]);
    double seconds = PyFloat_AsDouble(field(&answers, answer, A_SECONDS)), at = PyFloat_AsDouble(field(&answers, answer, A_AT));
    if (field(&answers, answer, A_FAILED) != Py_False || field(&answers, answer, A_ROBOTS_DELAY) != Py_None ||
        PyFloat_AsDouble(field(&answers, answer, A_BLOCK_UNTIL)) > PyFloat_AsDouble(values[BLOCKED_UNTIL]) ||
        PyFloat_AsDouble(values[ROBOTS_DELAY]) != 0.0 || PyFloat_AsDouble(values[GIVEN_UP]) != 0.0 ||
        values[PROBING] != Py_False || !is_zero(values[FAILURES]) || !is_zero(values[OPENINGS]) || !is_zero(values[RECENT]))
        return NULL;
    if (seconds > books->slow) slowdown = slowdown * 2 < books->most_slowdown ? slowdown * 2 : books->most_slowdown;
    else if (seconds < books->quick) slowdown = slowdown / 2 > 1.0 ? slowdown / 2 : 1.0;
    long count = PyLong_AsLong(values[COUNT]);
    at += books->delay * slowdown;
    if (PyErr_Occurred()) return NULL;
    PyObject *arguments = PyTuple_New(CLOCK_FIELDS), *made = NULL;
    if (arguments == NULL) return NULL;
    for (int i = 0; i < CLOCK_FIELDS; i++) {
        PyObject *value = i == NEXT_TIME && at > next ? PyFloat_FromDouble(at)
                          : i == SLOWDOWN             ? PyFloat_FromDouble(slowdown)
                          : i == COUNT                ? PyLong_FromLong(count < WINDOW ? count + 1 : WINDOW)
                                                      : Py_NewRef(values[i]);
        if (value == NULL || PyTuple_SetItem(arguments, i, value) < 0) break;
    }
    if (!PyErr_Occurred()) made = PyObject_Call((PyObject *)clocks.type, arguments, NULL);
    Py_DECREF(arguments);
    return made;
}

static int move_clock(const Books *books, Host *host, PyObject *answer) {
    PyObject *before = Py_NewRef(host->clock);
    PyObject *clock = has_shape(&clocks, before) && has_shape(&answers, answer) ? plain_clock(books, before, answer) : NULL;
    Py_DECREF(before);
    if (clock == NULL && !PyErr_Occurred())
        clock = PyObject_CallFunctionObjArgs(books->clock_after, (PyObject *)host, answer, books->now_object, NULL);
    if (clock == NULL) return -1;
    replace_field(&host->clock, clock);
    return 0;
}

/* Take the ticket of a turn out of those its host has leased. */
static int part(Host *host, PyObject *ticket) {
    const char *out = PyBytes_AsString(host->out), *gone = PyBytes_AsString(ticket);
    Py_ssize_t size = PyBytes_Size(host->out), at = 0;
    if (out == NULL || gone == NULL) return -1;
    while (at < size && memcmp(out + at, gone, TICKET) != 0) at += TICKET;
    if (at == size) return 0;
    PyObject *left = size == TICKET ? Py_NewRef(nothing) : PyBytes_FromStringAndSize(NULL, size - TICKET);
    if (left == NULL) return -1;
    if (size > TICKET) {
        memcpy(PyBytes_AsString(left), out, (size_t)at);
        memcpy(PyBytes_AsString(left) + at, out + at + TICKET, (size_t)(size - at - TICKET));
    }
    replace_field(&host->out, left);
    return 0;
}

/* Write the row of a URL whose lease has ended: the fields of `UrlRow`. */
static int write_row(const Books *books, Buffer *buffer, PyObject *turn, PyObject *whose, PyObject *settlement,
                     const char *state) {
    PyObject *lease = field(&turns, turn, T_LEASE), *row = field(&turns, turn, T_ROW);
    const unsigned char *ticket = (const unsigned char *)PyBytes_AsString(whose);
    unsigned long long reference = 0;
    for (int i = 9; i < TICKET; i++) reference = reference << 8 | ticket[i];
    int is_known = row != Py_None;
    buffer->length = 0;
    if (PyErr_Occurred() || pack_array(buffer, 12) < 0 || pack_integer(buffer, (long long)(reference | TRIED)) < 0 ||
        pack_byte(buffer, 0xa4) < 0 || pack_raw(buffer, state, 4) < 0 ||
        pack_byte(buffer, ticket[0]) < 0 || pack_byte(buffer, 0xc2) < 0 ||
        pack_plain(buffer, is_known ? field(&rows, row, R_ATTEMPTS) : zero) < 0 ||
        pack_plain(buffer, is_known ? field(&rows, row, R_RETURNS) : zero) < 0 ||
        pack_plain(buffer, field(&leases, lease, L_TOKEN)) < 0 ||
        pack_plain(buffer, field(&settlements, settlement, S_OUTCOME)) < 0 ||
        pack_encoded(buffer, encode, field(&settlements, settlement, S_REASON)) < 0 ||
        pack_plain(buffer, field(&settlements, settlement, S_DUE)) < 0 || pack_plain(buffer, books->now_object) < 0 ||
        pack_plain(buffer, is_known ? field(&rows, row, R_RANK) : Py_None) < 0)
        return -1;
    unsigned char key[8];
    big(key, reference >> 8, 8);
    PyObject *where = PyBytes_FromStringAndSize((const char *)key, sizeof key), *done = NULL;
    PyObject *what = PyBytes_FromStringAndSize((const char *)buffer->bytes, (Py_ssize_t)buffer->length);
    if (where != NULL && what != NULL) done = PyObject_CallFunctionObjArgs(books->put, where, what, books->family, NULL);
    Py_XDECREF(where), Py_XDECREF(what), Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* Tell whether an object is a turn, its lease a lease and its row, if it has one, a row. */
static int is_turn(PyObject *turn) {
    if (!has_shape(&turns, turn) || !has_shape(&leases, field(&turns, turn, T_LEASE))) return 0;
    return field(&turns, turn, T_ROW) == Py_None || has_shape(&rows, field(&turns, turn, T_ROW));
}

/* Return the turn of a lease if it is still its owner's; NULL: it is not, or an error is set. */
static PyObject *turn_of(const Books *books, PyObject *lease) {
    PyObject *turn = PyDict_GetItemWithError(books->live, field(&leases, lease, L_TOKEN));
    if (turn == NULL) return NULL;
    if (!is_turn(turn)) {
        PyErr_SetString(PyExc_TypeError, "that is no turn that was given");
        return NULL;
    }
    PyObject *given = field(&turns, turn, T_LEASE), *owner = field(&leases, given, L_WORKER),
             *worker = field(&leases, lease, L_WORKER);
    if (owner != worker && PyUnicode_Compare(owner, worker) != 0) return NULL;
    return PyFloat_AsDouble(field(&leases, given, L_UNTIL)) > books->now ? turn : NULL;
}

/* Say how many turns have left the row of leases they stood in. */
static int leave_rows(Books *books) {
    if (books->left == 0) return 0;
    PyObject *count = PyLong_FromLongLong(books->left), *done = NULL;
    if (count != NULL) done = PyObject_CallFunctionObjArgs(books->ended, books->first, count, NULL);
    books->left = 0;
    Py_XDECREF(count);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* End a turn at a host with a ticket: 1, or 0 when its end is not plain and nothing has changed. The caller holds all of them:
 * the rules, the batch and the rows of leases are asked, which may let go of what a turn had. */
static int end_at(Books *books, Buffer *buffer, PyObject *turn, PyObject *settlement, PyObject *object, PyObject *ticket) {
    PyObject *fate = field(&settlements, settlement, S_FATE), *answer = field(&settlements, settlement, S_ANSWER);
    Host *host = (Host *)object;
    if (!is_host(host_type, object)) return -1;
    if (answer == Py_None || !PyBytes_Check(ticket) || PyBytes_Size(ticket) != TICKET || (fate != done_fate && fate != dead_fate) ||
        host->policy != books->no_policy || field(&settlements, settlement, S_OUTCOME) == gone_outcome)
        return 0;
    if (fate == dead_fate) {
        int refused = PySet_Contains(not_for_us, field(&settlements, settlement, S_OUTCOME)); /* they are counted apart */
        if (refused != 0) return refused < 0 ? -1 : 0;
    }
    int failed = move_clock(books, host, answer) < 0 || !is_turn(turn) || part(host, ticket) < 0 ||
                 PySet_Add(books->changed, object) < 0 || PySet_Add(books->moved, object) < 0 ||
                 write_row(books, buffer, turn, ticket, settlement, fate == done_fate ? "done" : "dead") < 0;
    if (failed) return -1;
    host->leased--;
    host->since = books->now;
    *(fate == done_fate ? &books->done : &books->dead) += 1;
    PyObject *first = Py_NewRef(field(&turns, turn, T_FIRST));
    failed = first != books->first && leave_rows(books) < 0;
    replace_field(&books->first, first);
    if (failed) return -1;
    books->left++;
    if (PyDict_DelItem(books->live, field(&leases, field(&turns, turn, T_LEASE), L_TOKEN)) < 0) return -1;
    Py_ssize_t held = PyList_Size(books->found);
    return PyList_SetSlice(books->found, held, held, field(&settlements, settlement, S_DISCOVERED)) < 0 ? -1 : 1;
}

static int end(Books *books, Buffer *buffer, PyObject *turn, PyObject *settlement) {
    PyObject *host = Py_NewRef(field(&turns, turn, T_HOST)), *ticket = Py_NewRef(field(&turns, turn, T_TICKET));
    int done = end_at(books, buffer, turn, settlement, host, ticket);
    Py_DECREF(host), Py_DECREF(ticket);
    return done;
}

/* Enter what the turns so far have discovered. A plain end and an admission do not look at what the other changes, so all are
 * entered at once: half the time of page by page, since few links of a page are new. */
static int admit_found(Books *books) {
    if (PyList_Size(books->found) == 0) return 0;
    PyObject *admitted = PyObject_CallFunctionObjArgs(books->admit, books->found, books->now_object, NULL);
    Py_XDECREF(admitted);
    return admitted == NULL ? -1 : PyList_SetSlice(books->found, 0, PyList_Size(books->found), NULL);
}

/* settle(settlements, now, live, changed, moved, put, family, no_policy, clock_after, settle, admit, ended, (delay, slow,
 * quick, most)): end turns; return how many ended, how many of them here as done, and how many here as dead. */
static PyObject *settle(PyObject *module, PyObject *arguments) {
    (void)module;
    Books books = {0};
    Buffer buffer = {0};
    PyObject *given;
    long long count = 0;
    if (!PyArg_ParseTuple(arguments, "OOO!OOOOOOOOO(dddd)", &given, &books.now_object, &PyDict_Type, &books.live, &books.changed,
                          &books.moved, &books.put, &books.family, &books.no_policy, &books.clock_after, &books.settle, &books.admit,
                          &books.ended, &books.delay, &books.slow, &books.quick, &books.most_slowdown))
        return NULL;
    books.now = PyFloat_AsDouble(books.now_object);
    if ((books.found = PyList_New(0)) == NULL) return NULL;
    for (Py_ssize_t i = 0, all = PySequence_Size(given); !PyErr_Occurred() && i < all; i++) {
        PyObject *settlement = PySequence_GetItem(given, i), *lease = NULL, *turn = NULL, *done = NULL;
        if (settlement == NULL) break;
        if (has_shape(&settlements, settlement)) lease = field(&settlements, settlement, S_LEASE);
        if (lease == NULL || !has_shape(&leases, lease)) PyErr_SetString(PyExc_TypeError, "that is no settlement of a lease");
        else turn = turn_of(&books, lease);
        if (turn != NULL) {
            count++;
            Py_INCREF(turn);
            if (end(&books, &buffer, turn, settlement) == 0 && admit_found(&books) == 0)
                done = PyObject_CallFunctionObjArgs(books.settle, turn, settlement, books.now_object, NULL);
            Py_DECREF(turn);
        }
        Py_XDECREF(done);
        Py_DECREF(settlement);
    }
    if (!PyErr_Occurred() && admit_found(&books) == 0) leave_rows(&books);
    Py_DECREF(books.found);
    Py_XDECREF(books.first);
    PyMem_Free(buffer.bytes);
    return PyErr_Occurred() ? NULL : Py_BuildValue("(LLL)", count, books.done, books.dead);
}

static PyMethodDef functions[] = {{"settle", settle, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_settle", NULL, -1, functions, NULL, NULL, NULL, NULL};

static PyObject *member(const char *module, const char *kind, const char *name) {
    PyObject *all = imported(module, kind), *found = all == NULL ? NULL : PyObject_GetAttrString(all, name);
    Py_XDECREF(all);
    return found;
}

PyMODINIT_FUNC PyInit__settle(void) {
    static const char records[] = "gossamer.records.lease";
    zero = PyLong_FromLong(0);
    nothing = PyBytes_FromStringAndSize(NULL, 0);
    host_type = imported("gossamer.frontier._host", "Host");
    encode = imported("gossamer.frontier.rows", "encode");
    if (zero == NULL || nothing == NULL || host_type == NULL || encode == NULL || (done_fate = member(records, "Fate", "DONE")) == NULL ||
        (dead_fate = member(records, "Fate", "DEAD")) == NULL || (gone_outcome = member("gossamer.records.outcome", "Outcome", "GONE")) == NULL ||
        (not_for_us = imported("gossamer.records.standing", "NOT_FOR_US")) == NULL)
        return NULL;
    if (learn(&settlements, records, "Settlement", "lease fate outcome reason due score answer discovered links") < 0 ||
        learn(&answers, records, "Answer", "at seconds failed robots_delay block_until block_reason") < 0 ||
        learn_lease(&leases) < 0 || learn_clock(&clocks) < 0 || learn_turn(&turns) < 0 ||
        learn_row(&rows) < 0)
        return NULL;
    return PyModule_Create(&module);
}
