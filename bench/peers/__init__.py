"""What the other crawlers need to be told; run by the interpreter of `bench/.venv`, so nothing of ours is imported."""
