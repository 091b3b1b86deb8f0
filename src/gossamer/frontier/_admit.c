/* The way of found URLs into the books, a page of them in one call; part of `admission.py`, which says what is meant.
 *
 * Why in C: what a new URL needs is a dozen small things in memory (the recent keys, the filter, its host, its number, its
 * place, its entry), each of which costs more to call from Python than to do: 4 us a URL instead of 11,
 * the store's part included. It does what
 * `Admission._admit` does for a URL that is new, is not refused, and whose host has no policy and is not
 * full. Everything else is handed to `Admission._admit`, before anything was changed for it.
 *
 * The filter is asked first: what it does not hold is new, which spares three looks into large dicts.
 * The keys of a few dozen entries are hashed before the first is looked for, so that memory is on its way when it is needed.
 */
#define Py_LIMITED_API 0x030b0000
#include "_books.h"
#include "_xxh3.h"

enum { AHEAD = 32, KINDS_OF_END = 3 };
static const double AGEING = 30 * 86400.0; /* as in `order.py` */

/* An entry, with the slots its key and its host would have; and its host, if it seems to be in memory. */
typedef struct {
    PyObject *entry;
    uint64_t slot, host_slot, hash;
    int is_new;      /* the filter does not hold its key */
    int is_recalled; /* its key is in memory, and known for good, in this spelling */
    Host *host; /* a reference of our own: Python is asked for some entries, and may let a host rest */
} Found;

static int fingerprint(const Books *books, PyObject *text, uint64_t *slot) {
    Py_ssize_t size;
    const char *bytes = books->is_own ? PyUnicode_AsUTF8AndSize(text, &size) : NULL;
    if (bytes != NULL && size <= XXH3_MOST) {
        *slot = xxh3((const unsigned char *)bytes, (size_t)size);
        return 0;
    }
    PyObject *made = PyErr_Occurred() ? NULL : PyObject_CallFunctionObjArgs(books->fingerprint, text, NULL);
    if (made == NULL) return -1;
    *slot = PyLong_AsUnsignedLongLong(made);
    Py_DECREF(made);
    return *slot == (uint64_t)-1 && PyErr_Occurred() ? -1 : 0;
}

/* Tell whether a URL is spelled like its key, as most are. */
static int is_usual(PyObject *entry) {
    PyObject *url = field(&entry_shape, entry, URL), *key = field(&entry_shape, entry, KEY);
    return url == key || PyUnicode_Compare(url, key) == 0;
}

/* Tell whether there is nothing to add to what is remembered of an entry's key: it is refused, or found as it was before. */
static int is_told(PyObject *known, PyObject *entry) {
    return field(&entry_shape, entry, REFUSED) != Py_None || (known == Py_False && is_usual(entry));
}

/* Return what is remembered of a key (`SeenUrls.recall`), or NULL, maybe with an error set. */
static PyObject *recall(const Books *books, PyObject *key) {
    PyObject *known = PyDict_GetItemWithError(books->recent, key);
    return known != NULL || PyErr_Occurred() ? known : PyDict_GetItemWithError(books->older, key);
}

static int remember(Books *books, PyObject *key, PyObject *what) {
    if (books->bound == 0) return 0;
    if (PyDict_Size(books->recent) >= books->bound) {
        PyObject *made = PyDict_New();
        if (made == NULL) return -1;
        replace_field(&books->older, books->recent);
        books->recent = made;
        if (PyObject_SetAttr(books->seen, names[name__older], books->older) < 0) return -1;
        if (PyObject_SetAttr(books->seen, names[name__recent], books->recent) < 0) return -1;
    }
    return PyDict_SetItem(books->recent, key, what);
}

/* Note that the key of a taken slot is written by this call. */
static int accept(Books *books, PyObject *entry, uint64_t slot) {
    PyObject *url = field(&entry_shape, entry, URL), *key = field(&entry_shape, entry, KEY);
    PyObject *number = PyLong_FromUnsignedLongLong(slot), *what = number == NULL ? NULL : PyTuple_Pack(3, key, zero, url);
    int done = what == NULL ? -1 : PyDict_SetItem(books->fresh, number, what);
    Py_XDECREF(number);
    Py_XDECREF(what);
    return done < 0 ? -1 : remember(books, key, is_usual(entry) ? Py_False : spelled);
}

