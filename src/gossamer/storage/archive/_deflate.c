/* Deflate (RFC 1951) for small texts; part of `member.py`.
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

static inline void put(Writer *writer, uint32_t bits, int count) {
    writer->held |= (uint64_t)bits << writer->count;
    writer->count += count;
    if (writer->count >= 32) {
        for (int i = 0; i < 4; i++) *writer->out++ = (unsigned char)(writer->held >> 8 * i);
        writer->held >>= 32;
        writer->count -= 32;
    }
}

static inline void put_code(Writer *writer, Code code) { put(writer, code.bits, code.count); }

static void align(Writer *writer) {
    for (; writer->count > 0; writer->count -= 8, writer->held >>= 8) *writer->out++ = (unsigned char)writer->held;
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
    for (size_t i = 0; i < sizeof order; i++) put(writer, (uint32_t)length_of(length_lengths[order[i]]), 3);
    for (int at = 0; at < LITERALS + DISTANCES;) {
        char what = all[at];
        int run = 1;
        while (at + run < LITERALS + DISTANCES && all[at + run] == what) run++;
        put_code(writer, lengths[length_of(what)]);
        at++;
        for (run--; run >= 3;) {
            int some = run < 6 ? run : 6;
            put_code(writer, lengths[16]);
            put(writer, (uint32_t)some - 3, 2);
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

static int highest(unsigned number) {
    int bit = 0;
    while (number >>= 1) bit++;
    return bit;
}

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

static void put_text(Writer *writer, const unsigned char *text, unsigned size) {
    uint16_t seen[1 << HASH_BITS] = {0}; /* where, and one more; 0: nowhere */
    for (unsigned at = 0; at < size;) {
        unsigned length = 0, before = 0;
        if (at + SHORTEST <= size) {
            uint32_t four, others;
            memcpy(&four, text + at, 4);
            uint16_t *place = &seen[four * 2654435761u >> (32 - HASH_BITS)];
            before = *place;
            *place = (uint16_t)(at + 1);
            if (before) {
                memcpy(&others, text + before - 1, 4);
                if (four == others) {
                    unsigned most = size - at < LONGEST ? size - at : LONGEST;
                    for (length = 4; length < most && text[before - 1 + length] == text[at + length];) length++;
                }
            }
        }
        if (length) {
            put_match(writer, length, at + 1 - before);
            at += length;
        } else {
            put_code(writer, literals[text[at++]]);
        }
    }
    put_code(writer, literals[END]);
}

/* deflate(text, is_last): one block; unless it is the last an empty stored one follows, so that the next begins with a byte. */
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
    unsigned char out[sizeof description + MOST * 13 / 8 + 64]; /* no code is longer than 13 bits */
    Writer writer = {out, 0, 0};
    put(&writer, is_last ? 5 : 4, 3); /* a block with a code of its own */
    for (int bit = 0; bit < description_bits; bit += 8)
        put(&writer, description[bit / 8], description_bits - bit < 8 ? description_bits - bit : 8);
    put_text(&writer, (const unsigned char *)text, (unsigned)size);
    if (!is_last) put(&writer, 0, 3);
    align(&writer);
    if (!is_last) {
        memcpy(writer.out, "\0\0\xff\xff", 4);
        writer.out += 4;
    }
    return PyBytes_FromStringAndSize((const char *)out, writer.out - out);
}

static PyMethodDef functions[] = {{"deflate", deflate, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_deflate", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__deflate(void) {
    make_codes(literals, literal_lengths, LITERALS);
    make_codes(distances, distance_lengths, DISTANCES);
    make_codes(lengths, length_lengths, sizeof order);
    describe();
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyModule_AddIntConstant(made, "MOST", MOST) < 0) Py_CLEAR(made);
    return made;
}
