// @ts-check
// Why a URL is where it is: the way from its seed through every rule to how it ended, top to bottom.
import { html, useEffect, useState } from "./preact.js";
import { get } from "./api.js";
import { ago, count, duration, moment, tame, words } from "./format.js";
import { Ring } from "./hostrows.js";
import { to } from "./route.js";
import { Bars, Card, Copy, Empty, Filter, Loading, Mark, Text, Url, When, Wrong, toneOf, useAnswer } from "./ui.js";

const HOPS = 15;

/** The pages that a URL was found through, the seed first. @param {any} told */
function useWay(told) {
  const [way, set] = useState(/** @type {any[]} */ ([]));
  useEffect(() => {
    let mine = true;
    set([]);
    const walk = async () => {
      /** @type {any[]} */
      const found = [];
      let via = told?.found?.via;
      const seen = new Set([told?.url]);
      while (mine && via && !seen.has(via) && found.length < HOPS) {
        seen.add(via);
        try {
          const page = await get("urls/explain", { url: via });
          found.unshift({ url: via, id: page.id, outcome: page.outcome, kind: page.found?.kind, isSeed: !page.found?.via });
          via = page.found?.via;
        } catch {
          break;
        }
      }
      if (mine) set(found);
    };
    void walk();
    return () => {
      mine = false;
    };
  }, [told?.key]);
  return way;
}

const Step = ({ title, tone = "still", children }) => html`<li class=${tone}><h2>${title}</h2>${children}</li>`;

function Rules({ verdicts }) {
  const refused = verdicts.filter((one) => !one.allowed);
  const line = (/** @type {any} */ one) => html`<li key=${one.rule}><span class="verdict ${one.allowed ? "good" : "bad"}">${one.allowed ? "passed" : "refused"}</span><span><code>${tame(one.rule, 60)}</code> <${Text} value=${one.reason} most=${400} /></span></li>`;
  return html`<${Step} title=${refused.length > 0 ? "Rules of the crawl: refused" : "Rules of the crawl: passed"} tone=${refused.length > 0 ? "bad" : "good"}>
    <ul class="rules">${refused.map(line)}</ul>
    ${verdicts.length > refused.length && html`<details open=${refused.length === 0 && verdicts.length < 6}><summary>${count(verdicts.length - refused.length)} passed</summary><ul class="rules">${verdicts.filter((one) => one.allowed).map(line)}</ul></details>`}</>`;
}

function Queue({ queue, waits }) {
  const parts = Object.entries(queue.parts ?? {}).filter(([, value]) => value);
  return html`<${Step} title="Queue" tone=${queue.leased_by ? "busy" : "still"}><p>class <strong>${queue.priority}</strong>, score <span class="number">${queue.score == null ? "–" : Number(queue.score).toFixed(3)}</span>${queue.rank ? html`, rank <span class="number">${Number(queue.rank).toPrecision(3)}</span>` : ""}${queue.attempts ? `, tried ${count(queue.attempts)} times` : ""}${queue.due ? `, due ${ago(queue.due)}` : ""}${queue.leased_by ? `, leased by ${tame(queue.leased_by, 40)}` : ""}</p>
    ${waits && html`<p class="muted"><${Text} value=${waits} most=${300} /></p>`}
    ${parts.length > 0 && html`<${Bars} label="parts of the score" rows=${parts.map(([name, value]) => [name, Number(value)])} format=${(/** @type {number} */ value) => value.toFixed(3)} />`}</>`;
}

