"""The checker of the frontier: every rule of its contract.

Rules are async functions named like promises; each takes a `FrontierBench`, which opens fresh frontiers of a backend, and
raises AssertionError when its promise is broken.

`INVARIANTS` hold for every backend. `ORDER` is promised by one that has all hosts in one place: whose turn it is among them, to
the last pick. A backend that is divided by hosts keeps that order in each partition, and not over all of them.
"""

from collections.abc import Awaitable, Callable

from gossamer.testing import frontier_again as again
from gossamer.testing import frontier_homes as homes
from gossamer.testing import frontier_hosts as hosts
from gossamer.testing import frontier_listing as listing
from gossamer.testing import frontier_opic as opic
from gossamer.testing import frontier_order as order
from gossamer.testing import frontier_promote as promote
from gossamer.testing import frontier_spellings as spellings
from gossamer.testing import frontier_urls as urls
from gossamer.testing.frontier_bench import FrontierBench

Rule = Callable[[FrontierBench], Awaitable[None]]

INVARIANTS: tuple[Rule, ...] = (
    urls.new_urls_wait_and_known_ones_are_counted,
    urls.every_key_is_in_exactly_one_state,
    urls.a_fingerprint_names_its_url_whatever_became_of_it,
    urls.a_refused_url_is_recorded_with_its_rule,
    urls.a_refused_url_is_queued_when_nothing_refuses_it_any_more,
    urls.what_a_rule_refused_and_what_failed_are_counted_apart,
    urls.a_full_host_takes_no_more_urls,
    urls.a_blocked_host_takes_no_more_urls,
    urls.a_removed_url_is_removed_for_good,
    urls.a_removed_url_is_not_leased,
    urls.a_removed_leased_url_stays_removed_but_its_request_counts,
    urls.a_dropped_host_loses_its_waiting_urls,
    urls.a_settled_url_is_done_and_not_leased_again,
    urls.a_retry_waits_for_its_date_and_is_counted,
    urls.a_deferred_url_keeps_its_place_and_is_not_counted,
    urls.what_a_page_led_to_is_found_together_with_its_end,
    urls.a_lease_has_one_owner_and_its_end_counts_once,
    urls.an_expired_lease_comes_back_once_and_its_late_end_changes_nothing,
    urls.the_leases_of_a_worker_that_is_gone_come_back_at_once,
    urls.higher_scores_come_sooner_and_ties_go_by_discovery,
    urls.waiting_thirty_days_is_worth_the_top_score,
    urls.what_comes_back_after_a_restart_stands_behind_what_was_found_since_and_is_worth_more,
    urls.a_policy_decides_the_class_of_what_is_queued_from_then_on,
    urls.a_checkpoint_opens_as_the_state_it_was_taken_of,
    spellings.another_spelling_of_a_url_that_is_gone_is_asked_for,
    spellings.another_spelling_is_asked_for_when_it_is_found_after_the_first_is_gone,
    spellings.spellings_found_in_the_call_that_finds_the_first_gone_are_asked_for,
    spellings.no_other_spelling_of_a_page_is_asked_for,
    spellings.of_endless_spellings_the_shortest_are_remembered,
    again.a_url_that_is_due_again_waits_for_its_date_and_is_told_as_such,
    again.a_finished_url_can_be_made_due_again,
    again.due_urls_survive_a_restart_with_their_date,
    again.a_higher_score_is_visited_again_first,
    again.a_url_can_be_put_behind_all_others_of_its_host,
    promote.a_promoted_url_comes_sooner_and_none_falls,
    promote.a_promoted_url_changes_its_class_for_a_better_one,
    promote.a_promotion_does_not_end_waiting,
    promote.only_what_was_never_fetched_is_promoted,
    promote.of_many_that_are_promoted_at_once_none_is_lost_or_doubled,
    promote.a_promotion_survives_a_restart,
    homes.a_token_tells_the_home_of_its_group_and_grows_there,
    homes.one_call_reaches_urls_of_every_home,
    hosts.a_host_is_never_leased_twice_at_once,
    hosts.a_host_gets_as_many_connections_as_it_may_a_delay_apart,
    hosts.each_lease_belongs_to_whom_the_caller_names_for_its_host,
    hosts.two_requests_to_a_host_are_a_delay_apart_as_the_host_sees_it,
    hosts.a_turn_that_was_not_used_is_given_back,
    hosts.policy_and_robots_set_the_pace,
    hosts.slow_answers_stretch_the_delay_and_quick_ones_bring_it_back,
    hosts.a_clock_that_was_computed_from_the_lease_is_kept_unless_the_host_s_has_moved_since,
    hosts.a_block_moves_later_until_it_is_lifted,
    hosts.hundreds_of_answers_in_any_mixture_move_the_clock_as_the_rules_say,
    hosts.a_paused_or_blocked_host_keeps_its_queue_and_gives_no_lease,
    hosts.the_breaker_opens_probes_once_and_gives_up,
    hosts.a_bare_turn_counts_like_any_other,
    hosts.every_host_gets_a_turn_within_a_day,
    hosts.a_lease_says_when_to_ask_again,
    hosts.the_next_date_is_the_first_of_all_that_wait,
    hosts.it_tells_whose_turn_is_next_what_is_in_the_way_and_who_takes_longest,
    hosts.after_a_restart_every_host_waits_one_delay,
    hosts.after_a_restart_live_leases_come_back_and_tokens_go_on,
    hosts.what_was_decided_about_a_host_survives_a_restart,
    hosts.nothing_acknowledged_is_lost_by_a_restart,
    listing.hosts_are_listed_in_each_order_whole_and_once,
    listing.hosts_are_picked_by_how_they_stand_and_by_the_beginning_of_their_names,
    listing.the_next_urls_of_a_host_are_those_it_is_leased_next,
    listing.what_waits_is_counted_by_class,
    listing.a_sample_is_drawn_from_all_urls_alike,
    listing.all_is_known_of_a_url_by_its_fingerprint,
    opic.a_new_seed_brings_credit_and_a_link_brings_none,
    opic.without_opic_no_credit_is_kept,
    opic.a_page_that_is_done_pays_a_tenth_to_all_and_the_rest_to_its_links,
    opic.what_nobody_gets_goes_to_lambda,
    opic.the_richest_page_of_a_host_is_next,
    opic.credit_moves_once_a_lease,
    opic.a_page_that_is_tried_again_keeps_its_credit,
    opic.a_page_that_is_paid_while_it_is_leased_comes_back_at_its_new_place,
    opic.a_page_that_waits_for_its_date_is_paid_there,
    opic.what_is_removed_leaves_its_credit_to_the_others,
    opic.the_pages_of_a_trap_starve,
)

ORDER: tuple[Rule, ...] = (
    again.the_kinds_of_work_are_picked_by_their_shares,
    again.a_host_that_has_waited_for_a_day_comes_before_all_shares,
    order.classes_are_picked_by_their_shares,
    order.the_last_class_is_served_only_while_nobody_has_anything_else,
    order.an_empty_class_gives_its_share_away,
    order.hosts_take_turns_in_the_order_they_became_ready,
    order.a_host_that_had_its_turn_goes_behind_the_others,
)
RULES: tuple[Rule, ...] = INVARIANTS + ORDER
