/* Turns that are given out, all of a call at once; part of `turns.py`, which says what is meant.
 *
 * Why in C: a lease is a pick from a heap, a new clock, an entry read from a sheet and three records around it: 3 us instead
 * of 10, the store's part included. `claim` does the plain case: the host whose turn it is has no policy, one connection, and
 * a URL in its line after which the store is not to be read for more. `begin` reads entries that are as `_sheet.c` writes them,
 * without a verdict. All else is done by Python.
 */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include "_records.h"
#include "_pack.h"
#include "_pick.h"
#include "_unpack.h"
#include <math.h>

enum { TRIED = 1, KINDS = 32 }; /* the first as in `sheets.py` */
static Shape turns, clocks, leases, entries, rows, writtens;
static PyObject *host_type, *heap_type, *nothing, *no_entry, *kinds[KINDS], *priorities[CLASSES + 1];

/* --- claiming ----------------------------------------------------------------------------------------------------------- */

/* Take the first ticket of a queue out of a host's line. */
static PyObject *take(Host *host, int queue) {
    const char *line = PyBytes_AsString(host->line);
    Py_ssize_t size = PyBytes_Size(host->line), at = 0;
    if (size == TICKET) {
        PyObject *ticket = host->line;
        host->line = Py_NewRef(nothing);
        return ticket;
    }
    while (line[at] != queue) at += TICKET;
    PyObject *ticket = PyBytes_FromStringAndSize(line + at, TICKET), *left = PyBytes_FromStringAndSize(NULL, size - TICKET);
    if (ticket == NULL || left == NULL) {
        Py_XDECREF(ticket);
        Py_XDECREF(left);
        return NULL;
    }
    memcpy(PyBytes_AsString(left), line, (size_t)at);
    memcpy(PyBytes_AsString(left) + at, line + at + TICKET, (size_t)(size - at - TICKET));
    replace_field(&host->line, left);
    return ticket;
}

/* Tell whether the store is to be read when the first ticket of a queue is taken: it is the last in the line, and more follow. */
static int would_read(const Host *host, int queue) {
    const char *line = PyBytes_AsString(host->line);
    int count = 0;
    if (host->more == Py_None || PyLong_AsLongLong(PyTuple_GetItem(host->more, queue)) == 0) return 0;
    for (Py_ssize_t at = 0, size = PyBytes_Size(host->line); at < size && count < 2; at += TICKET) count += line[at] == queue;
    return count == 1;
}

/* Begin a turn at a host whose only turn it is; return it. */
static PyObject *claim_host(Host *host, int queue, double now, double delay, PyObject *pattern) {
    PyObject *before = Py_NewRef(host->clock), *turn = copy_of(pattern), *ticket = take(host, queue), *after;
    if (now + delay > PyFloat_AsDouble(field(&clocks, before, NEXT_TIME))) {
        after = copy_of(before);
        if (after != NULL && set_field(&clocks, after, NEXT_TIME, PyFloat_FromDouble(now + delay)) < 0) Py_CLEAR(after);
    } else {
        after = Py_NewRef(before);
    }
    if (turn == NULL || ticket == NULL || after == NULL) {
        Py_XDECREF(before), Py_XDECREF(turn), Py_XDECREF(ticket), Py_XDECREF(after);
        return NULL;
    }
    host->leased = 1;
    host->ready = host->wake = HUGE_VAL;
    host->stands = 0;
    replace_field(&host->clock, Py_NewRef(after));
    replace_field(&host->out, Py_NewRef(ticket));
    set_field(&turns, turn, T_HOST, Py_NewRef((PyObject *)host));
    set_field(&turns, turn, T_TICKET, ticket);
    set_field(&turns, turn, T_BEFORE, before);
    set_field(&turns, turn, T_AFTER, after);
    if (set_field(&turns, turn, T_DELAY, PyFloat_FromDouble(delay)) < 0) Py_CLEAR(turn);
    return turn;
}

