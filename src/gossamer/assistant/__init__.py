"""The MCP door: crawls as tools for programs that think, over standard input and output or over HTTP.

A tool is a request to the API (`api/`), made without a socket: so it takes, answers, refuses and allows what REST does, and
nothing is told here that a browser would not be told. Only reading, unless whoever starts it says otherwise.
"""
