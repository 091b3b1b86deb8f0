/* Which queue is next, as `Schedule.pick` says it by the rules of `order.py`; for `_lease.c`.
 *
 * Why in C: while the ranker moves URLs ahead, hosts are ready in several classes at once, and a choice among them in Python
 * took as long as the rest of a lease: 5 us.
 */
#ifndef GOSSAMER_PICK_H
#define GOSSAMER_PICK_H
#include "_queue.h"

enum { WORK = 2, CLASSES = 3, LAST = 6 }; /* as in `order.py` */

/* Credit and shares, of the two kinds of work, then of the classes of each: `Shares` of `order.py`. */
typedef struct {
    long credit[1 + WORK][CLASSES], shares[1 + WORK][CLASSES];
} Books;

/* Return whose turn it is among those whose bits are set; if there are several, they are paid and it pays. */
static inline int choose(Books *books, int which, unsigned ready) {
    long *credit = books->credit[which], total = 0;
    int chosen = -1;
    for (int i = 0; i < CLASSES; i++) {
        if (!(ready >> i & 1)) continue;
        if (ready == 1u << i) return i;
        credit[i] += books->shares[which][i];
        total += books->shares[which][i];
        if (chosen < 0 || credit[i] > credit[chosen]) chosen = i;
    }
    credit[chosen] -= total;
    return chosen;
}

/* Return the queue whose turn it is, -1: nobody is ready, or an error is set; false entries on top are thrown away. See
 * `Schedule.pick`. */
static inline int pick(PyObject *host_type, PyObject *heaps, double now, double patience, Books *books) {
    const Cell *tops[QUEUES], *oldest = NULL;
    unsigned ready = 0, each_class = (1u << CLASSES) - 1;
    int last = -1;
    for (int queue = 0; queue < QUEUES; queue++) {
        Heap *heap = (Heap *)PyTuple_GetItem(heaps, queue);
        int is_ready = has_ready(host_type, heap, queue, now);
        if (is_ready < 0) return -1;
        if (!is_ready) continue;
        ready |= 1u << (last = queue);
        tops[queue] = &heap->cells[0];
        if (oldest == NULL || before(tops[queue], oldest)) oldest = tops[queue];
    }
    if (last < 0 || ready == 1u << last) return last;
    if (oldest->time <= now - patience)
        for (int queue = 0; queue <= last; queue++)
            if (ready >> queue & 1 && tops[queue]->item != oldest->item) ready &= ~(1u << queue);
    if (ready != 1u << LAST) ready &= ~(1u << LAST);
    else return LAST;
    unsigned first = ready & each_class, again = ready >> CLASSES & each_class;
    int kind = choose(books, 0, (first != 0) | (again != 0) << 1);
    return choose(books, 1 + kind, kind ? again : first) + kind * CLASSES;
}

/* Read books, or write their credit back: a tuple of pairs of a list with credit and a tuple of shares. */
static inline int turn_books(PyObject *pairs, Books *books, int back) {
    for (int which = 0; which < 1 + WORK; which++) {
        PyObject *pair = PyTuple_GetItem(pairs, which), *credit, *shares;
        if (pair == NULL || !PyArg_ParseTuple(pair, "O!O!", &PyList_Type, &credit, &PyTuple_Type, &shares)) return -1;
        Py_ssize_t count = PyTuple_Size(shares);
        if (count > CLASSES || PyList_Size(credit) != count) return PyErr_Format(PyExc_TypeError, "books of another kind"), -1;
        for (Py_ssize_t i = 0; i < count; i++) {
            if (back && PyList_SetItem(credit, i, PyLong_FromLong(books->credit[which][i])) < 0) return -1;
            books->credit[which][i] = PyLong_AsLong(PyList_GetItem(credit, i));
            books->shares[which][i] = PyLong_AsLong(PyTuple_GetItem(shares, i));
        }
    }
    return PyErr_Occurred() ? -1 : 0;
}

#endif