/* Tell whether a host's next turn is plain, and how long it rests afterwards. */
static int is_plain(Host *host, int queue, PyObject *no_policy, double *delay) {
    if (!is_host(host_type, (PyObject *)host) || !has_shape(&clocks, host->clock)) return 0;
    *delay *= PyFloat_AsDouble(field(&clocks, host->clock, SLOWDOWN));
    return host->policy == no_policy && !would_read(host, queue) && !host->leased &&
           PyFloat_AsDouble(field(&clocks, host->clock, ROBOTS_DELAY)) == 0.0 && !PyErr_Occurred();
}

/* claim(heaps, limit, now, patience, books, delay, no_policy, pattern): begin turns while that is plain; return them. One
 * connection a host. */
static PyObject *claim(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *heaps, *no_policy, *pattern, *pairs;
    Py_ssize_t limit;
    double now, delay, patience;
    Books books = {0};
    int queue = 0;
    if (!PyArg_ParseTuple(arguments, "O!nddO!dOO", &PyTuple_Type, &heaps, &limit, &now, &patience, &PyTuple_Type, &pairs,
                          &delay, &no_policy, &pattern) ||
        turn_books(pairs, &books, 0) < 0)
        return NULL;
    int is_ours = PyTuple_Size(heaps) == QUEUES && has_shape(&turns, pattern);
    for (Py_ssize_t i = 0; is_ours && i < QUEUES; i++)
        is_ours = Py_TYPE(PyTuple_GetItem(heaps, i)) == (PyTypeObject *)heap_type;
    if (!is_ours) return PyErr_Format(PyExc_TypeError, "a heap or a turn is not the compiled one");
    PyObject *claimed = PyList_New(0);
    while (claimed != NULL && PyList_Size(claimed) < limit) {
        Books after = books; /* should the turn not be plain, nothing has changed */
        if ((queue = pick(host_type, heaps, now, patience, &after)) < 0) break;
        Heap *heap = (Heap *)PyTuple_GetItem(heaps, queue);
        Host *host = (Host *)heap->cells[0].item;
        double rest = delay;
        if (!is_plain(host, queue, no_policy, &rest)) break;
        PyObject *held = heap_pop(heap), *turn = claim_host(host, queue, now, rest, pattern);
        Py_DECREF(held);
        books = after;
        if (turn == NULL || PyList_Append(claimed, turn) < 0) Py_CLEAR(claimed);
        Py_XDECREF(turn);
    }
    if (PyErr_Occurred() || turn_books(pairs, &books, 1) < 0) Py_CLEAR(claimed);
    return claimed;
}

/* --- beginning ---------------------------------------------------------------------------------------------------------- */

/* Return the number of the sheet an entry stands in. */
static uint64_t sheet_of(const unsigned char *ticket) {
    uint64_t reference = number_at(ticket + 9, 8);
    return (reference >> 8) - (reference >> 3 & 31);
}

/* Return the ticket of a turn at a host; NULL: it is no such turn, which is said. */
static const unsigned char *ticket_of(PyObject *turn) {
    PyObject *ticket = has_shape(&turns, turn) ? field(&turns, turn, T_TICKET) : NULL;
    if (ticket != NULL && PyBytes_Check(ticket) && PyBytes_Size(ticket) == TICKET)
        return is_host(host_type, field(&turns, turn, T_HOST)) ? (const unsigned char *)PyBytes_AsString(ticket) : NULL;
    PyErr_SetString(PyExc_TypeError, "that is no turn with a ticket");
    return NULL;
}

/* Add a new object to a list; takes the reference over. */
static int add(PyObject *list, PyObject *object) {
    int failed = object == NULL || PyList_Append(list, object) < 0;
    Py_XDECREF(object);
    return failed ? -1 : 0;
}

/* noted(turns): return the keys of their sheets, the references of those whose rows say more, and the row that notes all of
 * them as leased. A sheet that several turns in a row need is read once, as it is for links that were found together and lead to
 * hosts of their own. */