/* Return a host that is not in memory, new or from the store; a reference of the caller's. */
static PyObject *acquire(Books *books, PyObject *name, const Found *found) {
    int entered = enter((Bloom *)books->bloom, spread(found->host_slot));
    if (entered < 0) return NULL;
    if (entered == 0) { /* it may be known: that is to be read */
        PyObject *host =
            lay_down(books) < 0 ? NULL : PyObject_CallMethodObjArgs(books->ledger, names[name_acquire], name, NULL);
        if (host != NULL && take_up(books) < 0) Py_CLEAR(host);
        return host;
    }
    books->laid_down = 0;
    PyObject *number = PyLong_FromLongLong(++books->number);
    PyObject *host = number == NULL ? NULL : PyObject_CallFunctionObjArgs(host_type, name, number, NULL);
    Py_XDECREF(number);
    if (host != NULL && put_host((Hosts *)books->hosts, found->hash, (Host *)host) < 0) Py_CLEAR(host);
    return host;
}

/* Tell whether a host may take a URL with no questions asked. */
static int is_open(const Books *books, const Host *host) {
    return host->policy == books->no_policy && waiting_of(host) < books->max_waiting;
}

static int put(const Books *books, const void *key, size_t key_size, PyObject *value, PyObject *family) {
    PyObject *where = PyBytes_FromStringAndSize(key, (Py_ssize_t)key_size), *done = NULL;
    if (where != NULL && value != NULL) done = PyObject_CallFunctionObjArgs(books->put, where, value, family, NULL);
    Py_XDECREF(where), Py_XDECREF(value), Py_XDECREF(done); /* the value was taken over */
    return done == NULL ? -1 : 0;
}

static int finish_sheet(Books *books) {
    unsigned char key[8];
    big(key, (uint64_t)((Sheet *)books->sheet)->first, 8);
    PyObject *family = attribute(books->sheets, name_family);
    int done = family == NULL ? -1 : put(books, key, sizeof key, sheet_take((Sheet *)books->sheet), family);
    Py_XDECREF(family);
    return done;
}

/* Tell whether a ticket comes after all of its queue that are in the line, and others of it are on disk: there it goes, too. */
static int goes_on_disk(const Host *host, const char *line, Py_ssize_t size, const unsigned char *ticket) {
    if (host->more == Py_None || PyLong_AsLongLong(PyTuple_GetItem(host->more, ticket[0])) == 0) return 0;
    for (Py_ssize_t at = size - TICKET; at >= 0; at -= TICKET)
        if (line[at] == ticket[0]) return memcmp(line + at, ticket, TICKET) < 0;
    return 0;
}

/* Write a ticket into a row of its own, and count it. */
static int put_on_disk(Books *books, Host *host, const unsigned char *ticket) {
    unsigned char key[9 + TICKET] = "Q";
    big(key + 1, (uint64_t)host->number, 8);
    memcpy(key + 9, ticket, TICKET);
    if (put(books, key, sizeof key, PyBytes_FromStringAndSize(NULL, 0), NULL) < 0) return -1;
    Py_ssize_t count = PyTuple_Size(host->more);
    PyObject *more = PyTuple_New(count);
    for (Py_ssize_t i = 0; more != NULL && i < count; i++) {
        PyObject *before = PyTuple_GetItem(host->more, i);
        PyObject *after = i == ticket[0] ? PyLong_FromLongLong(PyLong_AsLongLong(before) + 1) : Py_NewRef(before);
        if (after == NULL || PyTuple_SetItem(more, i, after) < 0) Py_CLEAR(more);
    }
    if (more == NULL) return -1;
    replace_field(&host->more, more);
    return 0;
}

