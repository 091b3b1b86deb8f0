/* SimHash and sketch of a text: what `simhash.py` promises, in one pass over its UTF-8.
 *
 * Why in C: a page of 1,700 words takes the long integers of `vectors.py` ten times as long.
 *
 * Invariants: `at` and `end` bound every read; the set of shingles is never more than half full; `vectors.py` gives the same
 * numbers, and `scripts.py` has the same ranges.
 */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include "../_seed.h"

typedef unsigned char byte;

enum { APART, LETTER, ALONE };
enum { LONGEST = 64, SHINGLE = 3, SKETCH = 16, PLANES = 40, WAITING = 8, LEAST_SLOTS = 64, FIRST_PLANE = 0x10000 };

#define BASE UINT64_C(0x9E3779B97F4A7C15)
#define WORD UINT64_C(0xBF58476D1CE4E5B9)
#define FIRST UINT64_C(0xD6E8FEB86659FD93)
#define SECOND UINT64_C(0xA0761D6478BD642F)
#define MIX UINT64_C(0xFF51AFD7ED558CCD)
#define REMIX UINT64_C(0xC4CEB9FE1A85EC53)

/* --- characters ------------------------------------------------------------------------------------------------------ */

static const struct { uint32_t first, last; byte kind; } ranges[] = {
    {0x80, 0xA9, APART}, {0xAB, 0xB4, APART}, {0xB6, 0xB9, APART}, {0xBB, 0xBF, APART}, {0xD7, 0xD7, APART},
    {0xF7, 0xF7, APART}, {0x37E, 0x37E, APART}, {0x387, 0x387, APART}, {0x55A, 0x55F, APART}, {0x589, 0x58A, APART},
    {0x5BE, 0x5BE, APART}, {0x5C0, 0x5C0, APART}, {0x5C3, 0x5C3, APART}, {0x5F3, 0x5F4, APART}, {0x600, 0x60F, APART},
    {0x61B, 0x61F, APART}, {0x66A, 0x66D, APART}, {0x6D4, 0x6D4, APART}, {0x964, 0x965, APART}, {0xE01, 0xE4E, ALONE},
    {0xE4F, 0xE4F, APART}, {0xE50, 0xE59, ALONE}, {0xE5A, 0xE5B, APART}, {0xE80, 0xEFF, ALONE}, {0xF01, 0xF17, APART},
    {0xF3A, 0xF3D, APART}, {0x1000, 0x1049, ALONE}, {0x104A, 0x104F, APART}, {0x1050, 0x109F, ALONE}, {0x1360, 0x1368, APART},
    {0x1680, 0x1680, APART}, {0x1780, 0x17D3, ALONE}, {0x17D4, 0x17DB, APART}, {0x17DC, 0x17FF, ALONE},
    {0x1800, 0x180E, APART}, {0x2000, 0x2BFF, APART}, {0x2E00, 0x3004, APART}, {0x3005, 0x3007, ALONE},
    {0x3008, 0x3040, APART}, {0x3041, 0x309F, ALONE}, {0x30A0, 0x30A0, APART}, {0x30A1, 0x30FA, ALONE},
    {0x30FB, 0x30FB, APART}, {0x30FC, 0x30FF, ALONE}, {0x31F0, 0x31FF, ALONE}, {0x3200, 0x33FF, APART},
    {0x3400, 0x4DBF, ALONE}, {0x4DC0, 0x4DFF, APART}, {0x4E00, 0x9FFF, ALONE}, {0xD800, 0xF8FF, APART},
    {0xF900, 0xFAFF, ALONE}, {0xFE00, 0xFE6F, APART}, {0xFEFF, 0xFF0F, APART}, {0xFF1A, 0xFF20, APART},
    {0xFF3B, 0xFF40, APART}, {0xFF5B, 0xFF65, APART}, {0xFF66, 0xFF9F, ALONE}, {0xFFE0, 0xFFFF, APART},
    {0x1B000, 0x1B16F, ALONE}, {0x1D000, 0x1D3FF, APART}, {0x1F000, 0x1FBFF, APART}, {0x20000, 0x3FFFF, ALONE},
    {0xE0000, 0x10FFFF, APART},
};
enum { RANGES = sizeof ranges / sizeof ranges[0] };

static byte kinds[FIRST_PLANE]; /* a table is five times as fast as a search, and most characters are here */

