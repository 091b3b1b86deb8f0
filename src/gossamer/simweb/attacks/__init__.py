"""The attack zoo: hosts that do to a crawler what the worst of the web does, each with the end that a correct one comes to.

One module a family; `zoo` lists them, `server` lets them speak. An attack is a host name below `attack.sim`, a coroutine that
says raw bytes, and the outcomes its URLs must have. Unless robots.txt is the attack, it is there and allows everything.
"""
