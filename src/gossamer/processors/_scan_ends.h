/* Where raw text, scripts and comments end; part of `_scan.c`. Each byte is looked at once, however the page is made. */

/* Tell whether `</name` and what ends a name stand here. */
static int is_end_tag(const byte *at, const byte *end, const Name *name) {
    if (end - at < name->length + 3 || at[0] != '<' || at[1] != '/') return 0;
    for (int i = 0; i < name->length; i++)
        if (LOWER(at[2 + i]) != (byte)name->text[i]) return 0;
    return ENDS_TAG_NAME(at[2 + name->length]) != 0;
}

/* Return the end tag of an element whose content is no markup, or the end of the page. */
static const byte *raw_end(const byte *at, const byte *end, const Name *name) {
    while (at < end && (at = memchr(at, '<', (size_t)(end - at))) != NULL) {
        if (is_end_tag(at, end, name)) return at;
        at++;
    }
    return end;
}

/* The same for a script, where `<!-- <script> </script> -->` does not end it (13.2.5.15 to 13.2.5.31). */
static const byte *script_end(const byte *at, const byte *end, const Name *name) {
    enum { PLAIN, ESCAPED, DOUBLY } state = PLAIN;
    for (; at < end; at++) {
        if (state != PLAIN && *at == '-' && end - at >= 3 && at[1] == '-' && at[2] == '>') state = PLAIN;
        if (*at != '<') continue;
        if (is_end_tag(at, end, name)) {
            if (state != DOUBLY) return at;
            state = ESCAPED;
        } else if (state == PLAIN) {
            if (end - at >= 4 && memcmp(at, "<!--", 4) == 0) { state = ESCAPED; at++; } /* its dashes may be those of `-->` */
        } else if (state == ESCAPED && end - at >= 8 && ENDS_TAG_NAME(at[7])) {
            const byte *after = at + 1;
            if (read_name(&after, at + 7) == name) state = DOUBLY;
        }
    }
    return end;
}

/* Return what follows a comment, whose content begins here: `<!-->`, `<!--->`, `-->` and `--!>` end it. */
static const byte *comment(const byte *start, const byte *end) {
    if (start < end && *start == '>') return start + 1;
    if (end - start >= 2 && start[0] == '-' && start[1] == '>') return start + 2;
    for (const byte *at = start; at < end && (at = memchr(at, '>', (size_t)(end - at))) != NULL; at++) {
        if (at - start >= 2 && at[-1] == '-' && at[-2] == '-') return at + 1;
        if (at - start >= 3 && at[-1] == '!' && at[-2] == '-' && at[-3] == '-') return at + 1;
    }
    return NULL;
}
