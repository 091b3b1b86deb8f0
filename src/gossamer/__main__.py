"""`python -m gossamer` is `gossamer`."""

from gossamer.cli.main import run

if __name__ == "__main__":
    run()
