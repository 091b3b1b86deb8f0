/* The names of elements and attributes that the scanner knows, and what follows from each; part of `_scan.c`.
 *
 * A name is found by its first sixteen bytes in lower case, as two numbers, in a table of slots: a search by comparing texts
 * took half of the whole pass. */

typedef unsigned char byte;

/* Bits of a byte's class; a table is twice as fast as comparisons in the loops over every byte. */
enum { C_SPACE = 1, C_ALPHA = 2, C_DIGIT = 4, C_NAME_END = 8, C_TAG_NAME_END = 16, C_WORD = 32, C_ONE_SPACE = 64 };
static byte byte_class[256], lower_case[256];
#define IS_SPACE(c) (byte_class[c] & C_SPACE)
#define IS_ALPHA(c) (byte_class[c] & C_ALPHA)
#define IS_ALPHANUMERIC(c) (byte_class[c] & (C_ALPHA | C_DIGIT))
#define ENDS_NAME(c) (byte_class[c] & C_NAME_END)
#define ENDS_TAG_NAME(c) (byte_class[c] & C_TAG_NAME_END)
#define LOWER(c) (lower_case[c])

enum { HREF, REL, SRC, SRCSET, NAME, CONTENT, HTTP_EQUIV, LANG, XML_LANG, TYPE, DOWNLOAD, STYLE, ATTRIBUTES };
static const char *const attribute_names[ATTRIBUTES] = {
    "href", "rel", "src", "srcset", "name", "content", "http-equiv", "lang", "xml:lang", "type", "download", "color"};
#define WANTED(attribute) (1u << (attribute))

enum {
    OTHER, A, AREA, BASE, DESC, FONT, FOREIGN_OBJECT, FRAME, FRAMESET, HTML, IFRAME, IMAGE, IMG, LINK, MATH, META, MI, MN, MO,
    MS, MTEXT, PLAINTEXT, SCRIPT, SOURCE, SVG, TEMPLATE, TEXTAREA, TITLE, FIRST_HIDDEN /* each hidden one has its own number */
};
enum {
    INLINE = 1,               /* begins no line of the text; nor does what no reader sees */
    HIDDEN = 2,               /* no reader sees its content */
    RAW = 4,                  /* its content is no markup, */
    SHOWN_RAW = 8,            /* but a reader sees it */
    BREAKS_OUT = 16,          /* ends SVG and MathML (13.2.6.5) */
    BREAKS_OUT_CLOSING = 32,  /* so does its end tag */
    HTML_IN_SVG = 64,         /* its content is HTML, in SVG */
    HTML_IN_MATH = 128        /* or in MathML */
};

typedef struct {
    const char *text;
    byte element;
    byte flags;
    unsigned wanted; /* attributes */
    int length;      /* this and the next are filled in */
    uint64_t packed[2];
} Name;
#define NAMED(text, element, flags, wanted) {text, element, flags, wanted, 0, {0, 0}}