/* Let a ticket join the line of its host. */
static int join(Books *books, Host *host, const unsigned char *ticket) {
    char *line;
    Py_ssize_t size, at;
    if (PyBytes_AsStringAndSize(host->line, &line, &size) < 0) return -1;
    if (size == 0 && host->since < books->now) host->since = books->now;
    if (goes_on_disk(host, line, size, ticket)) return put_on_disk(books, host, ticket);
    if (host->more != Py_None || size + TICKET > books->room) { /* some of its line is on disk, or is put there */
        PyObject *made = PyBytes_FromStringAndSize((const char *)ticket, TICKET), *done = NULL;
        if (made != NULL)
            done = PyObject_CallMethodObjArgs(books->lines, names[name_push], books->batch, (PyObject *)host, made, NULL);
        Py_XDECREF(made);
        Py_XDECREF(done);
        return done == NULL ? -1 : 0;
    }
    PyObject *made = PyBytes_FromStringAndSize(NULL, size + TICKET);
    if (made == NULL) return -1;
    char *to = PyBytes_AsString(made);
    for (at = size; at > 0 && memcmp(line + at - TICKET, ticket, TICKET) > 0; at -= TICKET) continue; /* mostly the last */
    memcpy(to, line, (size_t)at);
    memcpy(to + at, ticket, TICKET);
    memcpy(to + at + TICKET, line + at, (size_t)(size - at));
    replace_field(&host->line, made);
    return 0;
}

/* Write a new URL's entry and let it wait. */
static int write_down(Books *books, Host *host, PyObject *const *fields, uint64_t slot) {
    Sheet *sheet = (Sheet *)books->sheet;
    double score = PyFloat_AsDouble(fields[SCORE]);
    long queue = PyLong_AsLong(fields[PRIORITY]);
    if (!PyErr_Occurred() && (queue < 0 || queue >= QUEUES)) PyErr_Format(PyExc_ValueError, "there is no queue %ld", queue);
    if (PyErr_Occurred() || (sheet->count == SHEET_FULL && finish_sheet(books) < 0)) return -1;
    long long sequence = ++books->sequence;
    books->laid_down = 0;
    if (sheet_add(sheet, sequence, slot, fields, books->now) < 0) return -1;
    uint64_t reference = (uint64_t)sequence << 8 | (uint64_t)(sequence - sheet->first) << 3;
    unsigned char ticket[TICKET];
    if (gather((Gathered *)books->gathered, slot, reference) < 0) return -1;
    uint64_t rank = bits_of(books->now - score * AGEING + 0.0);
    ticket[0] = (unsigned char)queue;
    big(ticket + 1, rank >> 63 ? ~rank : rank | 1ull << 63, 8);
    big(ticket + 9, reference, 8);
    if (join(books, host, ticket) < 0) return -1;
    books->waiting++;
    return host->stands >> queue & 1 ? 0 : PySet_Add(books->moved, (PyObject *)host);
}

/* Return the host of an entry, in memory or new; a reference of the caller's. NULL without an error: it may not take a URL. */
static PyObject *open_host(Books *books, const Found *found, PyObject *name) {
    PyObject *host = (PyObject *)found->host;
    if (host == NULL || !is_named((Host *)host, name)) /* another entry may have brought it */
        host = (PyObject *)find_place((Hosts *)books->hosts, found->hash, name)->host;
    Py_XINCREF(host);
    if (host == NULL) host = acquire(books, name, found);
    if (host != NULL && !is_open(books, (Host *)host)) Py_CLEAR(host);
    return host;
}

/* Enter a URL that the filter does not hold: 1, or 0 when it is none of the plain ones and nothing has changed. */
static int enter_plain(Books *books, const Found *found) {
    Bloom *bloom = (Bloom *)books->bloom;
    PyObject *fields[ENTRY_FIELDS];
    for (int i = 0; i < ENTRY_FIELDS; i++) fields[i] = field(&entry_shape, found->entry, i);
    if (fields[REFUSED] != Py_None) return 0;
    PyObject *host = open_host(books, found, fields[HOST]);
    if (host == NULL) return PyErr_Occurred() ? -1 : 0;
    int entered = enter(bloom, spread(found->slot));
    bloom->count += entered == 0; /* the name of its host has just made the filter claim to hold it */
    books->bloom_misses++;
    int failed = entered < 0 || PySet_Add(books->changed, host) < 0 || accept(books, found->entry, found->slot) < 0 ||
                 write_down(books, (Host *)host, fields, found->slot) < 0;
    Py_DECREF(host);
    return failed ? -1 : 1;
}

