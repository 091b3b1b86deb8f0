/* The line of an answer in the CDXJ index; part of `_pair.c`. What it says, and why: `cdxj.py`, whose bytes these are.
 *
 * It is made of URLs that need no more than lower case: a name of letters, digits and hyphens, no query, nothing encoded. For
 * any other there is no line here, and `cdxj.py` makes it.
 */
typedef struct {
    const char *text;
    size_t size;
} Text;

static char *add(char *at, const char *text, size_t size) {
    memcpy(at, text, size);
    return at + size;
}
#define ADD(at, literal) add(at, literal, sizeof(literal) - 1)

static char *add_number(char *at, unsigned long long number) {
    char digits[20], *first = digits + sizeof digits;
    do *--first = (char)('0' + number % 10);
    while (number /= 10);
    return add(at, first, (size_t)(digits + sizeof digits - first));
}

static char *add_digits(char *at, int number, int count) {
    for (int i = count - 1; i >= 0; i--, number /= 10) at[i] = (char)('0' + number % 10);
    return at + count;
}

static int is_small(char letter) { return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9'); }
static char small(char letter) { return letter >= 'A' && letter <= 'Z' ? (char)(letter | 32) : letter; }

/* Tell whether JSON spells a text as it is. */
static int is_literal(Text text) {
    for (size_t i = 0; i < text.size; i++)
        if (text.text[i] < ' ' || text.text[i] > '~' || text.text[i] == '"' || text.text[i] == '\\') return 0;
    return 1;
}

/* Add a host turned inside out, and its port; NULL: not so simple. */
static char *add_host(char *at, const char *host, const char *end, const char *usual_port) {
    for (const char *each = host; each < end; each++)
        if (!is_small(*each) && *each != '.' && *each != '-' && *each != ':') return NULL;
    size_t usual = strlen(usual_port);
    if ((size_t)(end - host) >= usual && memcmp(end - usual, usual_port, usual) == 0) end -= usual;
    const char *port = memchr(host, ':', (size_t)(end - host)), *last = port ? port : end;
    while (host < last && *host == '.') host++;
    while (last > host && last[-1] == '.') last--;
    if (last - host > 3 && memcmp(host, "www", 3) == 0) { /* www. and www2. are not looked at */
        const char *rest = host + 3;
        while (rest < last && *rest >= '0' && *rest <= '9') rest++;
        if (rest < last && *rest == '.') host = rest + 1;
    }
    for (const char *label = last;; last = label, *at++ = ',') { /* the last label first */
        while (label > host && label[-1] != '.') label--;
        at = add(at, label, (size_t)(last - label));
        if (label == host) break;
        label--;
    }
    return port ? add(at, port, (size_t)(end - port)) : at;
}

/* Add the key a URL is sorted by; NULL: not so simple. */
static char *add_key(char *at, Text url, int is_https) {
    const char *host = url.text + (is_https ? 8 : 7), *end = url.text + url.size;
    const char *path = memchr(host, '/', (size_t)(end - host));
    if (path == NULL || path == host) return NULL;
    if ((at = add_host(at, host, path, is_https ? ":443" : ":80")) == NULL) return NULL;
    *at++ = ')';
    if (end - path > 1 && end[-1] == '/') end--;
    for (; path < end; path++) {
        char letter = small(*path);
        if (!is_small(letter) && letter != '/' && letter != '.' && letter != '-' && letter != '_' && letter != '~') return NULL;
        if (letter == '/' && (path[1] == '/' || path[1] == '.')) return NULL;
        *at++ = letter;
    }
    return at;
}

/* Find the first header of that name, as text; one of no letters: there is none. Returns 0 when something went wrong. */
static int find_header(PyObject *headers, const char *name, Text *value) {
    *value = (Text){"", 0};
    Py_ssize_t count = PyTuple_Size(headers);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *pair = PyTuple_GetItem(headers, i), *known = pair ? PyTuple_GetItem(pair, 0) : NULL;
        if (known == NULL) return 0;
        if (!PyUnicode_Check(known)) {
            PyErr_SetString(PyExc_TypeError, "the name of a header is a text");
            return 0;
        }
        if (PyUnicode_CompareWithASCIIString(known, name) != 0) continue;
        Py_ssize_t size;
        PyObject *text = PyTuple_GetItem(pair, 1);
        if (text == NULL || (value->text = PyUnicode_AsUTF8AndSize(text, &size)) == NULL) return 0;
        value->size = (size_t)size;
        return 1;
    }
    return count >= 0;
}

static int is_blank(char letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r') || (letter >= 28 && letter < 32); }

/* Cut a Content-Type down to the type it names. */
static Text mime_of(Text said) {
    const char *semicolon = memchr(said.text, ';', said.size), *first = said.text;
    const char *end = semicolon ? semicolon : first + said.size;
    while (first < end && is_blank(*first)) first++;
    while (end > first && is_blank(end[-1])) end--;
    return first < end ? (Text){first, (size_t)(end - first)} : (Text){"unk", 3};
}