static void fill_kinds(void) {
    if (kinds['a']) return; /* a second interpreter */
    for (int c = '0'; c <= '9'; c++) kinds[c] = LETTER;
    for (int c = 'a'; c <= 'z'; c++) kinds[c] = kinds[c - 32] = LETTER;
    memset(kinds + 0x80, LETTER, sizeof kinds - 0x80);
    for (int i = 0; i < RANGES && ranges[i].first < FIRST_PLANE; i++)
        memset(kinds + ranges[i].first, ranges[i].kind, ranges[i].last - ranges[i].first + 1);
}

static int kind_beyond(uint32_t code) {
    for (int i = RANGES - 1; i >= 0 && ranges[i].last >= FIRST_PLANE; i--)
        if (ranges[i].first <= code && code <= ranges[i].last) return ranges[i].kind;
    return LETTER;
}

/* Read a character that is not ASCII; Python's UTF-8 is always whole. */
static uint32_t wide_at(const byte **at) {
    const byte *from = *at;
    if (from[0] < 0xe0) { *at += 2; return (from[0] & 0x1fu) << 6 | (from[1] & 0x3fu); }
    if (from[0] < 0xf0) { *at += 3; return (from[0] & 0x0fu) << 12 | (from[1] & 0x3fu) << 6 | (from[2] & 0x3fu); }
    *at += 4;
    return (from[0] & 0x07u) << 18 | (from[1] & 0x3fu) << 12 | (from[2] & 0x3fu) << 6 | (from[3] & 0x3fu);
}

/* --- shingles -------------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t before[SHINGLE - 1];  /* the two words before the next one */
    Py_ssize_t words;
    uint64_t *slots;               /* the set of distinct hashes; 0 is an empty slot, */
    size_t room, used;
    int has_zero;                  /* so that hash is kept here */
    uint64_t planes[PLANES];       /* plane k holds bit k of the count of each bit of a hash: 64 counters at once */
    uint64_t waiting[WAITING];     /* hashes that are not counted yet */
    uint32_t sketch[SKETCH];
    int sketched;
} Tally;

static void keep_smallest(Tally *tally, uint32_t value) {
    int place = tally->sketched;
    if (place == SKETCH && value >= tally->sketch[SKETCH - 1]) return;
    while (place > 0 && tally->sketch[place - 1] >= value) place--;
    if (place < tally->sketched && tally->sketch[place] == value) return;
    int moved = tally->sketched - place - (tally->sketched == SKETCH);
    memmove(tally->sketch + place + 1, tally->sketch + place, (size_t)moved * sizeof value);
    tally->sketch[place] = value;
    tally->sketched += tally->sketched < SKETCH;
}

static void ripple(uint64_t *planes, uint64_t carry) {
    for (; carry; planes++) {
        uint64_t both = *planes & carry;
        *planes ^= carry;
        carry = both;
    }
}

/* Add two numbers to a plane; return what goes to the next. */
static uint64_t add_two(uint64_t *plane, uint64_t one, uint64_t two) {
    uint64_t odd = *plane ^ one, carry = (*plane & one) | (odd & two);
    *plane = odd ^ two;
    return carry;
}

/* Eight at a time, because where a carry ends cannot be foreseen: a third of the whole pass went into guessing it. */
static void count(Tally *tally, uint64_t hash) {
    uint64_t *waiting = tally->waiting, *planes = tally->planes, fours[2];
    waiting[tally->used++ % WAITING] = hash;
    if (tally->used % WAITING) return;
    for (int half = 0; half < 2; half++, waiting += 4) {
        uint64_t twos = add_two(planes, waiting[0], waiting[1]);
        fours[half] = add_two(planes + 1, twos, add_two(planes, waiting[2], waiting[3]));
    }
    ripple(planes + 3, add_two(planes + 2, fours[0], fours[1]));
}

static Seed seed;

static size_t slot_of(const uint64_t *slots, size_t room, uint64_t hash) {
    size_t slot = (size_t)seeded(&seed, hash) & (room - 1);
    while (slots[slot] && slots[slot] != hash) slot = (slot + 1) & (room - 1);
    return slot;
}

static int grow(Tally *tally) {
    size_t room = tally->room * 2;
    uint64_t *slots = PyMem_Calloc(room, sizeof *slots);
    if (slots == NULL) { PyErr_NoMemory(); return -1; }
    for (size_t i = 0; i < tally->room; i++)
        if (tally->slots[i]) slots[slot_of(slots, room, tally->slots[i])] = tally->slots[i];
    PyMem_Free(tally->slots);
    tally->slots = slots;
    tally->room = room;
    return 0;
}