/* Hand an entry to Python; return the kind of its end. */
static int hand_over(Books *books, PyObject *entry) {
    if (lay_down(books) < 0) return -1;
    PyObject *done = PyObject_CallMethodObjArgs(books->admission, names[name__admit], entry, books->now_object, NULL);
    long kind = -1;
    if (done != NULL && take_up(books) == 0) kind = PyLong_AsLong(done);
    if (done != NULL && (kind < 0 || kind >= KINDS_OF_END)) {
        kind = -1;
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "an entry does not end like that");
    }
    Py_XDECREF(done);
    return (int)kind;
}

/* Enter an entry; return the kind of its end. */
static int enter_found(Books *books, const Found *found) {
    if (found->is_recalled) return 1;
    if (!holds((Bloom *)books->bloom, spread(found->slot))) { /* it is new */
        int done = enter_plain(books, found);
        return done == 0 ? hand_over(books, found->entry) : done < 0 ? -1 : 0;
    }
    PyObject *known = recall(books, field(&entry_shape, found->entry, KEY));
    if (known == NULL && PyErr_Occurred()) return -1;
    if (known != NULL) books->recent_hits++;
    if (known != NULL && is_told(known, found->entry)) return 1;
    return hand_over(books, found->entry);
}

/* Name an entry's key, and fetch ahead what the filter has of it. */
static int name_key(const Books *books, PyObject *entry, Found *found) {
    found->entry = entry;
    if (!has_shape(&entry_shape, entry)) {
        PyErr_SetString(PyExc_TypeError, "that is no entry");
        return -1;
    }
    if (fingerprint(books, field(&entry_shape, entry, KEY), &found->slot) < 0) return -1;
    fetch_ahead((Bloom *)books->bloom, spread(found->slot));
    return 0;
}

/* Name the host of an entry whose key is new, and fetch the place ahead where it stands if it is in memory. */
static int name_host(const Books *books, Found *found) {
    found->is_new = !holds((Bloom *)books->bloom, spread(found->slot));
    if (!found->is_new) return 0;
    PyObject *name = field(&entry_shape, found->entry, HOST);
    if (fingerprint(books, name, &found->host_slot) < 0 || hash_name(name, &found->hash) < 0) return -1;
    __builtin_prefetch(place_of((Hosts *)books->hosts, found->hash));
    return 0;
}

/* Let the keys be read, all at once, that the filter claims to hold and of which memory does not say enough: half the cost of
 * one by one. */
static int look_ahead(Books *books, Found *found, int count) {
    PyObject *wanted = NULL, *done = NULL;
    for (int i = 0; i < count; i++) {
        found[i].is_recalled = 0;
        if (found[i].is_new) continue;
        PyObject *known = recall(books, field(&entry_shape, found[i].entry, KEY));
        if (known != NULL && is_told(known, found[i].entry)) {
            found[i].is_recalled = 1;
            books->recent_hits++;
        } else {
            PyObject *slot = PyErr_Occurred() ? NULL : PyLong_FromUnsignedLongLong(found[i].slot);
            if (wanted == NULL && slot != NULL) wanted = PyList_New(0);
            int failed = slot == NULL || wanted == NULL || PyList_Append(wanted, slot) < 0;
            Py_XDECREF(slot);
            if (failed) goto end;
        }
    }
    if (wanted != NULL) done = PyObject_CallMethodObjArgs(books->seen, names[name_look_ahead], wanted, NULL);
end:
    Py_XDECREF(wanted);
    Py_XDECREF(done);
    return PyErr_Occurred() ? -1 : 0;
}

/* Fetch the hosts of entries ahead, then what of them will be looked at, or what the filter has of them; and where their slots
 * are gathered, which took a fifth of all this. */
