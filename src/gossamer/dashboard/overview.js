// @ts-check
// The crawl at a glance: how fast, how much, how politely, what is in trouble.
import { html, useMemo } from "./preact.js";
import { Chart } from "./chart.js";
import { bytes, clock, count, duration, rate, share, short } from "./format.js";
import { HostRows } from "./hostrows.js";
import { failedOf, perSecond, useLive } from "./live.js";
import { here, to } from "./route.js";
import { Bars, Card, Empty, List, Loading, Tabs, Wrong, useAnswer } from "./ui.js";
import { Happenings } from "./happenings.js";

const RANGES = /** @type {Record<string, number>} */ ({ "": 900, "2h": 7200, "24h": 86400 });
const LOW_DISK = 2e9;

function Tile({ name, value, more = undefined, tone = "", href = undefined }) {
  const inner = html`<span class="name">${name}</span><span class="value number">${value}</span><span class="more">${more ?? "\u00a0"}</span>`;
  return html`<li class="tile ${tone}">${href ? html`<a href=${href}>${inner}</a>` : html`<div>${inner}</div>`}</li>`;
}

/** What a person should look at first. @param {import("./live.js").Pulse} pulse @param {string} silence */
function troubles(pulse, silence) {
  const found = [];
  if (silence && pulse.state === "running") found.push(["bad", `${silence}; it was last seen at ${clock(pulse.at)}. If it stays so, look at crawl.log in its directory.`]);
  if (pulse.too_soon > 0) found.push(["bad", `${count(pulse.too_soon)} requests left sooner than their host's delay allows. That must never happen: stop the crawl and report it.`]);
  if (pulse.disk_free > 0 && pulse.disk_free < LOW_DISK) found.push(["bad", `Only ${bytes(pulse.disk_free)} of disk are free. The crawl pauses by itself below crawl.free_disk; make room.`]);
  if (pulse.trouble) found.push(["warn", `The crawl is held up: ${pulse.trouble}`]);
  if (pulse.worker_deaths > 0) found.push(["warn", `${count(pulse.worker_deaths)} worker processes died; their URLs were given to others. crawl.log says why.`]);
  if (pulse.stall_seconds > 5) found.push(["warn", `The crawl stood still for ${duration(pulse.stall_seconds)} in all; crawl.log names what held it.`]);
  return found;
}

function Tiles({ pulse }) {
  const done = Object.values(pulse.outcomes).reduce((sum, number) => sum + number, 0);
  const failed = failedOf(pulse.outcomes);
  const isRunning = pulse.state === "running";
  return html`<ul class="tiles" aria-label="the crawl in numbers">
    <${Tile} name="pages a second" value=${isRunning ? rate(perSecond("pages")) : "0"} more=${isRunning ? `${rate(perSecond("requests"))} requests, ${bytes(perSecond("bytes") ?? 0)} a second` : `it is ${pulse.state}`} />
    <${Tile} name="pages kept" value=${short(pulse.pages)} more=${`${bytes(pulse.bytes)} received`} href=${to(["pages"])} />
    <${Tile} name="waiting" value=${short(pulse.frontier.waiting)} more=${`${count(pulse.frontier.hosts)} hosts, ${count(pulse.under_way)} under way`} href=${to(["hosts"])} />
    <${Tile} name="failed" value=${share(done ? failed / done : 0)} more=${`${count(failed)} of ${short(done)}`} tone=${done > 50 && failed / done > 0.3 ? "warn" : ""} href=${to(["pages"], { outcome: "server_error" })} />
    <${Tile} name="too soon for a host" value=${count(pulse.too_soon)} more=${pulse.too_soon === 0 ? "every host got its pause" : "must be 0"} tone=${pulse.too_soon === 0 ? "good" : "bad"} />
    <${Tile} name="fresh" value=${share(pulse.freshness)} more=${pulse.freshness == null ? "known after a second visit" : "of pages are as they were"} /></ul>`;
}

