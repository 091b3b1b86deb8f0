/* Joining links with their base when nothing in them needs the rules of the URL standard; part of `parse.py`.
 *
 * Why in C: nearly all links of the web are plain: a path, or a whole URL, of characters that stay as they are, without dot
 * segments but at the start. Told so in one look at each byte, such a join is a copy: 0.1 us instead of 0.6 by the full parser;
 * and the links of a page are joined, and told apart, in one call. Anything else gives None, and the full parser decides. What
 * is plain gives byte for byte what the full parser would: a test holds the two against each other.
 *
 * Invariants: every read is bounded by the lengths Python gives; None, never a guess.
 */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <string.h>

typedef unsigned char byte;

enum { IN_HOST = 1, IN_PATH = 2, IN_QUERY = 4 };
static byte byte_class[256];
enum { LONGEST_HOST = 253, LONGEST_HREF = 2048 };

static int begins(const byte *at, const byte *stop, const char *with, Py_ssize_t length) {
    return stop - at >= length && memcmp(at, with, (size_t)length) == 0;
}

/* Return where a usual host name ends: lower-case labels, the last with a letter first, so that it is no address; no `xn--`,
 * which would have to be checked. NULL: it is not a usual one, or no path follows. */
static const byte *host_end(const byte *at, const byte *stop) {
    const byte *start = at, *label = at;
    for (; at < stop && byte_class[*at] & IN_HOST; at++) {
        if (*at == '.') {
            if (at == label) return NULL;
            label = at + 1;
        } else if (*at == '-' && at > start && at[-1] == '-') {
            return NULL;
        }
    }
    if (at == stop || *at != '/' || at == label || *label < 'a' || at - start > LONGEST_HOST) return NULL;
    return at;
}

/* Return where the URL ends and its fragment begins, when path and query stay as they are; NULL: they would not. */
static const byte *plain_end(const byte *at, const byte *stop) {
    const byte *segment = at;
    for (; at < stop && *at != '?' && *at != '#'; at++) {
        if (!(byte_class[*at] & IN_PATH)) return NULL;
        if (*at == '/') segment = at + 1;
        else if (*at == '.' && at == segment) return NULL; /* it may be a dot segment, */
        else if (*at == '%' && stop - at >= 3 && at[1] == '2' && (at[2] | 0x20) == 'e') return NULL; /* in disguise too */
    }
    if (at < stop && *at == '?')
        for (at++; at < stop && *at != '#'; at++)
            if (!(byte_class[*at] & IN_QUERY)) return NULL;
    return at;
}

typedef struct {
    const char *text;
    Py_ssize_t origin, directory, path; /* where they end */
} Base;

/* Pass over the `./` and `../` that a link begins with; return where the directory ends that it is in. */
static Py_ssize_t climb(const Base *base, const byte **at, const byte *stop) {
    Py_ssize_t kept = base->directory;
    while (*at < stop && **at == '.') {
        if (begins(*at, stop, "./", 2)) {
            *at += 2;
        } else if (begins(*at, stop, "../", 3)) {
            *at += 3;
            if (kept > base->origin + 1)
                for (kept--; base->text[kept - 1] != '/'; kept--) {}
        } else {
            break; /* a name, or dots that end a path */
        }
    }
    return kept;
}