function Story({ told }) {
  const way = useWay(told);
  const { page, robots, queue, found, host_status: host } = told;
  const isSeed = found && !found.via;
  const lines = robots.verdict === "denied" ? "bad" : robots.verdict === "allowed" ? "good" : "still";
  return html`<ol class="path">
    ${way.map((step) => html`<${Step} key=${step.url} title=${step.isSeed ? "Seed" : `Found by ${words(step.kind ?? "link")} on the page above`} tone=${toneOf(step.outcome ?? "")}><p><${Url} url=${step.url} explain=${true} /></p></>`)}
    <${Step} title=${!found ? "Never found" : isSeed ? "Seed" : `Found by ${words(found.kind)}, ${count(found.depth)} hops from a seed`} tone=${found ? "good" : "still"}><p><${Url} url=${told.url} most=${300} /></p>${found ? html`<p class="muted">found <${When} at=${found.at} />${found.redirects ? `, after ${found.redirects} redirects` : ""}</p>` : html`<p class="muted">No page links to it, as far as the crawl has read; what follows is what would happen.</p>`}${told.key !== told.url && html`<p class="muted">known as <code><bdi>${tame(told.key, 200)}</bdi></code></p>`}</>
    <${Rules} verdicts=${told.verdicts} />
    ${queue && html`<${Queue} queue=${queue} waits=${told.waits_for} />`}
    ${host && html`<${Step} title="Clock of its host" tone=${host.paused || host.blocked ? "warn" : "good"}><p><${Ring} host=${host} told /> · a request every ${duration(host.delay)} · <a href=${to(["host", host.host])}><${Text} value=${host.host} most=${60} /></a> <${Mark} word=${host.state} /></p></>`}
    <${Step} title="robots.txt: ${words(robots.verdict)}" tone=${lines}>${robots.reason ? html`<p><code><${Text} value=${robots.reason} most=${300} /></code></p>` : html`<p class="muted">${robots.verdict === "allowed" ? "No line forbids it." : "Nothing is known of it yet."}</p>`}</>
    ${page && page.status ? html`<${Step} title="Request" tone="good"><p>answered <strong class="number">${page.status}</strong> ${page.mime && html`<${Text} value=${page.mime} most=${40} />`}${page.response_seconds ? ` after ${duration(page.response_seconds)}` : ""}, <time>${moment(page.fetched_at)}</time></p></>` : ""}
    <${Step} title=${told.state === "unknown" ? "What would happen" : `Outcome: ${words(told.outcome ?? told.state)}`} tone=${told.state === "unknown" ? (told.rule ? "bad" : "good") : toneOf(told.outcome ?? told.state)}><p>${told.rule && html`<code class="rule">${tame(told.rule, 60)}</code> `}<${Text} value=${told.reason || (told.outcome === "ok" ? "a page, kept" : told.state === "waiting" ? (robots.verdict === "denied" ? "it waits for its turn, and robots.txt will refuse it then" : "it waits for its turn") : "")} most=${500} /></p></>
    ${page && (page.place || told.duplicate_of) && html`<${Step} title="Kept" tone="good">${told.duplicate_of ? html`<p>as a copy of <${Url} url=${told.duplicate_of} explain=${true} /></p>` : html`<p><a href=${to(["page", told.id])}>Look at it</a> <span class="muted">${page.place && html`<code>${tame(page.place.file, 80)}</code> at ${count(page.place.offset)}`}</span></p>`}${told.copies.length > 0 && html`<p class="muted">${count(told.copies.length)} copies of it were found</p>`}</>`}
  </ol>`;
}

export function Page({ query }) {
  const url = query.url ?? "";
  const found = useAnswer(url ? "urls/explain" : null, { url });
  const told = found.answer;
  return html`<h1>Explain a URL</h1><div class="filters"><${Filter} name="url" label="URL" placeholder="https://www.example.org/page" search wide type="text" /></div>
    ${!url ? html`<${Card}><${Empty} title="Any URL, known or not">Type one: you see where it was found, every rule that was asked, its place in the queue, what robots.txt says, and how it ended.</></>` : found.problem ? html`<${Wrong} problem=${found.problem} again=${found.load} />` : !told ? html`<${Loading} />` : html`<${Card} title="">
      <p class="banner ${toneOf(told.outcome ?? told.state) === "still" ? "busy" : toneOf(told.outcome ?? told.state)}"><strong>${words(told.outcome ?? told.state)}</strong> <${Text} value=${told.reason} most=${300} /></p>
      <${Story} told=${told} /></>
      ${(told.help ?? []).length > 0 && html`<${Card} title="What would change it"><ul class="links">${told.help.map((/** @type {any} */ one) => html`<li key=${one.command}>${tame(one.what, 200)}<br /><code><bdi>${tame(one.command, 400)}</bdi></code><${Copy} text=${one.command} what="command" /></li>`)}</ul></>`}`}`;
}