static PyObject *noted(PyObject *module, PyObject *given) {
    (void)module;
    Buffer row = {0};
    if (!PyList_Check(given)) return PyErr_Format(PyExc_TypeError, "a list of turns is wanted");
    PyObject *keys = PyList_New(0), *tried = PyList_New(0), *made = NULL;
    uint64_t before = 0;
    for (Py_ssize_t i = 0; keys != NULL && tried != NULL && i < PyList_Size(given); i++) {
        PyObject *turn = PyList_GetItem(given, i);
        const unsigned char *ticket = ticket_of(turn);
        unsigned char number[8], sheet[8];
        if (ticket == NULL) goto end;
        big(number, (uint64_t)((Host *)field(&turns, turn, T_HOST))->number, 8);
        if (pack_raw(&row, number, 8) < 0 || pack_raw(&row, ticket, TICKET) < 0) goto end;
        if (ticket[TICKET - 1] & TRIED && add(tried, PyLong_FromUnsignedLongLong(number_at(ticket + 9, 8))) < 0) goto end;
        if (i > 0 && sheet_of(ticket) == before) continue;
        big(sheet, before = sheet_of(ticket), 8);
        if (add(keys, PyBytes_FromStringAndSize((const char *)sheet, 8)) < 0) goto end;
    }
    if (keys != NULL && tried != NULL)
        made = Py_BuildValue("OOy#", keys, tried, (const char *)row.bytes, (Py_ssize_t)row.length);
end:
    PyMem_Free(row.bytes);
    Py_XDECREF(keys);
    Py_XDECREF(tried);
    return made;
}

static PyObject *kind(Reader *reader) {
    Py_ssize_t size, other;
    const char *bytes = read_text(reader, &size);
    for (int i = 0; bytes != NULL && i < KINDS && kinds[i] != NULL; i++) {
        const char *known = PyUnicode_AsUTF8AndSize(kinds[i], &other);
        if (known != NULL && other == size && memcmp(known, bytes, (size_t)size) == 0) return Py_NewRef(kinds[i]);
    }
    return NULL;
}

static PyObject *priority(Reader *reader) {
    const unsigned char *head = next(reader, 1);
    if (head != NULL && *head == LAST) return Py_NewRef(priorities[CLASSES]);
    return head == NULL || *head >= CLASSES ? NULL : Py_NewRef(priorities[*head]);
}

/* Return the entry that stands there; NULL: it is not a plain one. */
static PyObject *read_entry(Reader reader) {
    static PyObject *(*const how[])(Reader *) = {text, text, text, number, kind, text, score, priority, number, number};
    const unsigned char *head = next(&reader, 1);
    if (head == NULL || *head != (0x90 | E_COUNT)) return NULL;
    PyObject *entry = copy_of(no_entry);
    for (int i = 0; entry != NULL && i < E_REFUSED; i++)
        if (set_field(&entries, entry, i, how[i](&reader)) < 0) Py_CLEAR(entry);
    if (entry == NULL) return NULL;
    head = next(&reader, 1);
    PyObject *key = field(&entries, entry, E_KEY);
    if (head == NULL || *head != 0xc0 || reader.at != reader.end) Py_CLEAR(entry);
    else if (PyObject_Size(key) == 0) set_field(&entries, entry, E_KEY, Py_NewRef(field(&entries, entry, E_URL)));
    return entry;
}

/* What turns are begun with; the objects are the caller's. */
typedef struct {
    PyObject *pattern, *live, *rows, *read;
    Py_ssize_t row; /* the next of them */
    long long token;
} Giving;

/* An entry with its slot and the time it was found; what a sheet says. */
typedef struct {
    PyObject *entry, *slot, *found_at;
} Written;