/* Return the absolute URL of a link, or None when the full parser has to decide. */
static PyObject *join(const Base *base, PyObject *whole_base, PyObject *link) {
    Py_ssize_t length;
    const byte *href = (const byte *)PyUnicode_AsUTF8AndSize(link, &length);
    if (href == NULL) { /* lone surrogates */
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return NULL;
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    const byte *start = href, *stop = href + length;
    while (start < stop && *start <= ' ') start++;
    while (stop > start && stop[-1] <= ' ') stop--;

    Py_ssize_t kept = 0; /* of the base */
    const byte *path = start;
    if (start == stop || *start == '#') {
        return Py_NewRef(whole_base);
    } else if (begins(start, stop, base->text, base->origin) && stop - start > base->origin && start[base->origin] == '/') {
        path = start + base->origin;
    } else if (begins(start, stop, "https://", 8) || begins(start, stop, "http://", 7)) {
        path = host_end(start + (start[4] == 's' ? 8 : 7), stop);
    } else if (begins(start, stop, "//", 2)) {
        kept = base->text[4] == 's' ? 6 : 5;
        path = host_end(start + 2, stop);
    } else if (*start == '/') {
        kept = base->origin;
    } else if (*start == '?') {
        kept = base->path;
    } else if (*start == '.') {
        kept = climb(base, &start, stop);
        path = start;
    } else {
        kept = base->directory;
        for (const byte *at = start; at < stop && *at != '/' && *at != '?' && *at != '#'; at++)
            if (*at == ':') Py_RETURN_NONE; /* it may be a scheme */
    }
    const byte *end = path == NULL ? NULL : plain_end(path, stop);
    if (end == NULL || end - start > LONGEST_HREF || kept > LONGEST_HREF) Py_RETURN_NONE;
    if (kept == 0 && start == href && end == href + length) return Py_NewRef(link);
    char joined[2 * LONGEST_HREF];
    memcpy(joined, base->text, (size_t)kept);
    memcpy(joined + kept, start, (size_t)(end - start));
    return PyUnicode_FromStringAndSize(joined, kept + (end - start));
}

/* Read a base and where its parts end, the first four arguments of a call; -1: they make no sense. */
static int read_base(PyObject *const *arguments, Base *base) {
    Py_ssize_t length, ends[3];
    base->text = PyUnicode_AsUTF8AndSize(arguments[0], &length);
    if (base->text == NULL) return -1;
    for (int i = 0; i < 3; i++) {
        ends[i] = PyLong_AsSsize_t(arguments[i + 1]);
        if (ends[i] == -1 && PyErr_Occurred()) return -1;
        if (ends[i] < 0 || ends[i] > length || ends[i] < ends[0]) {
            PyErr_SetString(PyExc_ValueError, "beyond the end of the base");
            return -1;
        }
    }
    base->origin = ends[0], base->directory = ends[1], base->path = ends[2];
    const byte *start = (const byte *)base->text;
    int is_http = begins(start, start + length, "https://", 8) || begins(start, start + length, "http://", 7);
    if (!is_http || base->text[base->origin] != '/') { /* what `climb` stops at, and where a scheme can be taken from */
        PyErr_SetString(PyExc_ValueError, "that is no base of http or https, or its origin ends elsewhere");
        return -1;
    }
    return 0;
}

/* ends_of(url): where origin, directory and path end, if from the path on the URL stays as it is; else None. */
static PyObject *ends_of(PyObject *module, PyObject *url) {
    (void)module;
    Py_ssize_t length;
    const byte *start = (const byte *)PyUnicode_AsUTF8AndSize(url, &length);
    if (start == NULL) { /* lone surrogates */
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return NULL;
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    const byte *stop = start + length, *at = start;
    if (begins(start, stop, "https://", 8)) at += 8;
    else if (begins(start, stop, "http://", 7)) at += 7;
    else Py_RETURN_NONE;
    while (at < stop && *at != '/' && *at > ' ' && *at < 0x7f) at++; /* ASCII: so that bytes are characters */
    if (at == stop || *at != '/' || plain_end(at, stop) != stop) Py_RETURN_NONE;
    Py_ssize_t origin = at - start, directory = origin;
    for (; at < stop && *at != '?'; at++)
        if (*at == '/') directory = at - start + 1;
    return Py_BuildValue("nnn", origin, directory, (Py_ssize_t)(at - start));
}

/* join_all(base, origin, directory, path, links): a list for a list; the numbers are where those parts of the base end. */
static PyObject *join_all(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Base base;
    if (count != 5 || !PyList_Check(arguments[4])) return PyErr_Format(PyExc_TypeError, "join_all(base, 3 numbers, list)");
    if (read_base(arguments, &base) < 0) return NULL;
    Py_ssize_t links = PyList_Size(arguments[4]);
    PyObject *urls = PyList_New(links);
    for (Py_ssize_t i = 0; urls != NULL && i < links; i++) {
        PyObject *url = join(&base, arguments[0], PyList_GetItem(arguments[4], i));
        if (url == NULL || PyList_SetItem(urls, i, url) < 0) Py_CLEAR(urls);
    }
    return urls;
}

/* Take a link to `url`, found in the way `way`: (kind, nofollow). A second one can only lift nofollow. */
static int take(PyObject *links, PyObject *url, PyObject *way, PyObject *make) {
    PyObject *known = PyDict_GetItemWithError(links, url);
    if (known == NULL && PyErr_Occurred()) return -1;
    PyObject *kind = PyTuple_GetItem(way, 0), *nofollow = PyTuple_GetItem(way, 1), *own = NULL;
    if (kind == NULL || nofollow == NULL) return -1;
    if (known != NULL) {
        int is_nofollow = PyObject_IsTrue(nofollow);
        if (is_nofollow) return is_nofollow < 0 ? -1 : 0;
        PyObject *before = PyObject_GetAttrString(known, "nofollow");
        int is_lifted = before == NULL ? -1 : PyObject_IsTrue(before);
        Py_XDECREF(before);
        if (is_lifted <= 0) return is_lifted;
        kind = own = PyObject_GetAttrString(known, "kind");
        if (kind == NULL) return -1;
    }
    PyObject *link = PyObject_CallFunctionObjArgs(make, url, kind, nofollow, NULL);
    int failed = link == NULL ? -1 : PyDict_SetItem(links, url, link);
    Py_XDECREF(link);
    Py_XDECREF(own);
    return failed;
}

/* gather(base, origin, directory, path, ways, most, fully, make): of the first links of a dict (as written -> way), a dict from
 * URL to what `make` makes of URL, kind and nofollow. To do this in Python costs three times as much: 0.4 us a link. */
static PyObject *gather(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    Base base;
    if (count != 8 || !PyDict_Check(arguments[4]))
        return PyErr_Format(PyExc_TypeError, "gather(base, 3 numbers, dict, number, 2 callables)");
    PyObject *ways = arguments[4], *fully = arguments[6], *make = arguments[7], *href, *way;
    Py_ssize_t most = PyLong_AsSsize_t(arguments[5]), position = 0, size = PyDict_Size(ways);
    if ((most == -1 && PyErr_Occurred()) || read_base(arguments, &base) < 0) return NULL;
    PyObject *links = PyDict_New();
    while (links != NULL && most-- > 0 && PyDict_Next(ways, &position, &href, &way)) {
        Py_INCREF(href), Py_INCREF(way); /* a call below could change the dict */
        PyObject *url = join(&base, arguments[0], href);
        if (url == Py_None) {
            Py_DECREF(url);
            url = PyObject_CallFunctionObjArgs(fully, href, NULL);
        }
        if (url == NULL || (url != Py_None && take(links, url, way, make) < 0)) Py_CLEAR(links);
        Py_XDECREF(url), Py_DECREF(href), Py_DECREF(way);
        if (links != NULL && PyDict_Size(ways) != size) {
            PyErr_SetString(PyExc_RuntimeError, "the dict changed");
            Py_CLEAR(links);
        }
    }
    return links;
}

static PyMethodDef methods[] = {
    {"ends_of", ends_of, METH_O, NULL},
    {"gather", (PyCFunction)(void (*)(void))gather, METH_FASTCALL, NULL},
    {"join_all", (PyCFunction)(void (*)(void))join_all, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_join", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__join(void) {
    for (int c = 'a'; c <= 'z'; c++) {
        byte_class[c] = IN_HOST | IN_PATH | IN_QUERY;
        byte_class[c - 32] = IN_PATH | IN_QUERY;
    }
    for (int c = '0'; c <= '9'; c++) byte_class[c] = IN_HOST | IN_PATH | IN_QUERY;
    for (const char *c = "-."; *c; c++) byte_class[(byte)*c] = IN_HOST | IN_PATH | IN_QUERY;
    for (const char *c = "_~!$&()*+,;=:@/%"; *c; c++) byte_class[(byte)*c] = IN_PATH | IN_QUERY;
    byte_class['\''] = IN_PATH;
    for (const char *c = "?[]"; *c; c++) byte_class[(byte)*c] = IN_QUERY;
    return PyModule_Create(&module);
}
