/* XXH3, 64 bits, seed 0, of up to 240 bytes; longer ones and big-endian machines are left to the library.
 *
 * Why: a call of the library from here makes a bytes object and a number; a new URL takes two, its key's and its
 * host's. After the specification at https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md; a test compares with the
 * library.
 */
#ifndef GOSSAMER_XXH3_H
#define GOSSAMER_XXH3_H
#include <stdint.h>
#include <string.h>

enum { XXH3_MOST = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 240 : -1 }; /* bytes */

static const uint64_t xxh3_secret[24] = {
    0xbe4ba423396cfeb8u, 0x1cad21f72c81017cu, 0xdb979083e96dd4deu, 0x1f67b3b7a4a44072u, 0x78e5c0cc4ee679cbu,
    0x2172ffcc7dd05a82u, 0x8e2443f7744608b8u, 0x4c263a81e69035e0u, 0xcb00c391bb52283cu, 0xa32e531b8b65d088u,
    0x4ef90da297486471u, 0xd8acdea946ef1938u, 0x3f349ce33f76faa8u, 0x1d4f0bc7c7bbdcf9u, 0x3159b4cd4be0518au,
    0x647378d9c97e9fc8u, 0xc3ebd33483acc5eau, 0xeb6313faffa081c5u, 0x49daf0b751dd0d17u, 0x9e68d429265516d3u,
    0xfca1477d58be162bu, 0xce31d07ad1b8f88fu, 0x280416958f3acb45u, 0x7e404bbbcafbd7afu,
};

static inline uint64_t read64(const unsigned char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint64_t read32(const unsigned char *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint64_t folded(uint64_t one, uint64_t other) {
    unsigned __int128 product = (unsigned __int128)one * other;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t mixed(const unsigned char *bytes, const unsigned char *secret) {
    return folded(read64(bytes) ^ read64(secret), read64(bytes + 8) ^ read64(secret + 8));
}

static inline uint64_t avalanche(uint64_t hash) {
    hash = (hash ^ hash >> 37) * 0x165667919E3779F9u;
    return hash ^ hash >> 32;
}

static inline uint64_t avalanche_64(uint64_t hash) {
    hash = (hash ^ hash >> 33) * 0xC2B2AE3D27D4EB4Fu;
    hash = (hash ^ hash >> 29) * 0x165667B19E3779F9u;
    return hash ^ hash >> 32;
}

static inline uint64_t xxh3_short(const unsigned char *bytes, size_t size) {
    const uint64_t *secret = xxh3_secret;
    if (size > 8) {
        uint64_t low = read64(bytes) ^ secret[3] ^ secret[4], high = read64(bytes + size - 8) ^ secret[5] ^ secret[6];
        return avalanche(size + __builtin_bswap64(low) + high + folded(low, high));
    }
    if (size >= 4) {
        uint64_t hash = (read32(bytes + size - 4) + (read32(bytes) << 32)) ^ secret[1] ^ secret[2];
        hash ^= (hash << 49 | hash >> 15) ^ (hash << 24 | hash >> 40);
        hash *= 0x9FB21C651E98DF25u;
        hash ^= (hash >> 35) + size;
        hash *= 0x9FB21C651E98DF25u;
        return hash ^ hash >> 28;
    }
    if (size == 0) return avalanche_64(secret[7] ^ secret[8]);
    uint64_t joined = (uint64_t)bytes[0] << 16 | (uint64_t)bytes[size >> 1] << 24 | bytes[size - 1] | size << 8;
    return avalanche_64(joined ^ ((uint32_t)secret[0] ^ secret[0] >> 32));
}

static inline uint64_t xxh3(const unsigned char *bytes, size_t size) {
    if (size <= 16) return xxh3_short(bytes, size);
    const unsigned char *secret = (const unsigned char *)xxh3_secret;
    uint64_t hash = size * 0x9E3779B185EBCA87u;
    if (size <= 128) {
        for (int pair = (int)((size - 1) / 32); pair >= 0; pair--) {
            hash += mixed(bytes + 16 * pair, secret + 32 * pair);
            hash += mixed(bytes + size - 16 * (pair + 1), secret + 32 * pair + 16);
        }
        return avalanche(hash);
    }
    for (int i = 0; i < 8; i++) hash += mixed(bytes + 16 * i, secret + 16 * i);
    hash = avalanche(hash);
    for (int i = 8; i < (int)(size / 16); i++) hash += mixed(bytes + 16 * i, secret + 16 * (i - 8) + 3);
    return avalanche(hash + mixed(bytes + size - 16, secret + 136 - 17));
}

#endif
