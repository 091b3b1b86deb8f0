// @ts-check
// A new crawl: seeds, how far, how much, how fast, who we are; a dry run first shows what the links of the seeds would become.
//
// A dry run is a crawl of the seeds alone, polite as any, whose links are then explained; it is deleted again.
import { html, useRef, useState } from "./preact.js";
import { ask, get, post, remove } from "./api.js";
import { count, tame } from "./format.js";
import { Field, Knobs, valueOf } from "./settingsform.js";
import { Card, Loading, Mark, Text, Url, Wrong, useAnswer } from "./ui.js";

/** @type {[string, string][]} */
const FIRST = [
  ["crawl.contact", "Contact: a URL or mail address where webmasters reach you"],
  ["scope.within", "How far from the seeds"],
  ["crawl.max_pages", "Pages, at most"],
  ["crawl.max_seconds", "Seconds, at most"],
  ["politeness.delay", "Seconds between two requests to a host"],
  ["crawl.order", "Which URL of a host is next"],
];
const LINKS = 100;
const PATIENCE = 120; // seconds
const OVER = new Set(["finished", "stopped", "failed"]);

const seedsOf = (/** @type {FormData} */ given) => String(given.get("seeds") ?? "").split(/\s+/).filter(Boolean);

/** Crawl the seeds alone, explain what they link to, and leave nothing behind. @param {string[]} urls @param {Record<string, unknown>} settings @param {(what: string) => void} says */
async function dryRun(urls, settings, says) {
  const name = `dry-run-${Date.now().toString(36)}`;
  await post("crawl/submit", { urls, name, settings: { ...settings, "crawl.max_pages": urls.length } });
  try {
    const until = Date.now() + PATIENCE * 1000;
    for (let isOver = false; !isOver && Date.now() < until; ) {
      await new Promise((done) => setTimeout(done, 500));
      const job = await get(`jobs/${name}`);
      says(`${count(job.pages)} of ${count(urls.length)} seeds were fetched …`);
      isOver = OVER.has(job.state);
    }
    const seeds = (await get("pages", { job: name, limit: 20 })).items;
    const links = [];
    for (const page of seeds) {
      const found = await get(`pages/${page.id}/links`, { job: name, limit: LINKS }).catch(() => ({ items: [] }));
      links.push(...found.items.map((/** @type {any} */ link) => link.url).filter(Boolean));
      if (links.length >= LINKS) break;
    }
    const some = [...new Set(links)].slice(0, LINKS);
    const told = some.length > 0 ? await ask("urls/explain", { method: "POST", query: { job: name }, body: { urls: some } }) : [];
    return { seeds, told: Array.isArray(told) ? told : told.items };
  } finally {
    await post(`jobs/${name}/stop`).catch(() => undefined);
    await remove(`jobs/${name}`, { confirm: name }).catch(() => undefined);
  }
}

function Dry({ result }) {
  const refused = result.told.filter((/** @type {any} */ one) => one.not_for_us || one.state === "dead");
  const line = (/** @type {any} */ one) => html`<tr key=${one.url}><td><${Url} url=${one.url} most=${90} /></td><td>${one.state === "dead" ? html`<${Mark} word="refused" />` : html`<${Mark} word="would be fetched" tone="good" />`}</td><td>${one.rule && html`<code>${tame(one.rule, 40)}</code> `}<${Text} value=${one.state === "dead" ? one.reason : ""} most=${160} /></td></tr>`;
  return html`<${Card} title="Dry run" more=${html`<span class="muted">${count(result.told.length - refused.length)} of ${count(result.told.length)} links would be fetched</span>`}>
    <h3>Seeds</h3><ul class="links">${result.seeds.map((/** @type {any} */ page) => html`<li key=${page.id}><${Url} url=${page.url} /> <${Mark} word=${page.outcome} /> <${Text} value=${page.reason || page.title} most=${120} /></li>`)}</ul>
    ${result.seeds.length === 0 && html`<p class="muted">No seed was reached in time.</p>`}
    ${result.told.length > 0 && html`<h3>What they link to</h3><div class="scroll" tabindex="0" role="region" aria-label="links of the seeds"><table><thead><tr><th>URL</th><th>would become</th><th>because</th></tr></thead><tbody>${[...refused, ...result.told.filter((/** @type {any} */ one) => !refused.includes(one))].map(line)}</tbody></table></div>`}</>`;
}

export function Page({ who, refresh }) {
  const schema = useAnswer("settings");
  const form = useRef(/** @type {any} */ (null));
  const [state, set] = useState(/** @type {any} */ ({}));
  if (schema.problem) return html`<h1>New crawl</h1><${Wrong} problem=${schema.problem} again=${schema.load} />`;
  if (!schema.answer) return html`<h1>New crawl</h1><${Loading} />`;
  const knobs = schema.answer.items;
  const knob = (/** @type {string} */ name) => knobs.find((/** @type {any} */ one) => one.name === name);
  const others = knobs.filter((/** @type {any} */ one) => !FIRST.some(([name]) => name === one.name) && !one.name.startsWith("requests"));
  const read = () => {
    const given = new FormData(form.current);
    const settings = /** @type {Record<string, unknown>} */ ({});
    for (const one of knobs) {
      if (one.refused || !form.current.elements.namedItem(one.name)) continue;
      const value = valueOf(one, given, one.default);
      if (value !== undefined) settings[one.name] = value;
    }
    return { urls: seedsOf(given), name: String(given.get("name") ?? "").trim(), settings };
  };
  const tryIt = async () => {
    if (!form.current.reportValidity()) return;
    const { urls, settings } = read();
    set({ busy: "Fetching the seeds …" });
    try {
      set({ dry: await dryRun(urls.slice(0, 5), settings, (busy) => set({ busy })) });
    } catch (problem) {
      set({ problem });
    }
    void refresh();
  };
  const submit = async (/** @type {any} */ event) => {
    event.preventDefault();
    set({ busy: "Starting …" });
    try {
      const made = await post("crawl/submit", read());
      await refresh();
      location.hash = `#/overview?job=${encodeURIComponent(made.job_id)}`;
    } catch (problem) {
      set({ problem });
    }
  };
  return html`<h1>New crawl</h1><form ref=${form} onSubmit=${submit}>
    <${Card}><div class="form"><label class="field all"><span>Seeds: addresses to begin with, one a line</span><textarea name="seeds" rows="4" required placeholder="https://www.example.org/" spellcheck=${false}></textarea></label>
      <label class="field"><span>Name</span><input name="name" pattern="[a-z0-9][a-z0-9\\-]{0,62}" placeholder="made from the first seed" autocomplete="off" /><small>small letters, digits and hyphens</small></label>
      ${FIRST.map(([name, label]) => knob(name) && html`<${Field} key=${name} knob=${knob(name)} value=${knob(name).default} label=${label} required=${name === "crawl.contact"} />`)}</div></>
    <${Card} title="Everything else"><p class="muted note">Only what you change is sent; the rest is as it always is.</p><${Knobs} knobs=${others} /></>
    ${state.problem && html`<${Wrong} problem=${state.problem} />`}
    <p class="acts"><button class="primary" disabled=${Boolean(state.busy) || who.scope === "read"}>Start the crawl</button><button type="button" disabled=${Boolean(state.busy) || who.scope === "read"} onClick=${tryIt}>Dry run</button>${state.busy && html`<span class="muted" role="status">${state.busy}</span>`}</p></form><p> </p>
    ${state.dry && html`<${Dry} result=${state.dry} />`}`;
}
