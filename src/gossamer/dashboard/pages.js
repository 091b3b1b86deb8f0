// @ts-check
// Every page that was visited, found by words, host, outcome, type and status.
import { html } from "./preact.js";
import { bytes, tame } from "./format.js";
import { here, to } from "./route.js";
import { Card, Choice, Empty, Filter, List, Mark, Text, Url, When, useAnswer } from "./ui.js";

export const OUTCOMES = ["ok", "not_modified", "duplicate", "near_duplicate", "redirected", "gone", "client_error", "server_error", "throttled", "robots_denied", "trap", "soft_404", "too_big", "dns_failed", "address_refused", "connect_failed", "tls_failed", "timed_out", "protocol_error", "breaker_open", "budget_spent", "checked", "bug"];
const TYPES = ["text/html", "application/pdf", "text/plain", "application/xml", "application/rss+xml", "application/json", "image/png", "image/jpeg"];

/** Pages as rows: the title leads to our own page about it, the URL is text. */
export const PageRows = ({ items }) => html`<div class="scroll" tabindex="0" role="region" aria-label="pages"><table class="rows"><thead><tr><th>page</th><th>outcome</th><th class="number optional">status</th><th class="optional">type</th><th class="number optional">size</th><th class="number">visited</th></tr></thead>
  <tbody>${items.map((page) => html`<tr key=${page.id} data-row><td><a href=${to(["page", page.id])}><${Text} value=${page.title || "(no title)"} most=${100} /></a><br /><${Url} url=${page.url} most=${100} />${page.distance !== undefined ? html` <span class="muted">${page.distance} bits apart</span>` : ""}</td>
    <td><${Mark} word=${page.outcome} />${page.reason && page.outcome !== "ok" ? html`<br /><span class="muted"><${Text} value=${page.reason} most=${80} /></span>` : ""}</td><td class="number optional">${page.status || "–"}</td><td class="optional">${tame(page.mime, 30) || "–"}</td><td class="number optional">${bytes(page.bytes)}</td><td class="number"><${When} at=${page.fetched_at} /></td></tr>`)}</tbody></table></div>`;

export function Page({ query }) {
  const { q = "", host = "", outcome = "", mime = "", status = "", order = "", cursor = "" } = query;
  const found = useAnswer("pages", { q, host, outcome, mime, status, order: order || (q ? "best" : ""), cursor, limit: 50 });
  const isFiltered = q || host || outcome || mime || status;
  return html`<h1>Pages</h1>
    <div class="filters"><${Filter} name="q" label="Words" placeholder="words in titles and texts" search wide /><${Filter} name="host" label="Host" placeholder="any" />
      <${Choice} name="outcome" label="Outcome" options=${[["", "any"], ...OUTCOMES]} /><${Choice} name="mime" label="Type" options=${[["", "any"], ...TYPES.map((type) => [type, type])]} />
      <${Filter} name="status" label="Status" placeholder="any" /><${Choice} name="order" label="Order" options=${[["", q ? "best match" : "newest"], ["new", "newest first"], ...(q ? [["best", "best match"]] : [["key", "by URL"]])]} /></div>
    <${Card}><${List} found=${found} empty=${html`<${Empty} title=${isFiltered ? "No page fits" : "No page yet"}>${isFiltered ? html`Take a filter away, or <a href=${to(here().path.slice(0, 1))}>show all pages</a>.` : "The first visits fetch robots.txt; pages follow."}</>`}>
      ${(/** @type {any[]} */ items) => html`<${PageRows} items=${items} />`}</></>`;
}
