"""Save articles, milestones and tickets through Trac's own code; run by the interpreter that Trac is installed for."""

import json
import sys
from datetime import UTC, datetime, timedelta

from trac.env import Environment
from trac.ticket.model import Component, Milestone, Ticket
from trac.wiki.model import WikiPage


def main(where, plan):
    """Save everything."""
    environment = Environment(where)
    with environment.db_transaction:
        for name in plan["components"]:
            component = Component(environment)
            component.name = name
            component.insert()
        for name, text in plan["milestones"].items():
            milestone = Milestone(environment)
            milestone.name, milestone.description = name, text
            milestone.insert()
        for article in plan["articles"]:
            save_article(environment, article)
        for ticket in plan["tickets"]:
            save_ticket(environment, ticket)
    environment.shutdown()


def save_article(environment, article):
    """Save all versions, a day between two."""
    for number, text in enumerate(article["versions"]):
        page = WikiPage(environment, article["name"])
        page.text = text
        page.save("somebody", "more of it", datetime.fromtimestamp(article["when"], UTC) + timedelta(days=number))


def save_ticket(environment, planned):
    """Save a ticket, its comments an hour apart, and its end."""
    when = datetime.fromtimestamp(planned["when"], UTC)
    ticket = Ticket(environment)
    for field in ("summary", "description", "milestone", "component"):
        ticket[field] = planned[field]
    ticket["status"], ticket["reporter"], ticket["type"], ticket["priority"] = "new", "somebody", "defect", "major"
    ticket.insert(when)
    for number, comment in enumerate(planned["comments"], 1):
        ticket.save_changes("another", comment, when + timedelta(hours=number))
    if planned["status"] == "closed":
        ticket["status"], ticket["resolution"] = "closed", "fixed"
        ticket.save_changes("another", "Done.", when + timedelta(days=2))


if __name__ == "__main__":
    main(sys.argv[1], json.load(sys.stdin))