static Name names[] = {
    NAMED("", OTHER, 0, 0),
    NAMED("a", A, INLINE, WANTED(HREF) | WANTED(REL) | WANTED(TYPE) | WANTED(DOWNLOAD)),
    NAMED("area", AREA, 0, WANTED(HREF) | WANTED(REL) | WANTED(TYPE) | WANTED(DOWNLOAD)),
    NAMED("base", BASE, 0, WANTED(HREF)),
    NAMED("desc", DESC, HTML_IN_SVG, 0),
    NAMED("font", FONT, INLINE | BREAKS_OUT, WANTED(STYLE)),
    NAMED("foreignobject", FOREIGN_OBJECT, HTML_IN_SVG, 0),
    NAMED("frame", FRAME, 0, WANTED(SRC)),
    NAMED("frameset", FRAMESET, 0, WANTED(SRC)), /* wants nothing, but wants to be found */
    NAMED("html", HTML, 0, WANTED(LANG) | WANTED(XML_LANG)),
    NAMED("iframe", IFRAME, INLINE | RAW, WANTED(SRC)),
    NAMED("image", IMAGE, 0, WANTED(SRC) | WANTED(SRCSET)),
    NAMED("img", IMG, BREAKS_OUT, WANTED(SRC) | WANTED(SRCSET)),
    NAMED("link", LINK, 0, WANTED(HREF) | WANTED(REL) | WANTED(TYPE)),
    NAMED("math", MATH, 0, 0),
    NAMED("meta", META, BREAKS_OUT, WANTED(NAME) | WANTED(CONTENT) | WANTED(HTTP_EQUIV)),
    NAMED("mi", MI, HTML_IN_MATH, 0),
    NAMED("mn", MN, HTML_IN_MATH, 0),
    NAMED("mo", MO, HTML_IN_MATH, 0),
    NAMED("ms", MS, HTML_IN_MATH, 0),
    NAMED("mtext", MTEXT, HTML_IN_MATH, 0),
    NAMED("noembed", OTHER, INLINE | RAW, 0),
    NAMED("noframes", OTHER, INLINE | RAW, 0),
    NAMED("plaintext", PLAINTEXT, RAW | SHOWN_RAW, 0),
    NAMED("script", SCRIPT, INLINE | RAW, 0),
    NAMED("source", SOURCE, 0, WANTED(SRCSET)),
    NAMED("style", OTHER, INLINE | RAW, 0),
    NAMED("svg", SVG, INLINE, 0),
    NAMED("template", TEMPLATE, INLINE, 0),
    NAMED("textarea", TEXTAREA, RAW | SHOWN_RAW, 0),
    NAMED("title", TITLE, RAW | HTML_IN_SVG, 0),
    NAMED("xmp", OTHER, RAW | SHOWN_RAW, 0),
    NAMED("audio", FIRST_HIDDEN, INLINE | HIDDEN, 0),
    NAMED("canvas", FIRST_HIDDEN + 1, INLINE | HIDDEN, 0),
    NAMED("datalist", FIRST_HIDDEN + 2, INLINE | HIDDEN, 0),
    NAMED("noscript", FIRST_HIDDEN + 3, INLINE | HIDDEN, 0),
    NAMED("object", FIRST_HIDDEN + 4, INLINE | HIDDEN, 0),
    NAMED("video", FIRST_HIDDEN + 5, INLINE | HIDDEN, 0),
#define N(text, flags) NAMED(text, OTHER, flags, 0)
    N("abbr", INLINE), N("acronym", INLINE), N("bdi", INLINE), N("bdo", INLINE), N("cite", INLINE), N("data", INLINE),
    N("del", INLINE), N("dfn", INLINE), N("ins", INLINE), N("kbd", INLINE), N("label", INLINE), N("mark", INLINE),
    N("q", INLINE), N("rp", INLINE), N("rt", INLINE), N("samp", INLINE), N("time", INLINE), N("wbr", INLINE),
    N("b", INLINE | BREAKS_OUT), N("big", INLINE | BREAKS_OUT), N("code", INLINE | BREAKS_OUT), N("em", INLINE | BREAKS_OUT),
    N("i", INLINE | BREAKS_OUT), N("nobr", INLINE | BREAKS_OUT), N("ruby", INLINE | BREAKS_OUT), N("s", INLINE | BREAKS_OUT),
    N("small", INLINE | BREAKS_OUT), N("span", INLINE | BREAKS_OUT), N("strike", INLINE | BREAKS_OUT),
    N("strong", INLINE | BREAKS_OUT), N("sub", INLINE | BREAKS_OUT), N("sup", INLINE | BREAKS_OUT),
    N("tt", INLINE | BREAKS_OUT), N("u", INLINE | BREAKS_OUT), N("var", INLINE | BREAKS_OUT), N("blockquote", BREAKS_OUT),
    N("body", BREAKS_OUT), N("br", BREAKS_OUT | BREAKS_OUT_CLOSING), N("center", BREAKS_OUT), N("dd", BREAKS_OUT),
    N("div", BREAKS_OUT), N("dl", BREAKS_OUT), N("dt", BREAKS_OUT), N("embed", BREAKS_OUT), N("h1", BREAKS_OUT),
    N("h2", BREAKS_OUT), N("h3", BREAKS_OUT), N("h4", BREAKS_OUT), N("h5", BREAKS_OUT), N("h6", BREAKS_OUT),
    N("head", INLINE | BREAKS_OUT), N("hr", BREAKS_OUT), N("li", BREAKS_OUT), N("listing", BREAKS_OUT), N("menu", BREAKS_OUT),
    N("ol", BREAKS_OUT), N("p", BREAKS_OUT | BREAKS_OUT_CLOSING), N("pre", BREAKS_OUT), N("table", BREAKS_OUT),
    N("ul", BREAKS_OUT),
#undef N
};

