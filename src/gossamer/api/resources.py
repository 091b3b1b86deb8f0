"""The table of resources: every route that is about what a crawl does, has and knows."""

from litestar.di import Provide

from gossamer.api import aliases, audit, crawl, hosts, jobs, lessons, pages, settings, stats, urls, workers
from gossamer.api.asking import reach_of, who_of

BELOW_BASE = [
    urls.seed_urls,
    urls.pending_urls,
    urls.explain_url,
    urls.explain_urls,
    urls.remove_url,
    hosts.hosts,
    hosts.host,
    hosts.block_host,
    hosts.unblock_host,
    hosts.pause_host,
    hosts.resume_host,
    hosts.policy,
    hosts.change_policy,
    hosts.drop_queue,
    hosts.robots,
    pages.pages,
    pages.page,
    pages.content,
    pages.links,
    pages.near,
    workers.workers,
    workers.worker_stats,
    stats.stats,
    stats.throughput,
    lessons.lessons,
    lessons.overrule_whole,
    lessons.overrule,
    audit.audit,
    audit.audit_head,
    settings.settings,
    settings.change_settings,
    settings.pattern_list,
    settings.change_list,
    *crawl.ROUTES,
    *jobs.ROUTES,
]
ELSEWHERE = [
    aliases.crawler_seeds,
    aliases.crawler_policy,
    aliases.crawler_status,
    aliases.crawler_pause,
    aliases.crawler_resume,
]
DEPENDENCIES = {"reach": Provide(reach_of, sync_to_thread=False), "who": Provide(who_of, sync_to_thread=False)}
