"""All applications by name, and the quick ones of different kinds."""

from applications import cgit, dokuwiki, listings, machina, mediawiki, trac, wordpress

_OWN = tuple(module.APPLICATION for module in (dokuwiki, cgit, trac, wordpress, machina, mediawiki))
APPLICATIONS = {one.name: one for one in (*_OWN, listings.NGINX_LISTS, listings.APACHE_LISTS, listings.DOCUMENTATION)}
QUICK = ("cgit", "nginx listing", "apache listing")
