/* Deflate (RFC 1951) for small texts, as a module; `member.py` uses it.
 *
 * Why in C: a page has two heads of half a kilobyte that are compressed each for itself, because every record is a gzip member.
 * A library that compresses well spends most of its time on such a text before and after it: on tables to clear and on a code to
 * make for the letters it found. Here the code is made already, for heads of WARC and HTTP and for simple HTML, and is the same
 * in every block: 1.2 us instead of 7.4 for a request, and its records are 5 % longer.
 *
 * The lengths of the code were found once, from the frequencies of letters and matches in some thousand made-up records; classes
 * of letters (digits, capitals, what is rare) share one, which makes the description of the code at the start of each block
 * shorter than what it loses: 55 bytes. Any other text can be written in it, too, and becomes longer.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum {
    MOST = 8192,    /* bytes of a text: so far back the distances of this code reach */
    HASH_BITS = 11, /* places where four letters were seen; to clear them takes as long as twenty letters */
    SHORTEST = 4,   /* letters of a match: three cost as much as they save */
    LONGEST = 258,
    END = 256,
    LITERALS = 286,
    DISTANCES = 26,
};

/* Bits of every literal, END and length (257 on); of every distance; of the lengths themselves, in the order of RFC 1951. */
static const char literal_lengths[] =
    "dddddddddd6dd6dddddddddddddddddd5d8dddddbbbb8566666666666658877bb88888888888888888888888888ddddd"
    "d575547755a777557a55577777addddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
    "ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddad777777bbbbbbbbbbbbbbbbbbbbbb";
static const char distance_lengths[] = "77777766444444444433777777";
static const char length_lengths[] = "0006635340550400100";
static const unsigned char order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

typedef struct {
    uint16_t bits; /* lowest first, as deflate writes them */
    uint8_t count;
} Code;

static Code literals[LITERALS], distances[DISTANCES], lengths[sizeof order];

typedef struct {
    unsigned char *out;
    uint64_t held;
    int count;
} Writer;

/* Add bits; who adds writes them out before there are more than 64. */
static inline void put(Writer *writer, uint32_t bits, int count) {
    writer->held |= (uint64_t)bits << writer->count;
    writer->count += count;
}

static inline void put_code(Writer *writer, Code code) { put(writer, code.bits, code.count); }

/* Write the whole bytes out, of eight at once those that are there: to ask first how many there are is guessed wrong so often
 * that it takes longer. Up to seven bits stay. */
static inline void put_out(Writer *writer) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(writer->out, &writer->held, 8);
#else
    for (int i = 0; i < 8; i++) writer->out[i] = (unsigned char)(writer->held >> 8 * i);
#endif
    writer->out += writer->count >> 3;
    writer->held >>= writer->count & ~7;
    writer->count &= 7;
}

static void align(Writer *writer) {
    put_out(writer);
    if (writer->count > 0) *writer->out++ = (unsigned char)writer->held;
    writer->count = 0;
    writer->held = 0;
}

