// @ts-check
// What happens, live, and what happened before; it stands still while you select text.
import { html } from "./preact.js";
import { Happenings } from "./happenings.js";
import { useLive } from "./live.js";
import { OUTCOMES } from "./pages.js";
import { to } from "./route.js";
import { Card, Choice, Empty, Filter } from "./ui.js";

export function Page({ query }) {
  const { events, pulse, paused } = useLive();
  const { kind = "", outcome = "", host = "" } = query;
  const shown = events.filter((event) => (!kind || event.kind === kind) && (!outcome || event.said.outcome === outcome) && (!host || event.host === host));
  return html`<h1>Events</h1>
    <div class="filters"><${Filter} name="host" label="Host" placeholder="all" search wide /><${Choice} name="kind" label="Kind" options=${[["", "all"], ["visit", "visits"], ["word", "operators"], ["begun", "runs begun"], ["ended", "runs ended"], ["gap", "gaps"]]} /><${Choice} name="outcome" label="Outcome" options=${[["", "any"], ...OUTCOMES]} /></div>
    <${Card} title=${paused ? "Paused" : "Live"} more=${html`<span class="muted">the last ${shown.length} since you came; all of them under <a href=${to(["audit"], { host })}>Audit</a></span>`}>
      ${shown.length === 0 ? html`<${Empty} title=${pulse?.state === "running" ? "Waiting for the next one" : "Nothing happens now"}>${pulse?.state === "running" ? "Events are shown as they are settled." : html`The crawl is ${pulse?.state ?? "silent"}. What happened before is under <a href=${to(["audit"])}>Audit</a>.`}</>` : html`<${Happenings} events=${shown.slice(0, 500)} />`}</>`;
}
