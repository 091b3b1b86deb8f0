"""What is fuzzed: each target takes bytes, makes of them whatever it tries, and raises when a promise is broken."""

from collections.abc import Callable

from fuzzed import records, texts

TARGETS: dict[str, Callable[[bytes], None]] = {
    function.__name__: function for module in (texts, records) for function in module.TARGETS
}
