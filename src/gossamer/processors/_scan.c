/* One pass over a page of HTML: its links, the elements that say something about it, and what a reader sees.
 *
 * Why in C: a tree of a page of 25 KB costs 0.35 ms, and on some pages quadratic time; this pass costs a tenth of it and is
 * linear on every page. What it finds, and where it differs from a tree, stands in `scan.py`, which is the door to it.
 *
 * The tokenizer is that of https://html.spec.whatwg.org/ section 13.2.5. Of the tree builder it has only what changes how bytes
 * become tokens or whether a link counts: templates, raw text, and whether we are inside SVG or MathML.
 *
 * Invariants: `at` and `end` bound every read; nothing recurses; every byte is looked at a bounded number of times (whatever
 * is searched to the end and not found ends the page); nested SVG, MathML and templates are remembered DEEPEST levels deep.
 */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#include "_scan_names.h"
#include "_scan_ends.h"
#include "_scan_place.h"
#include "_scan_references.h"
#include "_scan_text.h"

enum { TITLE_BYTES = 65536 };

typedef struct { const byte *start; Py_ssize_t length; } Value; /* start is NULL: the attribute is not there */

typedef struct {
    const byte *end;
    PyObject *pages, *images;   /* dicts of `collect.Links`: as it is written -> (kind, nofollow), and -> None */
    PyObject *kinds;            /* the values of `pages`: see KIND_... */
    PyObject *tell;             /* called with the name and the attributes of every element that is no plain link */
    PyObject *decode;           /* called with the text of a value or of a run of text, and whether it is a value's */
    Py_ssize_t limit, told, unread;
    Value values[ATTRIBUTES];
    Place place;
    PyObject *title;            /* NULL: there was none yet */
    int has_frameset, failed;
    Text *text;                 /* NULL: nobody asked */
} Scan;

enum { KIND_ANCHOR, KIND_ANCHOR_NOFOLLOW, KIND_AREA, KIND_AREA_NOFOLLOW, KIND_FRAME, KIND_IFRAME, KINDS };

/* --- values ---------------------------------------------------------------------------------------------------------- */

static PyObject *by_decoder(Scan *scan, const byte *start, Py_ssize_t length, int is_value) {
    PyObject *raw = PyUnicode_DecodeUTF8((const char *)start, length, "replace");
    if (raw == NULL) return NULL;
    PyObject *decoded = PyObject_CallFunctionObjArgs(scan->decode, raw, is_value ? Py_True : Py_False, NULL);
    Py_DECREF(raw);
    if (decoded != NULL && !PyUnicode_Check(decoded)) {
        Py_DECREF(decoded);
        PyErr_SetString(PyExc_TypeError, "the decoder must return text");
        return NULL;
    }
    return decoded;
}

static PyObject *decoded(Scan *scan, const byte *start, Py_ssize_t length, int is_value) {
    if (memchr(start, '&', (size_t)length) == NULL && memchr(start, 0, (size_t)length) == NULL)
        return PyUnicode_DecodeUTF8((const char *)start, length, "replace");
    char room[512];
    if (length <= (Py_ssize_t)sizeof room) { /* a reference is never shorter than what it means */
        Py_ssize_t written = decode_usual(start, start + length, is_value, room);
        if (written >= 0) return PyUnicode_DecodeUTF8(room, written, "replace");
    }
    return by_decoder(scan, start, length, is_value);
}

static PyObject *text_of(Scan *scan, Value value) { return decoded(scan, value.start, value.length, 1); }

/* --- what is found --------------------------------------------------------------------------------------------------- */

/* Tell whether a list of words has this one, in any case. */
static int says(Value rel, const char *word) {
    Py_ssize_t length = (Py_ssize_t)strlen(word);
    for (Py_ssize_t i = 0; i < rel.length;) {
        while (i < rel.length && IS_SPACE(rel.start[i])) i++;
        Py_ssize_t begin = i;
        while (i < rel.length && !IS_SPACE(rel.start[i])) i++;
        if (i - begin != length) continue;
        Py_ssize_t k = 0;
        while (k < length && LOWER(rel.start[begin + k]) == (byte)word[k]) k++;
        if (k == length) return 1;
    }
    return 0;
}

