// @ts-check
// One page: what was kept of it, how it changed, what it links, what it is nearly the same as.
import { html, useEffect, useState } from "./preact.js";
import { address, ask } from "./api.js";
import { compare } from "./diff.js";
import { bytes, count, duration, moment, tame } from "./format.js";
import { LinkList } from "./linklist.js";
import { PageRows } from "./pages.js";
import { here, refine, to } from "./route.js";
import { Card, Empty, Facts, List, Loading, Mark, Tabs, Text, Url, When, Wrong, useAnswer } from "./ui.js";

const MARKUP = new Set(["text/html", "application/xhtml+xml"]);
const LONGEST = 200000; // characters of a text that are shown

/** Kept content as text. @param {string} place @param {Record<string, unknown>} query */
function useText(place, query) {
  const [state, set] = useState(/** @type {any} */ ({}));
  const key = `${place} ${JSON.stringify(query)}`;
  useEffect(() => {
    let mine = true;
    set({});
    ask(place, { query, raw: true })
      .then((answer) => answer.text())
      .then((text) => mine && set({ text }), (problem) => mine && set({ problem }));
    return () => {
      mine = false;
    };
  }, [key]);
  return state;
}

function Shown({ place, as, version }) {
  const { text, problem } = useText(place, { as, version });
  if (problem) return problem.status === 404 ? html`<${Empty} title="Nothing was kept">This visit kept no ${as === "head" ? "headers" : "text"}.</>` : html`<${Wrong} problem=${problem} />`;
  if (text === undefined) return html`<${Loading} />`;
  if (text.trim() === "") return html`<${Empty} title="No text">There is nothing to read in what was kept.</>`;
  return html`<pre class="text" tabindex="0" aria-label=${as === "head" ? "headers" : "text of the page"}><bdi>${tame(text, LONGEST)}</bdi></pre>`;
}

function Versions({ place, versions }) {
  const { query } = here();
  const older = Number(query.old ?? versions[1]?.number ?? 0);
  const newer = Number(query.new ?? versions[0]?.number ?? 0);
  const before = useText(place, { as: "text", version: older });
  const after = useText(place, { as: "text", version: newer });
  const pick = (/** @type {string} */ name, /** @type {number} */ chosen, /** @type {string} */ label) => html`<label class="field"><span>${label}</span><select onChange=${(/** @type {any} */ event) => refine({ [name]: event.target.value })}>${versions.map((one) => html`<option value=${one.number} selected=${one.number === chosen}>${one.number}: ${moment(one.fetched_at)}, ${bytes(one.bytes)}</option>`)}</select></label>`;
  const body = () => {
    if (before.problem || after.problem) return html`<${Wrong} problem=${before.problem ?? after.problem} />`;
    if (before.text === undefined || after.text === undefined) return html`<${Loading} />`;
    const { rows, isCut, changes } = compare(before.text, after.text);
    return html`<p class="note muted" role="status">${changes === 0 ? "The texts are the same." : `${count(changes)} lines differ.`}${isCut ? " Only the beginning was compared." : ""}</p>
      <div class="scroll" tabindex="0" role="region" aria-label="comparison"><table class="diff"><thead><tr><th>older</th><th>newer</th></tr></thead><tbody>${rows.map((row) => html`<tr><td class=${row.old === row.new ? "" : row.old === null ? "" : "out"}>${row.old !== null && html`<bdi>${tame(row.old, 400)}</bdi>`}</td><td class=${row.old === row.new ? "" : row.new === null ? "" : "in"}>${row.new !== null && html`<bdi>${tame(row.new, 400)}</bdi>`}</td></tr>`)}</tbody></table></div>`;
  };
  return html`<div class="filters">${pick("old", older, "Older")}${pick("new", newer, "Newer")}</div>${body()}`;
}

function Near({ id }) {
  const found = useAnswer(`pages/${id}/near`);
  if (found.problem?.status === 422 || found.problem?.status === 404) return html`<${Empty} title="No text to compare">Only pages with enough text have near duplicates.</>`;
  const answer = Array.isArray(found.answer) ? { items: found.answer, next: null } : found.answer;
  return html`<${List} found=${{ ...found, answer: answer && { ...answer, items: answer.items.filter((/** @type {any} */ page) => page.id !== id) } }} empty=${html`<${Empty} title="Nothing like it">No other page has nearly this text.</>`}>${(/** @type {any[]} */ items) => html`<${PageRows} items=${items} />`}</>`;
}