static int add_shingle(Tally *tally, uint64_t first, uint64_t second, uint64_t third) {
    uint64_t hash = first * FIRST + second * SECOND + third;
    hash = (hash ^ hash >> 32) * MIX;
    hash = (hash ^ hash >> 29) * REMIX;
    hash ^= hash >> 32;
    if (hash == 0) {
        if (tally->has_zero) return 0;
        tally->has_zero = 1;
    } else {
        size_t slot = slot_of(tally->slots, tally->room, hash);
        if (tally->slots[slot]) return 0;
        tally->slots[slot] = hash;
    }
    count(tally, hash);
    keep_smallest(tally, (uint32_t)(hash >> 32));
    return tally->used * 2 > tally->room ? grow(tally) : 0;
}

static int add_word(Tally *tally, uint64_t word) {
    word = (word ^ word >> 32) * WORD;
    int failed = ++tally->words >= SHINGLE ? add_shingle(tally, tally->before[0], tally->before[1], word) : 0;
    tally->before[0] = tally->before[1];
    tally->before[1] = word;
    return failed;
}

/* --- the text -------------------------------------------------------------------------------------------------------- */

/* A word's hash is a polynomial of its characters. Eight at a time, those behind its end taken as zero, it comes out too high by
 * a power of BASE, which its inverse takes off again: eight products at once instead of one after the other, and no loop over
 * characters whose end cannot be foreseen. A page of 1,700 words takes 50 us instead of 61. */
enum { AT_ONCE = 8 };
static uint64_t powers[AT_ONCE + 1], inverses[AT_ONCE + 1];

static void fill_powers(void) {
    uint64_t inverse = BASE; /* each step doubles the bits that are right: of an odd number three are */
    for (int i = 0; i < 5; i++) inverse *= 2 - BASE * inverse;
    powers[0] = inverses[0] = 1;
    for (int i = 0; i < AT_ONCE; i++) {
        powers[i + 1] = powers[i] * BASE;
        inverses[i + 1] = inverses[i] * inverse;
    }
}

#define EACH(number) (UINT64_C(0x0101010101010101) * (number))

/* Return the highest bit of each of eight bytes that is from first to last; none of them has that bit itself. */
static uint64_t among(uint64_t bytes, byte first, byte last) {
    return (bytes + EACH(0x80 - first)) & ~(bytes + EACH(0x7f - last)) & EACH(0x80);
}

/* Written out, because only then the compiler makes one load of eight, and it does not unroll such a loop: a fifth of the pass. */
#define BYTE(place) ((uint64_t)at[place] << 8 * (place))
#define PART(place) ((bytes >> 8 * (place) & 0xff) * powers[AT_ONCE - 1 - (place)])

/* Add the ASCII letters and digits among the next eight bytes, up to the first that is none, to a word; return how many. */
static int add_letters(const byte *at, uint64_t *word) {
    uint64_t bytes = BYTE(0) | BYTE(1) | BYTE(2) | BYTE(3) | BYTE(4) | BYTE(5) | BYTE(6) | BYTE(7);
    uint64_t low = bytes & EACH(0x7f);
    uint64_t latin = among(low | EACH(0x20), 'a', 'z'), letters = (latin | among(low, '0', '9')) & ~bytes;
    bytes |= latin >> 2 & EACH(0x20); /* small letters: a copy of the text in them would take a twelfth of all of this */
    uint64_t others = ~letters & EACH(0x80);
    int count = others ? __builtin_ctzll(others) / 8 : AT_ONCE;
    if (count < AT_ONCE) bytes &= (UINT64_C(1) << 8 * count) - 1;
    uint64_t sum = PART(0) + PART(1) + PART(2) + PART(3) + PART(4) + PART(5) + PART(6) + PART(7);
    *word = *word * powers[count] + sum * inverses[AT_ONCE - count];
    return count;
}