static void fetch_hosts(const Books *books, Found *found, int count) {
    const Gathered *gathered = (const Gathered *)books->gathered;
    for (int i = 0; i < count; i++) {
        if (!found[i].is_new) continue;
        __builtin_prefetch(&gathered->pairs[place_for(gathered, found[i].slot)]);
        found[i].host = host_hashed((Hosts *)books->hosts, found[i].hash);
        if (found[i].host != NULL) __builtin_prefetch(found[i].host), __builtin_prefetch((char *)found[i].host + 64);
        else fetch_ahead((Bloom *)books->bloom, spread(found[i].host_slot));
    }
    for (int i = 0; i < count; i++) {
        if (found[i].host == NULL) continue;
        Py_INCREF((PyObject *)found[i].host);
        __builtin_prefetch(found[i].host->name), __builtin_prefetch(found[i].host->line);
    }
}

/* Enter up to AHEAD entries from `start` on; count them by the kind of their end. */
static int enter_some(Books *books, PyObject *entries, Py_ssize_t start, Py_ssize_t end, long long *counts) {
    Found found[AHEAD];
    int named = 0, failed = 0;
    for (Py_ssize_t i = start; !failed && i < end; i++) {
        PyObject *entry = PySequence_GetItem(entries, i);
        found[named].host = NULL;
        failed = entry == NULL || name_key(books, entry, &found[named]) < 0;
        named += entry != NULL;
    }
    for (int i = 0; !failed && i < named; i++) failed = name_host(books, &found[i]) < 0;
    if (!failed) fetch_hosts(books, found, named);
    failed = failed || look_ahead(books, found, named) < 0;
    for (int i = 0; i < named; i++) {
        int kind = failed ? 0 : enter_found(books, &found[i]);
        if (kind < 0) failed = 1;
        else counts[kind]++;
        Py_DECREF(found[i].entry);
        Py_XDECREF((PyObject *)found[i].host);
    }
    return failed ? -1 : 0;
}

/* admit(admission, entries, now, fingerprint, no_policy): enter them all; return how many were new, known and refused. */
static PyObject *admit(PyObject *module, PyObject *arguments) {
    (void)module;
    Books books = {0};
    PyObject *entries;
    long long counts[KINDS_OF_END] = {0};
    if (!PyArg_ParseTuple(arguments, "OOOOO", &books.admission, &entries, &books.now_object, &books.fingerprint,
                          &books.no_policy))
        return NULL;
    books.now = PyFloat_AsDouble(books.now_object);
    books.is_own = books.fingerprint == usual_fingerprint;
    Py_ssize_t count = PySequence_Size(entries);
    int failed = PyErr_Occurred() || open_books(&books) < 0;
    for (Py_ssize_t at = 0; !failed && at < count; at += AHEAD)
        failed = enter_some(&books, entries, at, count - at < AHEAD ? count : at + AHEAD, counts) < 0;
    if (!failed)
        failed = lay_down(&books) < 0 || add_number(books.seen, name_recent_hits, books.recent_hits) < 0 ||
                 add_number(books.seen, name_bloom_misses, books.bloom_misses) < 0;
    close_books(&books);
    return failed ? NULL : Py_BuildValue("[LLL]", counts[0], counts[1], counts[2]);
}

static PyMethodDef functions[] = {{"admit", admit, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_admit", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__admit(void) {
    bloom_type = imported("gossamer.frontier._bloom", "Bloom");
    host_type = bloom_type == NULL ? NULL : imported("gossamer.frontier._host", "Host");
    hosts_type = host_type == NULL ? NULL : imported("gossamer.frontier._hosts", "Hosts");
    sheet_type = hosts_type == NULL ? NULL : imported("gossamer.frontier._sheet", "Sheet");
    gathered_type = sheet_type == NULL ? NULL : imported("gossamer.frontier._slots", "Gathered");
    zero = PyLong_FromLong(0);
    spelled = PyLong_FromLong(2); /* as in `seen.py` */
    usual_fingerprint = gathered_type == NULL || zero == NULL || spelled == NULL ? NULL : imported("gossamer.url.fingerprint", "fingerprint");
    if (usual_fingerprint == NULL || learn_entry(&entry_shape) < 0) return NULL;
    PyObject *made = PyModule_Create(&module);
    for (int i = 0; made != NULL && i < COUNT_OF_NAMES; i++)
        if ((names[i] = PyUnicode_InternFromString(texts[i])) == NULL) Py_CLEAR(made);
    return made;
}