/* A link up to its fragment, as `collect.without_fragment` has it: to read a thousand links into one page is to read one. */
static PyObject *link_of(Scan *scan, Value value) {
    const byte *mark = memchr(value.start, '#', (size_t)value.length);
    if (mark == NULL) return text_of(scan, value);
    int is_plain = memchr(value.start, '&', (size_t)(mark - value.start)) == NULL; /* else it may be that of a reference */
    if (is_plain && (mark == value.start || mark[-1] > ' ')) value.length = mark - value.start;
    PyObject *href = text_of(scan, value);
    if (href == NULL || is_plain) return href;
    Py_ssize_t found = PyUnicode_FindChar(href, '#', 0, PyUnicode_GetLength(href), 1);
    if (found < 0 || (found > 0 && PyUnicode_ReadChar(href, found - 1) <= ' ')) return href;
    PyObject *rest = PyUnicode_Substring(href, 0, found);
    Py_DECREF(href);
    return rest;
}

static int add_link(Scan *scan, Value value, int kind) {
    PyObject *href = link_of(scan, value);
    if (href == NULL) return -1;
    int failed = 0;
    PyObject *known = PyDict_GetItemWithError(scan->pages, href);
    if (known == NULL && PyErr_Occurred()) failed = -1;
    else if (known == NULL && PyDict_Size(scan->pages) >= scan->limit) scan->unread++;
    else if (known == NULL) failed = PyDict_SetItem(scan->pages, href, PyTuple_GetItem(scan->kinds, kind));
    else if (kind != KIND_ANCHOR_NOFOLLOW && kind != KIND_AREA_NOFOLLOW) { /* one place that does not say so lifts nofollow */
        for (int odd = KIND_ANCHOR_NOFOLLOW; odd <= KIND_AREA_NOFOLLOW; odd += 2)
            if (known == PyTuple_GetItem(scan->kinds, odd)) {
                failed = PyDict_SetItem(scan->pages, href, PyTuple_GetItem(scan->kinds, odd - 1));
                break;
            }
    }
    Py_DECREF(href);
    return failed;
}

static int add_image(Scan *scan, Value value) {
    if (value.length >= 5 && memcmp(value.start, "data:", 5) == 0) return 0; /* may be long, and has no URL */
    if (PyDict_Size(scan->images) >= scan->limit) return 0;
    PyObject *source = text_of(scan, value);
    if (source == NULL) return -1;
    int failed = PyDict_SetItem(scan->images, source, Py_None);
    Py_DECREF(source);
    return failed;
}

static int tell(Scan *scan, const char *name, PyObject *attributes) {
    if (attributes == NULL) return -1;
    PyObject *element = PyUnicode_FromString(name);
    PyObject *nothing = element ? PyObject_CallFunctionObjArgs(scan->tell, element, attributes, NULL) : NULL;
    Py_XDECREF(element);
    Py_DECREF(attributes);
    Py_XDECREF(nothing);
    return nothing == NULL ? -1 : 0;
}

static int tell_element(Scan *scan, const char *name) {
    if (scan->told >= scan->limit) { scan->unread++; return 0; }
    scan->told++;
    PyObject *attributes = PyDict_New();
    for (int i = 0; attributes != NULL && i < ATTRIBUTES; i++) {
        if (scan->values[i].start == NULL) continue;
        PyObject *value = text_of(scan, scan->values[i]);
        if (value == NULL || PyDict_SetItemString(attributes, attribute_names[i], value) < 0) Py_CLEAR(attributes);
        Py_XDECREF(value);
    }
    return tell(scan, name, attributes);
}

static int take_title(Scan *scan, const byte *start, const byte *stop) {
    scan->title = decoded(scan, start, stop - start < TITLE_BYTES ? stop - start : TITLE_BYTES, 0);
    return scan->title == NULL ? -1 : 0;
}

static int found(Scan *scan, int element, int is_foreign) {
    Value *values = scan->values;
    if (is_foreign && element != A) return 0;
    switch (element) {
    case A: case AREA: {
        if (values[HREF].start == NULL) return 0;
        int has_rel = values[REL].start != NULL, nofollow = has_rel && says(values[REL], "nofollow");
        int is_tool = has_rel && (says(values[REL], "edit") || says(values[REL], "search"));
        if (is_tool || values[DOWNLOAD].start || values[TYPE].length)
            return tell_element(scan, element == A ? "a" : "area"); /* seldom: it says of itself that it may be no page */
        return add_link(scan, values[HREF], (element == A ? KIND_ANCHOR : KIND_AREA) + nofollow);
    }
    case FRAME: case IFRAME:
        if (values[SRC].length == 0 || (element == FRAME && !scan->has_frameset)) return 0;
        return add_link(scan, values[SRC], element == FRAME ? KIND_FRAME : KIND_IFRAME);
    case IMG: case IMAGE:
        if (values[SRCSET].length) return tell_element(scan, "img");
        return values[SRC].length ? add_image(scan, values[SRC]) : 0;
    case SOURCE: return values[SRCSET].length ? tell_element(scan, "source") : 0;
    case BASE: return values[HREF].start ? tell_element(scan, "base") : 0;
    case LINK: return values[HREF].length && values[REL].length ? tell_element(scan, "link") : 0;
    case META: return values[CONTENT].length ? tell_element(scan, "meta") : 0;
    case HTML: return values[LANG].length || values[XML_LANG].length ? tell_element(scan, "html") : 0;
    case FRAMESET: scan->has_frameset = 1; return 0;
    default: return 0;
    }
}

