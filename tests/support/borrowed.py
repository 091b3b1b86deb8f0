"""`gossamer` for a shell script, in a fork of the process that `forked.py` keeps: the same streams, directory and end, at once.

python -IS tests/support/borrowed.py SOCKET ARGUMENT...
"""

import json
import os
import socket
import sys


def main(place: str, arguments: list[str]) -> int:
    """Have a command run with our streams and the variables that are meant for it; return how it ended."""
    ours = {name: value for name, value in os.environ.items() if name.startswith("GOSSAMER_") or name in ("COLUMNS", "TERM")}
    request = json.dumps({"arguments": arguments, "directory": os.getcwd(), "environment": ours})
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
        line.connect(place)
        socket.send_fds(line, [request.encode()], [0, 1, 2])
        line.recv(64)  # its number
        return int(line.recv(64)) % 256


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
