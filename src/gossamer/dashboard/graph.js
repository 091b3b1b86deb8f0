// @ts-check
// Links: who links here, the page, where it links; and hosts against hosts as a matrix with the same numbers as a table.
import { html } from "./preact.js";
import { get } from "./api.js";
import { count, tame } from "./format.js";
import { LinkList } from "./linklist.js";
import { go, to } from "./route.js";
import { Card, Empty, Loading, Mark, Text, Url, Wrong, useAnswer } from "./ui.js";

const CELL = 18;

function Matrix({ answer }) {
  const { hosts, links } = answer;
  const size = hosts.length * CELL;
  const names = 14 + 5.2 * Math.min(26, Math.max(...hosts.map((/** @type {string} */ host) => host.length)));
  const most = Math.max(1, ...links.map((/** @type {any} */ one) => one.links));
  const at = new Map(hosts.map((/** @type {string} */ host, /** @type {number} */ place) => [host, place]));
  const drawn = links.filter((/** @type {any} */ one) => at.has(one.source) && at.has(one.target));
  return html`<svg class="matrix" viewBox=${`0 0 ${names + size} ${names + size}`} role="img" aria-label=${`links between ${hosts.length} hosts; the table below has the same numbers`}>
      <rect class="ground" x=${names} y=${names} width=${size} height=${size} rx="4" />
      ${hosts.map((/** @type {string} */ host, /** @type {number} */ place) => html`<text x=${names - 6} y=${names + place * CELL + 12} text-anchor="end">${tame(host, 26)}</text><text transform=${`translate(${names + place * CELL + 12} ${names - 6}) rotate(-90)`}>${tame(host, 26)}</text>`)}
      ${drawn.map((/** @type {any} */ one) => html`<rect x=${names + at.get(one.target) * CELL + 1} y=${names + at.get(one.source) * CELL + 1} width=${CELL - 2} height=${CELL - 2} rx="3" opacity=${0.12 + (0.88 * Math.log1p(one.links)) / Math.log1p(most)}><title>${`${tame(one.source, 60)} to ${tame(one.target, 60)}: ${count(one.links)}`}</title></rect>`)}</svg>
    <p class="note muted">A row links to a column; the darker, the more links.</p>
    <details><summary>The same as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="links between hosts"><table><thead><tr><th>from</th><th>to</th><th class="number">links</th></tr></thead><tbody>${drawn.map((/** @type {any} */ one) => html`<tr key=${`${one.source} ${one.target}`}><td><${Text} value=${one.source} most=${60} /></td><td><${Text} value=${one.target} most=${60} /></td><td class="number">${count(one.links)}</td></tr>`)}</tbody></table></div></details>`;
}

function Hosts() {
  const found = useAnswer("graph/hosts", { limit: 30 });
  return html`<${Card} title="Hosts that link to each other" more=${found.answer ? html`<span class="muted">${found.answer.is_whole ? "all" : "the last"} ${count(found.answer.pages)} pages</span>` : ""}>
    ${found.problem ? html`<${Wrong} problem=${found.problem} again=${found.load} />` : !found.answer ? html`<${Loading} />` : found.answer.hosts.length === 0 ? html`<${Empty} title="No links yet">The graph fills as pages are read.</>` : html`<${Matrix} answer=${found.answer} />`}</>`;
}

function Around({ id }) {
  const found = useAnswer(`pages/${encodeURIComponent(id)}`);
  const page = found.answer;
  return html`<div class="three"><${Card} title="Who links here"><${LinkList} id=${id} direction="in" /></>
    <${Card} title="The page">${found.problem ? html`<${Empty} title="Not visited">It is known by its links only.</>` : !page ? html`<${Loading} />` : html`<p><a href=${to(["page", id])}><${Text} value=${page.title || "(no title)"} most=${120} /></a></p><p><${Url} url=${page.url} most=${200} /></p><p><${Mark} word=${page.outcome} /></p>`}</>
    <${Card} title="Where it links"><${LinkList} id=${id} direction="out" /></></div>`;
}

export function Page({ query }) {
  const look = async (/** @type {any} */ event) => {
    event.preventDefault();
    const url = String(new FormData(event.target).get("url")).trim();
    const told = await get("urls/explain", { url }).catch(() => null);
    if (told) go(["graph"], { id: told.id });
  };
  return html`<h1>Links</h1><form class="filters" onSubmit=${look}><label class="field wide"><span>Links of a page, by its URL</span><input name="url" data-search placeholder="https://www.example.org/page" spellcheck=${false} autocomplete="off" required /></label><button>Look</button></form>
    ${query.id ? html`<${Around} id=${query.id} />` : ""}<${Hosts} />`;
}
