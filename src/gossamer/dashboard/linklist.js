// @ts-check
// The links of a page, or to it, as the graph has them.
import { html } from "./preact.js";
import { tame } from "./format.js";
import { here, to } from "./route.js";
import { Empty, List, Mark, Tabs, Url, useAnswer } from "./ui.js";

export function LinkList({ id, direction, tabs = false, most = 50 }) {
  const found = useAnswer(`pages/${encodeURIComponent(id)}/links`, { direction, limit: most, cursor: tabs ? here().query.cursor : "" });
  const answer = found.answer && !tabs ? { ...found.answer, next: null } : found.answer;
  return html`${tabs && html`<p class="note"><${Tabs} name="direction" label="direction" options=${[["", "Out of it"], ["in", "Into it"]]} /></p>`}
    <${List} found=${{ ...found, answer }} empty=${html`<${Empty} title=${direction === "in" ? "Nobody links here" : "It links nowhere"}>${direction === "in" ? "No page that was read has a link to it." : "No link was found in it."}</>`}>
      ${(/** @type {any[]} */ items) => html`<ul class="links">${items.map((link, place) => html`<li key=${link.id + place} data-row>${link.url ? html`<${Url} url=${link.url} most=${90} />` : html`<span class="muted">unknown ${link.id}</span>`} <a class="quiet" href=${to(["graph"], { id: link.id })}>links</a><a class="quiet" href=${to(["explain"], { url: link.url })}>explain</a><br /><span class="muted">${tame(link.kind, 20)}${link.nofollow ? ", nofollow" : ""}</span> <${Mark} word=${link.outcome ?? link.state} /></li>`)}</ul>`}</>`;
}