static int length_of(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

/* Number the codes of given lengths as section 3.2.2 says. */
static void make_codes(Code *codes, const char *of, int symbols) {
    unsigned next = 0;
    for (int count = 1; count <= 15; count++, next <<= 1) {
        for (int symbol = 0; symbol < symbols; symbol++) {
            if (length_of(of[symbol]) != count) continue;
            unsigned reversed = 0;
            for (int bit = 0; bit < count; bit++) reversed |= (next >> bit & 1) << (count - 1 - bit);
            codes[symbol] = (Code){(uint16_t)reversed, (uint8_t)count};
            next++;
        }
    }
}

/* Describe the code, section 3.2.7. */
static void put_description(Writer *writer) {
    char all[LITERALS + DISTANCES];
    memcpy(all, literal_lengths, LITERALS);
    memcpy(all + LITERALS, distance_lengths, DISTANCES);
    put(writer, LITERALS - 257, 5);
    put(writer, DISTANCES - 1, 5);
    put(writer, sizeof order - 4, 4);
    for (size_t i = 0; i < sizeof order; i++) {
        put(writer, (uint32_t)length_of(length_lengths[order[i]]), 3);
        put_out(writer);
    }
    for (int at = 0; at < LITERALS + DISTANCES;) {
        char what = all[at];
        int run = 1;
        while (at + run < LITERALS + DISTANCES && all[at + run] == what) run++;
        put_code(writer, lengths[length_of(what)]);
        put_out(writer);
        at++;
        for (run--; run >= 3;) {
            int some = run < 6 ? run : 6;
            put_code(writer, lengths[16]);
            put(writer, (uint32_t)some - 3, 2);
            put_out(writer);
            run -= some;
            at += some;
        }
    }
}

/* The bits of the description and how many of them: the same for every block, so that they are made once. */
static unsigned char description[256];
static int description_bits;

static void describe(void) {
    Writer writer = {description, 0, 0};
    put_description(&writer);
    description_bits = (int)(writer.out - description) * 8 + writer.count;
    align(&writer);
}

static inline int highest(unsigned number) { return 31 - __builtin_clz(number); }

static inline void put_match(Writer *writer, unsigned length, unsigned distance) {
    unsigned more = length - 3;
    if (length == LONGEST) {
        put_code(writer, literals[285]);
    } else if (more < 8) {
        put_code(writer, literals[257 + more]);
    } else {
        int extra = highest(more) - 2;
        put_code(writer, literals[257 + (extra + 1) * 4 + (more >> extra & 3)]);
        put(writer, more & ((1u << extra) - 1), extra);
    }
    unsigned back = distance - 1;
    if (back < 4) {
        put_code(writer, distances[back]);
    } else {
        int extra = highest(back) - 1;
        put_code(writer, distances[2 * (extra + 1) + (back >> extra & 1)]);
        put(writer, back & ((1u << extra) - 1), extra);
    }
}

/* Count the letters that are the same here and before, of which four are; not beyond `end`. */
static inline unsigned same(const unsigned char *before, const unsigned char *at, const unsigned char *end) {
    const unsigned char *from = at;
    at += SHORTEST;
    before += SHORTEST;
    for (uint64_t one, other; at + 8 <= end; at += 8, before += 8) {
        memcpy(&one, at, 8);
        memcpy(&other, before, 8);
        if (one != other) break;
    }
    while (at < end && *at == *before) at++, before++;
    return (unsigned)(at - from);
}

static void put_text(Writer *to, const unsigned char *text, unsigned size) {
    Writer writer = *to; /* of our own: it stays in registers, where no letter that is written can change it */
    uint16_t seen[1 << HASH_BITS] = {0}; /* where four letters were last; at first all seem to be where the text begins */
    unsigned at = 0;
    while (at + SHORTEST <= size) {
        uint32_t four, others;
        memcpy(&four, text + at, 4);
        uint16_t *place = &seen[four * 2654435761u >> (32 - HASH_BITS)];
        unsigned before = *place;
        *place = (uint16_t)at;
        memcpy(&others, text + before, 4);
        if (four == others && before != at) { /* one question, nearly always answered alike, also where nothing was seen */
            unsigned length = same(text + before, text + at, text + (size - at < LONGEST ? size : at + LONGEST));
            put_match(&writer, length, at - before);
            at += length;
        } else {
            put_code(&writer, literals[text[at++]]);
        }
        put_out(&writer);
    }
    for (; at < size; put_out(&writer)) put_code(&writer, literals[text[at++]]);
    put_code(&writer, literals[END]);
    *to = writer;
}

/* Write a text of at most MOST letters as one block; unless it is the last an empty stored one follows, so that the next begins
 * with a byte. Returns the end of what was written, which has ROOM(size). */
#define ROOM(size) (sizeof description + (size) * 13 / 8 + 64) /* no code is longer than 13 bits */

static unsigned char *deflate_block(unsigned char *out, const unsigned char *text, unsigned size, int is_last) {
    Writer writer = {out, 0, 0};
    put(&writer, is_last ? 5 : 4, 3); /* a block with a code of its own */
    for (int bit = 0; bit < description_bits; bit += 8, put_out(&writer))
        put(&writer, description[bit / 8], description_bits - bit < 8 ? description_bits - bit : 8);
    put_text(&writer, text, size);
    if (!is_last) put(&writer, 0, 3);
    align(&writer);
    if (!is_last) {
        memcpy(writer.out, "\0\0\xff\xff", 4);
        writer.out += 4;
    }
    return writer.out;
}

static void make_code(void) {
    make_codes(literals, literal_lengths, LITERALS);
    make_codes(distances, distance_lengths, DISTANCES);
    make_codes(lengths, length_lengths, sizeof order);
    describe();
}

/* deflate(text, is_last): one block. */
static PyObject *deflate(PyObject *self, PyObject *args) {
    const char *text;
    Py_ssize_t size;
    int is_last;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#p", &text, &size, &is_last)) return NULL;
    if (size > MOST) {
        PyErr_Format(PyExc_ValueError, "the text is longer than %d bytes", (int)MOST);
        return NULL;
    }
    unsigned char out[ROOM(MOST)];
    unsigned char *end = deflate_block(out, (const unsigned char *)text, (unsigned)size, is_last);
    return PyBytes_FromStringAndSize((const char *)out, end - out);
}

static PyMethodDef functions[] = {{"deflate", deflate, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_deflate", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__deflate(void) {
    make_code();
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyModule_AddIntConstant(made, "MOST", MOST) < 0) Py_CLEAR(made);
    return made;
}
