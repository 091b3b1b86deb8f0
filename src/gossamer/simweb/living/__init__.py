"""Living hosts: pages that change on clocks of their own, with the manners of real servers.

What a page says is a function of the seed, its path and the web's time, so that the ledger can name the version each answer
carried, and a crawl can be judged by it: was a change noticed, how soon, and what was asked for in vain. The web's time can be
set forward, by days in an instant.
"""
