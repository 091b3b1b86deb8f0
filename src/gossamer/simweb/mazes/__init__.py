"""The trap zoo: sites that are the same page twice or never end, and honest giants that must not be taken for them.

Every answer is ordinary HTTP. A maze is one host with a pure function from a path to its answer and a judge that knows which
paths have content of their own; `zoo` lists them, `server` serves them, and both say the same without each other.
"""