enum { SLOTS = 512, LONGEST = 16 };
static const Name *slots[SLOTS];

static unsigned slot_of(const uint64_t packed[2]) {
    uint64_t mixed = (packed[0] ^ packed[1] * UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xD6E8FEB86659FD93);
    return (unsigned)(mixed >> 55); /* 9 bits: SLOTS */
}

/* Return the name of a tag that begins here, in any case (never NULL), and set `at` to what follows it. */
static const Name *read_name(const byte **at, const byte *end) {
    union { byte text[LONGEST]; uint64_t packed[2]; } lower = {{0}};
    const byte *start = *at, *stop = start;
    for (; stop < end && !ENDS_TAG_NAME(*stop); stop++)
        if (stop - start < LONGEST) lower.text[stop - start] = LOWER(*stop);
    *at = stop;
    if (stop - start >= LONGEST) return &names[0];
    for (unsigned slot = slot_of(lower.packed); slots[slot] != NULL; slot = (slot + 1) % SLOTS)
        if (slots[slot]->packed[0] == lower.packed[0] && slots[slot]->packed[1] == lower.packed[1]) return slots[slot];
    return &names[0];
}

/* Return which of the wanted attributes has that name, or -1. */
static int attribute_of(const byte *start, Py_ssize_t length, unsigned wanted) {
    if (length < 3 || length >= LONGEST) return -1;
    byte lower[LONGEST];
    for (Py_ssize_t i = 0; i < length; i++) lower[i] = LOWER(start[i]);
    for (int i = 0; i < STYLE; i++)
        if (wanted & WANTED(i) && attribute_names[i][0] == (char)lower[0] && strlen(attribute_names[i]) == (size_t)length
            && memcmp(attribute_names[i], lower, (size_t)length) == 0)
            return i;
    if (wanted & WANTED(STYLE) && ((length == 5 && memcmp(lower, "color", 5) == 0)
                                   || (length == 4 && (memcmp(lower, "face", 4) == 0 || memcmp(lower, "size", 4) == 0))))
        return STYLE;
    return -1;
}

static void fill_names(void) {
    if (byte_class[' ']) return; /* a second interpreter */
    for (int c = 0; c < 256; c++) lower_case[c] = (byte)c;
    for (int c = 'a'; c <= 'z'; c++) {
        byte_class[c] = byte_class[c - 32] = C_ALPHA;
        lower_case[c - 32] = (byte)c;
    }
    for (int c = '0'; c <= '9'; c++) byte_class[c] = C_DIGIT;
    for (const char *space = "\t\n\f\r "; *space; space++) byte_class[(byte)*space] = C_SPACE | C_NAME_END | C_TAG_NAME_END;
    byte_class['/'] = byte_class['>'] = C_NAME_END | C_TAG_NAME_END;
    byte_class['='] = C_NAME_END;
    for (int c = '!'; c < 0xc2; c++) byte_class[c] |= C_WORD; /* of a text; from 0xc2 on there may be white space */
    byte_class[' '] |= C_ONE_SPACE;
    for (size_t i = 1; i < sizeof names / sizeof names[0]; i++) {
        names[i].length = (int)strlen(names[i].text);
        memcpy(names[i].packed, names[i].text, (size_t)names[i].length); /* none is longer than LONGEST - 1 */
        unsigned slot = slot_of(names[i].packed);
        while (slots[slot] != NULL) slot = (slot + 1) % SLOTS;
        slots[slot] = &names[i];
    }
}
