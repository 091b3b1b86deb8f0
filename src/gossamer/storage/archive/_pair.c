/* The two records of an answer and its line in the index, in one call; part of `pair.py`.
 *
 * Why in C: a small page has some 30 short texts to put together, four to hash or check and two to compress, of which only the
 * last is work. In Python they took 35 us in a loop and 77 among everything else a crawl does, because so much code does not
 * stay in the cache; this takes a third.
 *
 * What is written is what `warc.py`, `member.py` and `cdxj.py` write, byte for byte. Where that is not simple (a URL that has to
 * be escaped, a revisit, a body on disk, a head that is no text) there is no pair here, and they write it.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <strings.h>
#include <time.h>

#include "../../document/_base32.h"
#include "_deflate.h"
#include "_line.h"

enum {
    SMALL = 2048,      /* bytes of a text that the deflate of ours is for, as in `member.py` */
    LONGEST_URL = 2048,
    SHORT = 256,       /* bytes of any other text in a header or a line */
    STORED = 0xFFFF,   /* bytes of a stored block */
    HEADER = LONGEST_URL + 5 * SHORT + 512,
    LINE = 2 * LONGEST_URL + 4 * SHORT + 256,
};

enum { URL, ADDRESS, RESPONSE_HEAD, REQUEST_HEAD, HEADERS, STATUS, FIELDS }; /* of what was fetched that are read */

static PyObject *record_end; /* b"\r\n\r\n" */
static PyObject *names[FIELDS];

typedef struct {
    Text url, address, payload, digest, start, file; /* `start`: of the ids */
    PyObject *fields[FIELDS];                        /* of what was fetched */
    PyObject *body, *crc32, *compress;
    const unsigned char *block_sha1, *request_sha1;
    unsigned long long number, offset;
    char date[32], timestamp[16];
    int is_https;
} Pair;

static size_t size_of(PyObject *bytes) { return (size_t)PyBytes_Size(bytes); }
static const unsigned char *bytes_of(PyObject *bytes) { return (const unsigned char *)PyBytes_AsString(bytes); }

/* Tell whether a text may stand in a header as it is: visible letters only. */
static int is_visible(Text text) {
    for (size_t i = 0; i < text.size; i++)
        if (text.text[i] < '!' || text.text[i] > '~') return 0;
    return 1;
}

static int is_address(Text text) {
    return text.size >= 2 && text.size <= 45 && strspn(text.text, "0123456789ABCDEFabcdef.:") == text.size;
}

static int is_ascii(const unsigned char *bytes, size_t size) {
    uint64_t all = 0, eight;
    for (; size >= 8; bytes += 8, size -= 8) {
        memcpy(&eight, bytes, 8);
        all |= eight;
    }
    for (; size; size--) all |= *bytes++;
    return (all & 0x8080808080808080) == 0;
}

/* Tell whether every reader finds the end of an HTTP head at the same byte; as `ends_once` of `warc.py` does. */
static int ends_once(const unsigned char *head, size_t size) {
    const unsigned char *end = head + size, *line = NULL; /* behind the last line feed */
    int blank = 0;
    for (const unsigned char *at = head; at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL; line = ++at) {
        if (at == head || at[-1] != '\r') return 0;
        blank = line != NULL;
        for (const unsigned char *each = line; blank && each < at; each++) blank = *each < '!' || *each > '~';
        if (blank) return at + 1 == end && at - line == 1;
    }
    return 0;
}

static char *add_date(Pair *pair, long long microseconds) {
    time_t seconds = (time_t)(microseconds / 1000000);
    struct tm parts;
    if (microseconds < 0 || gmtime_r(&seconds, &parts) == NULL || parts.tm_year > 9999 - 1900) return NULL;
    const int fields[] = {parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec};
    char *iso = pair->date, *plain = pair->timestamp;
    for (int i = 0; i < 6; i++) {
        iso = add_digits(iso, fields[i], i ? 2 : 4);
        *iso++ = "--T::."[i];
        plain = add_digits(plain, fields[i], i ? 2 : 4);
    }
    *plain = 0;
    iso = add_digits(iso, (int)(microseconds % 1000000), 6);
    *iso++ = 'Z';
    *iso = 0;
    return iso;
}