/* --- text ------------------------------------------------------------------------------------------------------------ */

static int is_visible(const Scan *scan) {
    return scan->text != NULL && !scan->place.templates && !scan->place.pictures && !scan->place.hidden_depth;
}

/* Add what a name means that only Python knows, if it means something; return what follows it. */
static const byte *add_reference(Scan *scan, const byte *start, const byte *stop) {
    const byte *end = start + 1;
    while (end < stop && end - start <= REFERENCE_NAME && IS_ALPHANUMERIC(*end)) end++;
    if (end < stop && *end == ';') end++;
    PyObject *meaning = by_decoder(scan, start, end - start, 0);
    Py_ssize_t length = 0;
    const char *bytes = meaning ? PyUnicode_AsUTF8AndSize(meaning, &length) : NULL;
    int failed = bytes == NULL ? -1 : text_add(scan->text, (const byte *)bytes, (const byte *)bytes + length);
    Py_XDECREF(meaning);
    return failed ? NULL : end;
}

static int add_text(Scan *scan, const byte *at, const byte *stop, int has_references) {
    if (at >= stop || !is_visible(scan)) return 0;
    const byte *mark;
    while (has_references && (mark = memchr(at, '&', (size_t)(stop - at))) != NULL) {
        char meaning[LONGEST_REFERENCE];
        const byte *after = mark + 1;
        int length = usual_reference(&after, stop, 0, meaning);
        if (text_add(scan->text, at, length == 0 ? after : mark) < 0) return -1;
        if (length > 0 && text_add(scan->text, (const byte *)meaning, (const byte *)meaning + length) < 0) return -1;
        at = length == NOT_USUAL ? add_reference(scan, mark, stop) : after;
        if (at == NULL) return -1;
        if (at == stop) return 0;
    }
    return text_add(scan->text, at, stop);
}

/* --- the tokenizer --------------------------------------------------------------------------------------------------- */

/* Read the attributes of a tag, those that are `wanted` into `values`; return what follows the tag, NULL: it has no end. */
static const byte *read_attributes(Scan *scan, const byte *at, unsigned wanted, int *closes_itself) {
    const byte *end = scan->end;
    if (wanted) memset(scan->values, 0, sizeof scan->values);
    for (;;) {
        while (at < end && IS_SPACE(*at)) at++;
        if (at == end) return NULL;
        if (*at == '>') return at + 1;
        if (*at == '/') {
            if (++at < end && *at == '>') { *closes_itself = 1; return at + 1; }
            continue;
        }
        const byte *name = at++; /* an `=` that comes first belongs to the name */
        while (at < end && !ENDS_NAME(*at)) at++;
        Py_ssize_t length = at - name;
        Value value = {at, 0};
        while (at < end && IS_SPACE(*at)) at++;
        if (at < end && *at == '=') {
            at++;
            while (at < end && IS_SPACE(*at)) at++;
            if (at == end) return NULL;
            if (*at == '"' || *at == '\'') {
                const byte *quote = memchr(at + 1, *at, (size_t)(end - at - 1));
                if (quote == NULL) return NULL;
                value = (Value){at + 1, quote - at - 1};
                at = quote + 1;
            } else if (*at != '>') {
                value.start = at;
                while (at < end && *at != '>' && !IS_SPACE(*at)) at++;
                value.length = at - value.start;
            }
        }
        int attribute = wanted ? attribute_of(name, length, wanted) : -1;
        if (attribute >= 0 && scan->values[attribute].start == NULL) scan->values[attribute] = value; /* the first counts */
    }
}

static const byte *raw_content(Scan *scan, const byte *at, const Name *name) {
    int element = name->element;
    const byte *stop = element == PLAINTEXT ? scan->end
                     : element == SCRIPT ? script_end(at, scan->end, name) : raw_end(at, scan->end, name);
    int is_title = element == TITLE && !scan->title && !scan->place.templates && !scan->place.pictures;
    if (is_title) scan->failed = take_title(scan, at, stop);
    else if (name->flags & SHOWN_RAW) scan->failed = add_text(scan, at, stop, element == TEXTAREA);
    return stop;
}