static int read_sheet(const Giving *giving, PyObject *sheet, uint64_t reference, Written *written) {
    const unsigned char *bytes = sheet == Py_None ? NULL : (const unsigned char *)PyBytes_AsString(sheet);
    Py_ssize_t size = bytes == NULL ? 0 : PyBytes_Size(sheet), place = (Py_ssize_t)(reference >> 3 & 31);
    if (size > 9 && place < bytes[8] && size >= 9 + 12 * bytes[8]) {
        const unsigned char *line = bytes + 9 + 12 * place, *body = bytes + 9 + 12 * bytes[8];
        Py_ssize_t start = place ? (Py_ssize_t)number_at(line - 4, 4) : 0, end = (Py_ssize_t)number_at(line + 8, 4);
        if (start <= end && end <= bytes + size - body) written->entry = read_entry((Reader){body + start, body + end});
        if (written->entry != NULL) {
            uint64_t bits = number_at(bytes, 8);
            double found_at;
            memcpy(&found_at, &bits, sizeof found_at);
            written->slot = PyLong_FromUnsignedLongLong(number_at(line, 8));
            written->found_at = PyFloat_FromDouble(found_at);
            return written->slot == NULL || written->found_at == NULL ? -1 : 0;
        }
    }
    PyErr_Clear(); /* what is not plain, or damaged, is for Python to read or to complain about */
    PyObject *where = PyLong_FromUnsignedLongLong(reference), *made = NULL;
    if (where != NULL) made = PyObject_CallFunctionObjArgs(giving->read, sheet, where, NULL);
    Py_XDECREF(where);
    if (made == NULL || !has_shape(&writtens, made)) {
        if (made != NULL) PyErr_SetString(PyExc_TypeError, "that is no entry as it was written");
        Py_XDECREF(made);
        return -1;
    }
    written->entry = Py_NewRef(field(&writtens, made, 0));
    written->slot = Py_NewRef(field(&writtens, made, 1));
    written->found_at = Py_NewRef(field(&writtens, made, 2));
    Py_DECREF(made);
    return 0;
}

/* Give a turn that was claimed: its lease and what else it lacks; return the lease. The ticket is a copy, and the caller holds
 * everything else: to read a sheet may be a call into Python. */
static PyObject *begin_turn(Giving *giving, PyObject *turn, const unsigned char *ticket, PyObject *worker, PyObject *sheet,
                            PyObject *first) {
    PyObject *object = Py_NewRef(field(&turns, turn, T_HOST)), *lease = NULL, *row = NULL, *token = NULL;
    int failed = 1;
    Written written = {NULL, NULL, NULL};
    if (read_sheet(giving, sheet, number_at(ticket + 9, 8), &written) < 0) goto end;
    if (ticket[TICKET - 1] & TRIED && (row = PyList_GetItem(giving->rows, giving->row++)) == NULL) goto end;
    if (row != NULL && !has_shape(&rows, row)) {
        PyErr_SetString(PyExc_TypeError, "that is no row of a URL");
        goto end;
    }
    if ((token = PyLong_FromLongLong(giving->token++)) == NULL || (lease = copy_of(giving->pattern)) == NULL) goto end;
    set_field(&leases, lease, L_TOKEN, Py_NewRef(token));
    set_field(&leases, lease, L_WORKER, Py_NewRef(worker));
    set_field(&leases, lease, L_ENTRY, Py_NewRef(written.entry));
    set_field(&leases, lease, L_AGAIN, Py_NewRef(ticket[0] >= CLASSES && ticket[0] != LAST ? Py_True : Py_False));
    set_field(&leases, lease, L_DISCOVERED_AT, Py_NewRef(written.found_at));
    set_field(&leases, lease, L_DELAY, Py_NewRef(field(&turns, turn, T_DELAY)));
    set_field(&leases, lease, L_CONNECTIONS, Py_NewRef(field(&turns, turn, T_CONNECTIONS)));
    set_field(&leases, lease, L_POLICY, Py_NewRef(((Host *)object)->policy));
    set_field(&leases, lease, L_CLOCK, Py_NewRef(field(&turns, turn, T_AFTER)));
    if (row != NULL) {
        set_field(&leases, lease, L_ATTEMPTS, Py_NewRef(field(&rows, row, R_ATTEMPTS)));
        set_field(&leases, lease, L_RETURNS, Py_NewRef(field(&rows, row, R_RETURNS)));
        set_field(&leases, lease, L_DUE, Py_NewRef(field(&rows, row, R_DUE)));
        set_field(&turns, turn, T_ROW, Py_NewRef(row));
    }
    set_field(&turns, turn, T_LEASE, Py_NewRef(lease));
    set_field(&turns, turn, T_FIRST, Py_NewRef(first));
    set_field(&turns, turn, T_SLOT, Py_NewRef(written.slot));
    failed = PyDict_SetItem(giving->live, token, turn) < 0;
end:
    Py_XDECREF(written.entry), Py_XDECREF(written.slot), Py_XDECREF(written.found_at), Py_XDECREF(token), Py_DECREF(object);
    if (failed) Py_CLEAR(lease);
    return lease;
}