static char *add_id(char *at, Text start, unsigned long long number) {
    *at++ = '<';
    at = add(at, start.text, start.size);
    for (int shift = 44; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[number >> shift & 15];
    return ADD(at, ">\r\n");
}

/* Write the WARC header of a response or of its request; return its end. */
static char *add_header(char *at, const Pair *pair, int is_request, size_t length) {
    Text kind = is_request ? (Text){"request\r\n", 9} : (Text){"response\r\n", 10};
    at = add(ADD(at, "WARC/1.1\r\nWARC-Type: "), kind.text, kind.size);
    at = add_id(ADD(at, "WARC-Record-ID: "), pair->start, pair->number + (unsigned)is_request);
    at = add(ADD(at, "WARC-Date: "), pair->date, strlen(pair->date));
    at = add(ADD(at, "\r\nWARC-Target-URI: "), pair->url.text, pair->url.size);
    if (is_request) {
        at = add_id(ADD(at, "\r\nWARC-Concurrent-To: "), pair->start, pair->number);
    } else {
        if (is_address(pair->address)) at = add(ADD(at, "\r\nWARC-IP-Address: "), pair->address.text, pair->address.size);
        if (pair->payload.size) at = add(ADD(at, "\r\nWARC-Payload-Digest: "), pair->payload.text, pair->payload.size);
        at = ADD(at, "\r\n");
    }
    at = ADD(at, "WARC-Block-Digest: ");
    spell_sha1(at, is_request ? pair->request_sha1 : pair->block_sha1);
    at = add(ADD(at + SHA1_TEXT, "\r\nContent-Type: application/http;msgtype="), kind.text, kind.size);
    at = add_number(ADD(at, "Content-Length: "), length);
    return ADD(at, "\r\n\r\n");
}

/* Put a header and what follows it into one text. */
static PyObject *text_of(const char *header, const char *end, PyObject *head, PyObject *body, int is_whole) {
    size_t first = (size_t)(end - header), second = size_of(head), third = body ? size_of(body) : 0;
    PyObject *text = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(first + second + third) + (is_whole ? 4 : 0));
    if (text == NULL) return NULL;
    char *at = add(add(PyBytes_AsString(text), header, first), (const char *)bytes_of(head), second);
    if (body) at = add(at, (const char *)bytes_of(body), third);
    if (is_whole) memcpy(at, "\r\n\r\n", 4);
    return text;
}

static unsigned char *add_four(unsigned char *at, unsigned long number) {
    for (int i = 0; i < 4; i++) *at++ = (unsigned char)(number >> 8 * i);
    return at;
}

/* Continue a checksum over some bytes. */
static int check(const Pair *pair, PyObject *bytes, unsigned long *sum) {
    PyObject *before = PyLong_FromUnsignedLong(*sum);
    PyObject *after = before ? PyObject_CallFunctionObjArgs(pair->crc32, bytes, before, NULL) : NULL;
    Py_XDECREF(before);
    if (after == NULL) return 0;
    *sum = PyLong_AsUnsignedLong(after);
    Py_DECREF(after);
    return !PyErr_Occurred();
}

/* Begin a gzip member with a compressed text; whether that is all of it. */
static unsigned char *add_deflated(unsigned char *at, PyObject *text, int is_all) {
    memcpy(at, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10); /* deflate, no time, no name, an unknown system */
    return deflate_block(at + 10, bytes_of(text), (unsigned)size_of(text), is_all);
}

/* Write a small text as a member; NULL: something went wrong. */
static unsigned char *add_member(unsigned char *at, const Pair *pair, PyObject *text) {
    unsigned long sum = 0;
    if (!check(pair, text, &sum)) return NULL;
    return add_four(add_four(add_deflated(at, text, 1), sum), (unsigned long)size_of(text));
}

static int fits(PyObject *text) { return size_of(text) <= SMALL && is_ascii(bytes_of(text), size_of(text)); }

/* What is written: what stands in `made`, and behind its first `split` bytes those of `middle`, if any. */
typedef struct {
    unsigned char made[2 * ROOM(SMALL) + 64], *end;
    size_t split, kept; /* `kept`: bytes of the first member */
    PyObject *middle;
} Written;

/* A body that its server compressed stays as it is. Returns 1, 0 when it is not so simple, or -1 when something went wrong. */
static int store(Written *written, const Pair *pair, const char *header, const char *end) {
    PyObject *text = text_of(header, end, pair->fields[RESPONSE_HEAD], NULL, 0);
    unsigned long sum = 0;
    size_t block = size_of(pair->body) + 4, length = text ? size_of(text) + block : 0;
    if (text == NULL || !fits(text) || block > STORED) {
        Py_XDECREF(text);
        return text ? 0 : -1;
    }
    int is_checked = check(pair, text, &sum) && check(pair, pair->body, &sum) && check(pair, record_end, &sum);
    unsigned char *at = add_deflated(written->made, text, 0);
    Py_DECREF(text);
    if (!is_checked) return -1;
    *at++ = 1; /* the last block, stored (RFC 1951, section 3.2.4) */
    at = add_four(at, block | (~block & 0xFFFF) << 16);
    written->split = (size_t)(at - written->made);
    written->middle = Py_NewRef(pair->body);
    memcpy(at, "\r\n\r\n", 4);
    written->end = add_four(add_four(at + 4, sum), (unsigned long)length);
    return 1;
}