export function Page({ path, query }) {
  const id = path[1] ?? "";
  const found = useAnswer(`pages/${encodeURIComponent(id)}`);
  const page = found.answer;
  const up = html`<p class="note"><a href=${to(["pages"])}>Pages</a></p>`;
  if (!page) return html`${up}<h1>Page</h1>${found.problem ? html`<${Wrong} problem=${found.problem} again=${found.load} />` : html`<${Loading} />`}`;
  const place = `pages/${encodeURIComponent(id)}/content`;
  const view = query.view ?? "";
  const version = query.version ?? "";
  const { facts } = page;
  return html`${up}<div class="title"><h1><${Text} value=${page.title || "(no title)"} most=${180} /></h1><${Mark} word=${page.outcome} /></div>
    <${Card} title="" ><p><${Url} url=${page.url} most=${300} /></p>${page.reason && html`<p class="muted">${page.rule && html`<code>${tame(page.rule, 40)}</code> `}<${Text} value=${page.reason} most=${400} /></p>`}<p> </p>
      <${Facts} rows=${[["host", html`<a href=${to(["host", page.host])}><${Text} value=${page.host} most=${60} /></a>`], ["status", page.status || "–"], ["type", html`<${Text} value=${page.mime} most=${60} />`], ["size", bytes(page.bytes)], ["visited", html`<${When} at=${page.fetched_at} />`], ["answer took", facts.response_seconds ? duration(facts.response_seconds) : ""], ["depth", facts.depth], ["language", html`<${Text} value=${page.language || "–"} most=${20} />`], ["copy of", page.duplicate_of && html`<${Url} url=${page.duplicate_of} />`], ["canonical", facts.canonical && html`<${Url} url=${facts.canonical} />`], ["digest", facts.digest && html`<code>${tame(facts.digest, 44)}</code>`]]} />
      <p class="note acts"><a class="button" href=${to(["explain"], { url: page.url })}>Explain</a><a class="button" href=${to(["graph"], { id })}>Links</a><a class="button" href=${address(place, { as: "warc", version })} download>WARC record</a><a class="button" href=${address(place, { as: "raw", version })} download>As it came</a></p></>
    <${Card} title="" class="kept"><header><${Tabs} name="view" label="what is shown" options=${[["", "Text"], ["page", "Page"], ["head", "Headers"], ["versions", `Versions (${page.versions.length})`], ["links", "Links"], ["near", "Near duplicates"]]} />
      ${page.versions.length > 1 && view !== "versions" && view !== "links" && view !== "near" && html`<label class="field"><span class="hidden">version</span><select aria-label="version" onChange=${(/** @type {any} */ event) => refine({ version: event.target.value })}>${page.versions.map((one) => html`<option value=${one.number} selected=${String(one.number) === version}>${moment(one.fetched_at)}</option>`)}</select></label>`}</header>
      ${view === "" && html`<${Shown} key="text" place=${place} as="text" version=${version} />`}
      ${view === "head" && html`<${Shown} key="head" place=${place} as="head" version=${version} />`}
      ${view === "page" && !MARKUP.has(page.mime) && html`<${Empty} title="No page to look at">This is ${page.mime ? html`<${Text} value=${page.mime} most=${60} />` : "of no known type"}; only HTML is shown like that. Its bytes are under “As it came”.</>`}
      ${view === "page" && MARKUP.has(page.mime) && html`<p class="note muted">The page as it was kept, in a box: no script runs, nothing is loaded from anywhere.</p><iframe sandbox="" title="the page as it was kept" loading="lazy" referrerpolicy="no-referrer" src=${address(place, { as: "html", version })}></iframe>`}
      ${view === "versions" && (page.versions.length < 2 ? html`<${Empty} title="One version">The page was kept once; when it changes, versions are compared here.</>` : html`<${Versions} place=${place} versions=${page.versions} />`)}
      ${view === "links" && html`<${LinkList} id=${id} direction=${query.direction === "in" ? "in" : "out"} tabs />`}
      ${view === "near" && html`<${Near} id=${id} />`}</>`;
}