/* begin(turns, workers, sheets, rows, first, pattern, live, read): give turns, with the sheets and rows `noted` asked for;
 * return their leases, like `pattern`. */
static PyObject *begin(PyObject *module, PyObject *arguments) {
    (void)module;
    Giving giving = {0};
    PyObject *claimed, *workers, *sheets, *first;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!OOO!O", &PyList_Type, &claimed, &PyList_Type, &workers, &PyList_Type, &sheets,
                          &PyList_Type, &giving.rows, &first, &giving.pattern, &PyDict_Type, &giving.live, &giving.read))
        return NULL;
    giving.token = PyLong_AsLongLong(first);
    Py_ssize_t count = PyList_Size(claimed);
    if (PyErr_Occurred() || PyList_Size(workers) != count || !has_shape(&leases, giving.pattern))
        return PyErr_Format(PyExc_TypeError, "a worker for each turn, and a lease, are wanted");
    PyObject *given = PyTuple_New(count);
    uint64_t before = 0;
    for (Py_ssize_t i = 0, at = -1; given != NULL && i < count; i++) {
        PyObject *turn = Py_XNewRef(PyList_GetItem(claimed, i)), *worker = Py_XNewRef(PyList_GetItem(workers, i));
        PyObject *sheet = NULL, *lease = NULL;
        const unsigned char *its = turn == NULL || worker == NULL ? NULL : ticket_of(turn);
        unsigned char ticket[TICKET];
        if (its != NULL) {
            memcpy(ticket, its, TICKET);
            at += i == 0 || sheet_of(ticket) != before;
            before = sheet_of(ticket);
            sheet = Py_XNewRef(PyList_GetItem(sheets, at));
        }
        if (sheet != NULL) lease = begin_turn(&giving, turn, ticket, worker, sheet, first);
        if (lease == NULL || PyTuple_SetItem(given, i, lease) < 0) Py_CLEAR(given);
        Py_XDECREF(turn), Py_XDECREF(worker), Py_XDECREF(sheet);
    }
    return given;
}

static PyMethodDef functions[] = {
    {"claim", claim, METH_VARARGS, NULL},
    {"noted", noted, METH_O, NULL},
    {"begin", begin, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_lease", NULL, -1, functions, NULL, NULL, NULL, NULL};

/* Keep the members of an enum, in their order. */
static int members(const char *name, PyObject **to, Py_ssize_t most) {
    PyObject *type = imported("gossamer.records.entry", name), *all = type == NULL ? NULL : PySequence_List(type);
    Py_ssize_t count = all == NULL ? -1 : PyList_Size(all);
    for (Py_ssize_t i = 0; i < count && i < most; i++) to[i] = Py_NewRef(PyList_GetItem(all, i));
    Py_XDECREF(type);
    Py_XDECREF(all);
    if (count > most) PyErr_Format(PyExc_ImportError, "there are more members of %s than are known here", name);
    return count < 0 || count > most ? -1 : 0;
}

PyMODINIT_FUNC PyInit__lease(void) {
    nothing = PyBytes_FromStringAndSize(NULL, 0);
    host_type = imported("gossamer.frontier._host", "Host");
    heap_type = host_type == NULL ? NULL : imported("gossamer.frontier._heap", "Heap");
    if (nothing == NULL || heap_type == NULL || members("LinkKind", kinds, KINDS) < 0 ||
        members("Priority", priorities, CLASSES + 1) < 0)
        return NULL;
    if (learn_turn(&turns) < 0 || learn_clock(&clocks) < 0 || learn_lease(&leases) < 0 || learn_entry(&entries) < 0 ||
        learn_row(&rows) < 0 || learn(&writtens, "gossamer.frontier.sheets", "SheetEntry", "entry slot discovered_at") < 0)
        return NULL;
    PyObject *empty = PyUnicode_FromString(""), *arguments = empty == NULL ? NULL : PyTuple_Pack(3, empty, empty, empty);
    no_entry = arguments == NULL ? NULL : PyObject_Call((PyObject *)entries.type, arguments, NULL);
    return no_entry == NULL ? NULL : PyModule_Create(&module);
}