/* Write what is kept. Returns as `store` does. */
static int write_kept(Written *written, const Pair *pair, int is_coded) {
    char header[HEADER];
    char *end = add_header(header, pair, 0, size_of(pair->fields[RESPONSE_HEAD]) + size_of(pair->body));
    if (is_coded) return store(written, pair, header, end);
    PyObject *text = text_of(header, end, pair->fields[RESPONSE_HEAD], pair->body, 1);
    if (text == NULL) return -1;
    if (fits(text)) {
        written->end = add_member(written->made, pair, text);
    } else {
        written->middle = PyObject_CallFunctionObjArgs(pair->compress, text, NULL);
        if (written->middle != NULL && !PyBytes_Check(written->middle)) PyErr_SetString(PyExc_TypeError, "compress gives bytes");
    }
    Py_DECREF(text);
    return written->end != NULL && !PyErr_Occurred() ? 1 : -1;
}

/* Write the request behind it. Returns as `store` does. */
static int write_request(Written *written, const Pair *pair) {
    char header[HEADER];
    PyObject *head = pair->fields[REQUEST_HEAD];
    if (size_of(head) == 0) return 1;
    PyObject *text = text_of(header, add_header(header, pair, 1, size_of(head)), head, NULL, 1);
    if (text == NULL) return -1;
    int is_small_enough = fits(text);
    if (is_small_enough) written->end = add_member(written->end, pair, text);
    Py_DECREF(text);
    return written->end == NULL ? -1 : is_small_enough;
}

static PyObject *joined(const Written *written) {
    size_t middle = written->middle ? size_of(written->middle) : 0, made = (size_t)(written->end - written->made);
    PyObject *packed = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(made + middle));
    if (packed == NULL) return NULL;
    char *at = add(PyBytes_AsString(packed), (const char *)written->made, written->split);
    if (middle) at = add(at, (const char *)bytes_of(written->middle), middle);
    memcpy(at, written->made + written->split, made - written->split);
    return packed;
}

/* Make the line; None: not so simple. */
static PyObject *line_of(const Pair *pair, Text mime, size_t kept) {
    char line[LINE], *at;
    int is_simple = mime.size <= SHORT && is_literal(mime) && is_literal(pair->url) && is_literal(pair->digest);
    if (!is_simple || (at = add_key(line, pair->url, pair->is_https)) == NULL) Py_RETURN_NONE;
    at = add(ADD(at, " "), pair->timestamp, strlen(pair->timestamp));
    at = add(ADD(at, " {\"url\":\""), pair->url.text, pair->url.size);
    at = ADD(at, "\",\"mime\":\"");
    for (size_t i = 0; i < mime.size; i++) *at++ = small(mime.text[i]);
    at = add_number(ADD(at, "\",\"status\":\""), PyLong_AsUnsignedLong(pair->fields[STATUS]));
    at = add(ADD(at, "\",\"digest\":\""), pair->digest.text, pair->digest.size);
    at = add_number(ADD(at, "\",\"length\":\""), kept);
    at = add_number(ADD(at, "\",\"offset\":\""), pair->offset);
    at = add(ADD(at, "\",\"filename\":\""), pair->file.text, pair->file.size);
    at = ADD(at, "\"}\n");
    return PyErr_Occurred() ? NULL : PyBytes_FromStringAndSize(line, at - line);
}

/* Take a text that is not too long; 0: it is, or no text at all. */
static int take(PyObject *object, size_t most, Text *text) {
    Py_ssize_t size;
    if ((text->text = PyUnicode_AsUTF8AndSize(object, &size)) == NULL) {
        PyErr_Clear(); /* half a letter: a surrogate without the other */
        return 0;
    }
    text->size = (size_t)size;
    return text->size <= most;
}

static int is_coded(Text coding) {
    static const char *const codings[] = {"gzip", "x-gzip", "deflate", "br", "zstd"};
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++)
        if (strlen(codings[i]) == coding.size && strncasecmp(codings[i], coding.text, coding.size) == 0) return 1;
    return 0;
}

