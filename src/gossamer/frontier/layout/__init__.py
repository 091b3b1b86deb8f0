"""What the embedded frontier keeps on disk, and how: rows, sheets, slots, the lines of hosts and the journal."""