static const byte *start_tag(Scan *scan, const byte *at) {
    const Name *name = read_name(&at, scan->end);
    int closes_itself = 0;
    at = read_attributes(scan, at, name->wanted, &closes_itself);
    if (at == NULL) return NULL;
    int foreign = is_foreign(&scan->place);
    if (foreign && name->flags & BREAKS_OUT && (name->element != FONT || scan->values[STYLE].start != NULL)) {
        break_out(&scan->place);
        foreign = is_foreign(&scan->place);
    }
    if (!(name->flags & INLINE) && is_visible(scan)) text_break(scan->text);
    if (name->wanted && !scan->place.templates) scan->failed = found(scan, name->element, foreign);
    opened(&scan->place, name, foreign, closes_itself);
    if (!scan->failed && name->flags & RAW && !foreign) at = raw_content(scan, at, name);
    return at;
}

static const byte *end_tag(Scan *scan, const byte *at) {
    const Name *name = read_name(&at, scan->end);
    int closes_itself = 0;
    at = read_attributes(scan, at, 0, &closes_itself);
    if (at == NULL) return NULL;
    closed(&scan->place, name);
    if (!(name->flags & INLINE) && is_visible(scan)) text_break(scan->text);
    return at;
}

static const byte *cdata(Scan *scan, const byte *start) {
    const byte *at = start;
    while (at < scan->end && (at = memchr(at, ']', (size_t)(scan->end - at))) != NULL) {
        if (scan->end - at >= 3 && at[1] == ']' && at[2] == '>') break;
        at++;
    }
    const byte *stop = at == NULL || at >= scan->end ? scan->end : at;
    scan->failed = add_text(scan, start, stop, 0);
    return stop == scan->end ? NULL : stop + 3;
}

/* Return what follows the markup at a `<`; NULL: nothing does. A `<` that begins no markup is returned as it is. */
static const byte *markup(Scan *scan, const byte *at) {
    const byte *end = scan->end;
    if (end - at < 2) return at;
    byte next = at[1];
    if (IS_ALPHA(next)) return start_tag(scan, at + 1);
    if (next == '/') {
        if (end - at < 3) return at;
        if (IS_ALPHA(at[2])) return end_tag(scan, at + 2);
    } else if (next == '!') {
        if (end - at >= 4 && at[2] == '-' && at[3] == '-') return comment(at + 4, end);
        if (is_foreign(&scan->place) && end - at >= 9 && memcmp(at + 2, "[CDATA[", 7) == 0) return cdata(scan, at + 9);
    } else if (next != '?') {
        return at;
    }
    const byte *stop = memchr(at + 2, '>', (size_t)(end - at - 2)); /* a doctype, or a bogus comment */
    return stop == NULL ? NULL : stop + 1;
}

static int scan_page(Scan *scan, const byte *at) {
    while (at < scan->end) {
        const byte *opening = memchr(at, '<', (size_t)(scan->end - at));
        if (opening == NULL) return add_text(scan, at, scan->end, 1);
        if (opening > at && add_text(scan, at, opening, 1) < 0) return -1;
        const byte *after = markup(scan, opening);
        if (scan->failed) return -1;
        if (after == NULL) return 0;
        if (after == opening) { /* only a character */
            if (add_text(scan, opening, opening + 1, 0) < 0) return -1;
            after++;
        }
        at = after;
    }
    return 0;
}

/* --- the door -------------------------------------------------------------------------------------------------------- */

static PyObject *scan_function(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *content;
    Py_ssize_t length;
    int wants_text;
    Scan scan = {0};
    Text text = {0};
    if (!PyArg_ParseTuple(arguments, "y#O!O!O!OOnp", &content, &length, &PyDict_Type, &scan.pages, &PyDict_Type, &scan.images,
                          &PyTuple_Type, &scan.kinds, &scan.tell, &scan.decode, &scan.limit, &wants_text))
        return NULL;
    if (PyTuple_Size(scan.kinds) != KINDS) {
        PyErr_SetString(PyExc_ValueError, "the kinds of links must be six");
        return NULL;
    }
    scan.end = (const byte *)content + length;
    scan.text = wants_text ? &text : NULL;
    PyObject *result = NULL;
    if (scan_page(&scan, (const byte *)content) == 0) {
        PyObject *seen = PyUnicode_DecodeUTF8(text.bytes ? text.bytes : "", text.length, "replace");
        result = Py_BuildValue("nNO", scan.unread, seen, scan.title ? scan.title : Py_None);
    }
    Py_XDECREF(scan.title);
    PyMem_Free(text.bytes);
    return result;
}

static PyMethodDef methods[] = {{"scan", scan_function, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_scan", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__scan(void) {
    fill_names();
    return PyModule_Create(&module);
}
