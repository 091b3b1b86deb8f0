/* What a reader sees, as it grows: white space folded, a line for each block; part of `_scan.c`.
 *
 * White space is what Python's `str.split` takes for it, so that the text is the one that `text.py` makes of a tree. */

typedef struct {
    char *bytes; /* UTF-8, as good as the page's */
    Py_ssize_t length, room;
    char between; /* what comes before the next character: nothing, ' ' or '\n' */
} Text;

static void text_break(Text *text) { text->between = '\n'; }

/* Return how many bytes of white space begin here; 0: none do. */
static int space_at(const byte *at, const byte *stop) {
    if (*at <= ' ') return *at == ' ' || (*at >= '\t' && *at <= '\r') || (*at >= 0x1c && *at <= 0x1f);
    if (*at < 0xc2) return 0;
    if (*at == 0xc2) return stop - at >= 2 && (at[1] == 0x85 || at[1] == 0xa0) ? 2 : 0;
    if (*at < 0xe1 || *at > 0xe3 || stop - at < 3) return 0;
    byte second = at[1], third = at[2];
    if (*at == 0xe1) return second == 0x9a && third == 0x80 ? 3 : 0;
    if (*at == 0xe3) return second == 0x80 && third == 0x80 ? 3 : 0;
    if (second == 0x81) return third == 0x9f ? 3 : 0;
    int is_space = (third >= 0x80 && third <= 0x8a) || third == 0xa8 || third == 0xa9 || third == 0xaf;
    return second == 0x80 && is_space ? 3 : 0;
}

static int text_add(Text *text, const byte *at, const byte *stop) {
    Py_ssize_t most = stop - at + 1; /* and what comes between */
    if (text->room - text->length < most) {
        Py_ssize_t room = (text->length + most) * 2;
        char *bytes = PyMem_Realloc(text->bytes, (size_t)room);
        if (bytes == NULL) { PyErr_NoMemory(); return -1; }
        text->bytes = bytes;
        text->room = room;
    }
    char *into = text->bytes + text->length;
    while (at < stop) {
        int space = space_at(at, stop);
        if (space) {
            if (!text->between) text->between = ' ';
            at += space;
        } else if (*at == 0) {
            at++; /* the standard drops it */
        } else {
            /* Words with one space between them are copied as they are, as far as they go: a third of the price of looking at
             * each byte by the rules, since the processor does not have to guess where a word ends. */
            const byte *words = at;
            byte before, now = C_WORD;
            do {
                before = now;
                now = ++at < stop ? byte_class[*at] & (C_WORD | C_ONE_SPACE) : 0;
            } while (now && !(now & before & C_ONE_SPACE));
            if (text->between && into > text->bytes) *into++ = text->between;
            Py_ssize_t length = at - words - (before == C_ONE_SPACE);
            memcpy(into, words, (size_t)length);
            into += length;
            text->between = before == C_ONE_SPACE ? ' ' : 0;
        }
    }
    text->length = into - text->bytes;
    return 0;
}
