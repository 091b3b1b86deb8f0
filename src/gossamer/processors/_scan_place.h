/* Where in a page we are, as far as it changes what tags mean: in SVG or MathML, in a template, in what no reader sees; part of
 * `_scan.c`. Standard: https://html.spec.whatwg.org/ section 13.2.6.5. */

enum { DEEPEST = 64 };

typedef struct {
    byte foreign[DEEPEST];      /* open SVG and MathML elements and, in them, those whose content is HTML again */
    int depth, pictures;        /* of `foreign`; how many of it are SVG */
    int templates;              /* open ones; deeper than DEEPEST they are no templates, as in `costly.py` */
    int depth_at_template, is_absurd;
    byte hidden;                /* the element whose content no reader sees, */
    Py_ssize_t hidden_depth;    /* and how often it is open */
} Place;

static int is_foreign(const Place *place) {
    return place->depth && (place->foreign[place->depth - 1] == SVG || place->foreign[place->depth - 1] == MATH);
}

static void leave_foreign(Place *place, int depth) {
    while (place->depth > depth) place->pictures -= place->foreign[--place->depth] == SVG;
}

static void enter_foreign(Place *place, int element) {
    if (place->depth == DEEPEST) return;
    place->foreign[place->depth++] = (byte)element;
    place->pictures += element == SVG;
}

/* A start tag that no SVG or MathML holds ends it, as far as the next element inside whose content is HTML. */
static void break_out(Place *place) {
    while (is_foreign(place)) leave_foreign(place, place->depth - 1);
}

static void opened(Place *place, const Name *name, int was_foreign, int closes_itself) {
    int element = name->element;
    if (element == SVG || element == MATH) {
        if (!closes_itself) enter_foreign(place, element);
    } else if (was_foreign) {
        int above = place->foreign[place->depth - 1];
        if (!closes_itself && ((above == SVG && name->flags & HTML_IN_SVG) || (above == MATH && name->flags & HTML_IN_MATH)))
            enter_foreign(place, element);
    } else if (element == TEMPLATE && !place->is_absurd) {
        if (!place->templates++) place->depth_at_template = place->depth;
        place->is_absurd = place->templates > DEEPEST;
        if (place->is_absurd) place->templates = 0;
    } else if (name->flags & HIDDEN && (!place->hidden_depth || place->hidden == element)) {
        place->hidden = (byte)element;
        place->hidden_depth++;
    }
}

static void closed(Place *place, const Name *name) {
    int element = name->element;
    if (is_foreign(place) && name->flags & BREAKS_OUT_CLOSING) break_out(place);
    if (name->flags & (HTML_IN_SVG | HTML_IN_MATH) || element == SVG || element == MATH) {
        for (int depth = place->depth; depth > 0; depth--)
            if (place->foreign[depth - 1] == element) { leave_foreign(place, depth - 1); break; }
    } else if (element == TEMPLATE && place->templates) {
        if (!--place->templates) leave_foreign(place, place->depth_at_template);
    } else if (place->hidden_depth && element == place->hidden && name->flags & HIDDEN) {
        place->hidden_depth--;
    }
}