static int read_words(Tally *tally, const byte *at, const byte *end) {
    uint64_t word = 0;
    Py_ssize_t length = 0;
    while (at < end) {
        if (end - at > AT_ONCE && *at < 0x80 && length <= LONGEST - AT_ONCE) {
            int count = add_letters(at, &word);
            at += count;
            length += count;
            if (count == AT_ONCE) continue;
            if (*at < 0x80) {
                if (length && add_word(tally, word) < 0) return -1;
                word = 0;
                length = 0;
                at++;
                continue;
            }
        }
        uint32_t code = *at < 0x80 ? *at++ : wide_at(&at);
        int kind = code < FIRST_PLANE ? kinds[code] : kind_beyond(code);
        if (kind == LETTER) {
            if (code >= 'A' && code <= 'Z') code |= 32;
            if (length++ < LONGEST) word = word * BASE + code;
            continue;
        }
        if (length && add_word(tally, word) < 0) return -1;
        if (kind == ALONE && add_word(tally, code) < 0) return -1;
        word = 0;
        length = 0;
    }
    if (length && add_word(tally, word) < 0) return -1;
    if (tally->words == 0 || tally->words >= SHINGLE) return 0;
    /* Too few words for a shingle make one with nothing behind them. */
    return tally->words == 1 ? add_shingle(tally, tally->before[1], 0, 0)
                             : add_shingle(tally, tally->before[0], tally->before[1], 0);
}

/* Return the bits that more than half of the distinct shingles have: all 64 counters are compared with that half at once, plane
 * by plane from the highest (one after the other they took 2.5 us, a third of the pass over a short page). */
static uint64_t majority(Tally *tally) {
    for (size_t i = 0; i < tally->used % WAITING; i++) ripple(tally->planes, tally->waiting[i]);
    uint64_t more = 0, equal = ~UINT64_C(0), half = tally->used / 2;
    for (int plane = PLANES - 1; plane >= 0; plane--) {
        uint64_t bit = half >> plane & 1 ? ~UINT64_C(0) : 0;
        more |= equal & tally->planes[plane] & ~bit;
        equal &= ~(tally->planes[plane] ^ bit);
    }
    return more;
}

static PyObject *told(Tally *tally) {
    PyObject *sketch = PyTuple_New(tally->sketched);
    for (int i = 0; sketch != NULL && i < tally->sketched; i++) {
        PyObject *value = PyLong_FromUnsignedLong(tally->sketch[i]);
        if (value == NULL || PyTuple_SetItem(sketch, i, value) < 0) Py_CLEAR(sketch);
    }
    return sketch == NULL ? NULL : Py_BuildValue("KnN", (unsigned long long)majority(tally), tally->words, sketch);
}

/* Tell whether a text has letters whose case only Python can fold. The signs of Ohm, Kelvin and Angstrom are no letters here,
 * but folded they are. */
static int has_wide_letters(const byte *at, const byte *end) {
    while (at < end) {
        if (end - at >= AT_ONCE) {
            uint64_t bytes;
            memcpy(&bytes, at, sizeof bytes);
            if (!(bytes & EACH(0x80))) { at += AT_ONCE; continue; }
        }
        if (*at < 0x80) { at++; continue; }
        uint32_t code = wide_at(&at);
        int kind = code < FIRST_PLANE ? kinds[code] : kind_beyond(code);
        if (kind == LETTER || code == 0x2126 || code == 0x212A || code == 0x212B) return 1;
    }
    return 0;
}

static PyObject *reckon_folded(const char *content, Py_ssize_t length) {
    Tally tally = {0};
    tally.room = LEAST_SLOTS;
    while (tally.room < (size_t)length / 4) tally.room *= 2; /* most texts need no more: a word and its space take six bytes */
    tally.slots = PyMem_Calloc(tally.room, sizeof *tally.slots);
    if (tally.slots == NULL) return PyErr_NoMemory();
    PyObject *result = read_words(&tally, (const byte *)content, (const byte *)content + length) < 0 ? NULL : told(&tally);
    PyMem_Free(tally.slots);
    return result;
}

static PyObject *reckon(PyObject *module, PyObject *text) {
    (void)module;
    Py_ssize_t length;
    const char *content = PyUnicode_AsUTF8AndSize(text, &length);
    if (content == NULL) return NULL;
    if (!has_wide_letters((const byte *)content, (const byte *)content + length)) return reckon_folded(content, length);
    PyObject *folded = PyObject_CallMethod(text, "casefold", NULL); /* six times the price of the whole pass */
    content = folded ? PyUnicode_AsUTF8AndSize(folded, &length) : NULL;
    PyObject *result = content ? reckon_folded(content, length) : NULL;
    Py_XDECREF(folded);
    return result;
}

static PyMethodDef methods[] = {{"reckon", reckon, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_simhash", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__simhash(void) {
    fill_kinds();
    fill_powers();
    return draw_seed(&seed) < 0 ? NULL : PyModule_Create(&module);
}