function Throughput() {
  const { query } = here();
  const isAll = query.range === "all";
  const range = RANGES[query.range ?? ""] ?? 900;
  const first = useAnswer(isAll ? "audit" : null, { limit: 1 });
  const turn = Math.floor(Date.now() / 10000);
  const begun = first.answer?.items[0]?.at ?? Date.now() / 1000 - 7 * 86400;
  const since = useMemo(() => Math.floor(isAll ? begun : Date.now() / 1000 - range), [range, turn, begun]);
  const step = Math.max(10, Math.ceil((Date.now() / 1000 - since) / 240));
  const found = useAnswer("stats/throughput", { since, step });
  const body = () => {
    if (found.problem) return html`<${Wrong} problem=${found.problem} again=${found.load} />`;
    if (!found.answer) return html`<${Loading} />`;
    const begins = Math.max(0, found.answer.pages.findIndex((/** @type {number} */ number) => number > 0) - 1); // before that there was no crawl
    const [time, pages, errors] = ["time", "pages", "errors"].map((name) => found.answer[name].slice(begins));
    if (time.length < 2) return html`<${Empty} title="Too early for a line">A point is kept every ten seconds; the line begins with the second.</>`;
    const each = time.map((/** @type {number} */ at, /** @type {number} */ place) => (place > 0 ? at - time[place - 1] : (time[1] - time[0]) || 1));
    const second = (/** @type {number[]} */ values) => values.map((value, place) => value / (each[place] || 1));
    const perPage = second(pages);
    const peak = Math.max(...perPage);
    return html`<p class="hidden">At most ${rate(peak)} pages a second in this time, ${rate(perPage.at(-1))} at its end.</p>
      <${Chart} time=${time} label=${`pages and errors a second, at most ${rate(peak)}`} series=${[{ label: "pages/s", colour: "--accent", fill: true, values: perPage }, { label: "errors/s", colour: "--bad", values: second(errors) }]} />`;
  };
  return html`<${Card} title="Throughput" more=${html`<${Tabs} name="range" label="time shown" options=${[["", "15 min"], ["2h", "2 h"], ["24h", "24 h"], ["all", "All"]]} />`} class="span2">${body()}</>`;
}

export function Page() {
  const { pulse, trouble, events } = useLive();
  const hosts = useAnswer("domains", { order: "waiting", limit: 8 }, 3);
  if (!pulse) return html`<h1>Overview</h1>${trouble ? html`<${Wrong} problem=${{ message: trouble }} />` : html`<${Loading} />`}`;
  const outcomes = Object.entries(pulse.outcomes).sort((a, b) => b[1] - a[1]);
  const { waiting, leased, done, dead, removed } = pulse.frontier;
  const known = waiting + leased + done + dead + removed;
  return html`<h1>Overview</h1>
    ${troubles(pulse, trouble).map(([tone, text]) => html`<p class="banner ${tone}" role="alert">${text}</p>`)}
    <${Tiles} pulse=${pulse} />
    <div class="grid"><${Throughput} />
      <${Card} title="Frontier" more=${html`<span class="muted number">${short(known)} URLs known</span>`}>
        <${Bars} label="URLs by state" rows=${[["waiting", waiting], ["leased", leased], ["done", done], ["dead", dead], ["removed", removed]]} />
        <p class="muted note">${count(pulse.frontier.failed ?? 0)} of the dead were tried and given up; ${count(pulse.frontier.not_for_us ?? 0)} were never asked for, because a rule says so.</p></>
      <${Card} title="How visits ended">${outcomes.length === 0 ? html`<${Empty} title="No visit has ended yet">The first ones need the robots.txt of their hosts.</>` : html`<${Bars} label="pages by outcome" rows=${outcomes.slice(0, 10).map(([name, number]) => [name, number, to(["pages"], { outcome: name })])} />`}</>
      <${Card} title="Busiest hosts" more=${html`<a href=${to(["hosts"])}>All hosts</a>`} class="span2">
        <${List} found=${{ ...hosts, answer: hosts.answer && { items: hosts.answer.items.filter((/** @type {any} */ host) => host.waiting + host.leased > 0), next: null } }} empty=${html`<${Empty} title="No host has work">Nothing waits.</>`}>${(/** @type {any[]} */ items) => html`<${HostRows} items=${items} />`}</></>
      <${Card} title="Just now" more=${html`<a href=${to(["events"])}>All events</a>`} class="span2">
        ${events.length === 0 ? html`<${Empty} title=${pulse.state === "running" ? "Quiet" : "Nothing happens"}>${pulse.state === "running" ? "The next visit that ends is shown here." : "What happened is under Events."}</>` : html`<${Happenings} events=${events.slice(0, 12)} />`}</></div>`;
}