/* Look at what is given; 0: not so simple. What is wrong is told as an error. */
static int look(Pair *pair, PyObject *const *given) {
    PyObject **fields = pair->fields;
    for (int i = 0; i < FIELDS; i++)
        if ((fields[i] = PyObject_GetAttr(given[0], names[i])) == NULL) return 0;
    PyObject *const bytes[] = {fields[RESPONSE_HEAD], fields[REQUEST_HEAD], given[1], given[4], given[5]};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        if (!PyBytes_Check(bytes[i])) return PyErr_BadArgument();
    if (size_of(given[4]) != SHA1_BYTES || size_of(given[5]) != SHA1_BYTES) return PyErr_BadArgument();
    pair->body = given[1];
    pair->block_sha1 = bytes_of(given[4]);
    pair->request_sha1 = bytes_of(given[5]);
    long long microseconds = PyLong_AsLongLong(given[6]);
    pair->number = PyLong_AsUnsignedLongLong(given[8]);
    pair->offset = PyLong_AsUnsignedLongLong(given[9]);
    pair->crc32 = given[11];
    pair->compress = given[12];
    if (PyErr_Occurred()) return 0;
    if (!take(fields[URL], LONGEST_URL, &pair->url) || !take(fields[ADDRESS], SHORT, &pair->address)) return 0;
    if (!take(given[2], SHORT, &pair->payload) || !take(given[3], SHORT, &pair->digest)) return 0;
    if (!take(given[7], SHORT, &pair->start) || !take(given[10], SHORT, &pair->file)) return 0;
    pair->is_https = strncmp(pair->url.text, "https://", 8) == 0;
    if (!pair->is_https && strncmp(pair->url.text, "http://", 7) != 0) return 0;
    if (!is_visible(pair->url) || !is_visible(pair->payload) || size_of(fields[RESPONSE_HEAD]) == 0) return 0;
    if (!ends_once(bytes_of(fields[RESPONSE_HEAD]), size_of(fields[RESPONSE_HEAD]))) pair->payload.size = 0;
    return add_date(pair, microseconds) != NULL;
}

/* Write both records and the line; None: not so simple. */
static PyObject *write_pair(const Pair *pair) {
    Text type, coding;
    Written written = {.split = 0, .middle = NULL, .end = written.made};
    PyObject *packed = NULL, *line = NULL;
    if (!find_header(pair->fields[HEADERS], "content-type", &type)) return NULL;
    if (!find_header(pair->fields[HEADERS], "content-encoding", &coding)) return NULL;
    int is_written = write_kept(&written, pair, is_coded(coding));
    if (is_written > 0) {
        written.kept = (size_t)(written.end - written.made) + (written.middle ? size_of(written.middle) : 0);
        is_written = write_request(&written, pair);
    }
    if (is_written > 0 && (packed = joined(&written)) != NULL) line = line_of(pair, mime_of(type), written.kept);
    Py_XDECREF(written.middle);
    if (is_written == 0) Py_RETURN_NONE;
    if (line == NULL) {
        Py_XDECREF(packed);
        return NULL;
    }
    return Py_BuildValue("NnN", packed, (Py_ssize_t)written.kept, line);
}

/* pack(fetched, body, payload digest, digest, block SHA-1, request SHA-1, microseconds, start of ids, number, offset, file,
 * crc32, compress): the bytes of both records, how many belong to the first, and its line. */
static PyObject *pack(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    (void)self;
    if (count != 13) {
        PyErr_SetString(PyExc_TypeError, "pack takes 13 arguments");
        return NULL;
    }
    Pair pair = {.is_https = 0};
    PyObject *made = NULL;
    if (look(&pair, given)) {
        made = write_pair(&pair);
    } else if (!PyErr_Occurred()) {
        made = Py_NewRef(Py_None);
    }
    for (int i = 0; i < FIELDS; i++) Py_XDECREF(pair.fields[i]);
    return made;
}

static PyMethodDef functions[] = {{"pack", (PyCFunction)(void (*)(void))pack, METH_FASTCALL, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_pair", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__pair(void) {
    static const char *const attributes[] = {"url", "address", "response_head", "request_head", "headers", "status"};
    make_code();
    for (int i = 0; i < FIELDS; i++)
        if ((names[i] = PyUnicode_InternFromString(attributes[i])) == NULL) return NULL;
    if ((record_end = PyBytes_FromString("\r\n\r\n")) == NULL) return NULL;
    return PyModule_Create(&module);
}
