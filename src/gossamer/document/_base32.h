/* Base32 of a SHA-1 the way WARC headers spell it; part of `_base32.c` and of the archive's `_pair.c`.
 *
 * Standard: RFC 4648 section 6; 20 bytes are 32 letters, without padding.
 */
#include <string.h>

enum { SHA1_BYTES = 20, SHA1_TEXT = 5 + 32 };

static void spell_sha1(char *text, const unsigned char *bytes) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    memcpy(text, "sha1:", 5);
    text += 5;
    for (int group = 0; group < SHA1_BYTES / 5; group++) { /* five bytes are eight letters */
        unsigned long long bits = 0;
        for (int i = 0; i < 5; i++) bits = bits << 8 | bytes[5 * group + i];
        for (int i = 0; i < 8; i++) *text++ = letters[bits >> (35 - 5 * i) & 31];
    }
}
