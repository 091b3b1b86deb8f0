/* The character references that most pages use, decoded without a call into Python; part of `_scan.c`.
 *
 * `references.py` knows all of them and all rules. A name that is not in the table, or without its semicolon, is asked there: a
 * call costs more than the rest of a run of text. */

enum { LONGEST_REFERENCE = 4, NOT_USUAL = -1, NAME_BYTES = 8, REFERENCE_NAME = 33 /* one more than the longest */ };

typedef struct { char name[NAME_BYTES]; const char *meaning; } Usual;

static const Usual usual_names[] = {
    {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"nbsp", "\xc2\xa0"}, {"apos", "'"}, {"copy", "\xc2\xa9"},
    {"mdash", "\xe2\x80\x94"}, {"ndash", "\xe2\x80\x93"}, {"hellip", "\xe2\x80\xa6"}, {"rsquo", "\xe2\x80\x99"},
    {"lsquo", "\xe2\x80\x98"}, {"rdquo", "\xe2\x80\x9d"}, {"ldquo", "\xe2\x80\x9c"}, {"raquo", "\xc2\xbb"},
    {"laquo", "\xc2\xab"}, {"middot", "\xc2\xb7"}, {"bull", "\xe2\x80\xa2"}, {"para", "\xc2\xb6"}, {"sect", "\xc2\xa7"},
    {"times", "\xc3\x97"}, {"reg", "\xc2\xae"}, {"trade", "\xe2\x84\xa2"}, {"deg", "\xc2\xb0"}, {"rarr", "\xe2\x86\x92"},
    {"larr", "\xe2\x86\x90"}, {"eacute", "\xc3\xa9"}, {"egrave", "\xc3\xa8"}, {"agrave", "\xc3\xa0"}, {"ccedil", "\xc3\xa7"},
    {"auml", "\xc3\xa4"}, {"ouml", "\xc3\xb6"}, {"uuml", "\xc3\xbc"}, {"szlig", "\xc3\x9f"}, {"shy", "\xc2\xad"},
    {"thinsp", "\xe2\x80\x89"}, {"euro", "\xe2\x82\xac"}, {"pound", "\xc2\xa3"},
};
enum { USUAL_NAMES = sizeof usual_names / sizeof usual_names[0] };

/* The pages that write numbers from 0x80 to 0x9f mean windows-1252. */
static const uint16_t of_windows[] = {
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
    0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178,
};

/* Write a character as UTF-8; return its length. */
static int encode(uint32_t code, char *into) {
    if (code < 0x80) { into[0] = (char)code; return 1; }
    int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--, code >>= 6) into[i] = (char)(0x80 | (code & 0x3f));
    into[0] = (char)((length == 2 ? 0xc0 : length == 3 ? 0xe0 : 0xf0) | code);
    return length;
}

static int digit_of(byte c, int base) {
    int digit = c >= '0' && c <= '9' ? c - '0' : LOWER(c) >= 'a' && LOWER(c) <= 'f' ? LOWER(c) - 'a' + 10 : base;
    return digit < base ? digit : -1;
}

/* Decode what follows an `&#`; return the length of its UTF-8 and set `at` to what follows it. 0: it is only two characters. */
static int numbered(const byte **at, const byte *stop, char *into) {
    const byte *digits = *at;
    int base = digits < stop && LOWER(*digits) == 'x' ? 16 : 10;
    digits += base == 16;
    const byte *end = digits;
    uint32_t code = 0;
    for (int digit; end < stop && (digit = digit_of(*end, base)) >= 0; end++)
        if (code <= 0x10FFFF) code = code * (uint32_t)base + (uint32_t)digit;
    if (end == digits) return 0;
    if (code >= 0x80 && code <= 0x9f) code = of_windows[code - 0x80];
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = 0xFFFD;
    *at = end + (end < stop && *end == ';');
    return encode(code, into);
}

/* Decode what follows an `&`, which stands before `at`; return the length of its UTF-8 and set `at` to what follows it.
 * 0: it is only a character. NOT_USUAL: ask Python. */
static int usual_reference(const byte **at, const byte *stop, int is_value, char *into) {
    const byte *end = *at;
    if (end < stop && *end == '#') {
        const byte *after = end + 1;
        int length = numbered(&after, stop, into);
        if (length > 0) *at = after;
        return length;
    }
    while (end < stop && IS_ALPHANUMERIC(*end)) end++;
    Py_ssize_t length = end - *at;
    if (length < 2) return 0; /* no name is so short */
    if (end < stop && *end == '=' && is_value) return 0; /* as in `?a=1&copy=2` */
    if (end == stop || *end != ';' || length >= NAME_BYTES) return NOT_USUAL;
    uint64_t wanted = 0, known;
    memcpy(&wanted, *at, (size_t)length);
    for (int i = 0; i < USUAL_NAMES; i++) {
        memcpy(&known, usual_names[i].name, sizeof known);
        if (known != wanted) continue;
        *at = end + 1;
        length = (Py_ssize_t)strlen(usual_names[i].meaning);
        memcpy(into, usual_names[i].meaning, (size_t)length);
        return (int)length;
    }
    return NOT_USUAL;
}

/* Decode a value or a title, into as much room as it takes; return its length. NOT_USUAL: ask Python. */
static Py_ssize_t decode_usual(const byte *at, const byte *stop, int is_value, char *into) {
    char *begin = into;
    while (at < stop) {
        byte c = *at++;
        if (c == 0) return NOT_USUAL;
        int length = c == '&' ? usual_reference(&at, stop, is_value, into) : 0;
        if (length == NOT_USUAL) return NOT_USUAL;
        if (length == 0) { *into = (char)c; length = 1; }
        into += length;
    }
    return into - begin;
}
