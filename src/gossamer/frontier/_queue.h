/* The heap of a queue and the hosts in it; for `_lease.c` and `_schedule.c`. */
#ifndef GOSSAMER_QUEUE_H
#define GOSSAMER_QUEUE_H
#include "_heap.h"
#include "_host.h"

/* Tell whether a host may be leased for a queue, -1: the heap holds something else; entries on top that are not true any more
 * are thrown away. */
static inline int has_ready(PyObject *host_type, Heap *heap, int queue, double now) {
    while (heap->held && heap->cells[0].time <= now) {
        if (!is_host(host_type, heap->cells[0].item)) return -1;
        Host *host = (Host *)heap->cells[0].item;
        if (heap->cells[0].time == host->ready) {
            const char *line = PyBytes_AsString(host->line);
            for (Py_ssize_t at = 0, size = PyBytes_Size(host->line); at < size; at += TICKET)
                if (line[at] == queue) return 1;
            host->stands &= ~(1 << queue);
        }
        Py_DECREF(heap_pop(heap));
    }
    return 0;
}

#endif
