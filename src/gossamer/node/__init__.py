"""What a node keeps for its workers: how visits become durable, what a worker is told with a lease, ranks."""
