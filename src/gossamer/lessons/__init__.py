"""What a crawl learned about hosts from their answers: durable, shown with its evidence, reversible.

The rules are pure and stand in `policy/{templates,parameters,soft404,growth}.py`; here are their memory and their order:
`consult` before a URL is fetched, `study` when visits become durable. The node alone keeps a book; workers are told.
"""
