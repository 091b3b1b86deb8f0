// @ts-check
// A new crawl: seeds, how far, how much, how fast, who we are; a dry run first shows what the links of the seeds would become.
import { html, useRef, useState } from "./preact.js";
import { post } from "./api.js";
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

const seedsOf = (/** @type {FormData} */ given) => String(given.get("seeds") ?? "").split(/\s+/).filter(Boolean);

function Plan({ plan }) {
  const refused = plan.links.filter((/** @type {any} */ one) => one.becomes === "refused");
  const others = plan.links.filter((/** @type {any} */ one) => one.becomes !== "refused");
  return html`<${Card} title="Dry run" more=${html`<span class="muted">${count(others.length)} of the first ${count(plan.links.length)} links would be fetched</span>`}>
    <h3>Seeds</h3><ul class="links">${plan.seeds.map((/** @type {any} */ seed) => html`<li key=${seed.url}><${Url} url=${seed.url} /> <${Mark} word=${seed.outcome} /> ${seed.status ? html`<span class="number muted">${seed.status}</span> ` : ""}<${Text} value=${seed.reason} most=${160} /></li>`)}
      ${plan.refused.map((/** @type {any} */ seed) => html`<li key=${seed.index}><${Url} url=${seed.url} /> <${Mark} word="refused" /> <${Text} value=${seed.reason} most=${160} /></li>`)}</ul>
    ${plan.links.length > 0 && html`<h3>What they link to</h3><div class="scroll" tabindex="0" role="region" aria-label="links of the seeds"><table><thead><tr><th>URL</th><th>would become</th><th>because</th></tr></thead>
      <tbody>${[...refused, ...others].map((/** @type {any} */ one) => html`<tr key=${one.url}><td><${Url} url=${one.url} most=${90} /></td><td><${Mark} word=${one.becomes} tone=${one.becomes === "refused" ? "bad" : "good"} /></td><td>${one.rule ? html`<code>${tame(one.rule, 40)}</code> <${Text} value=${one.reason} most=${160} />` : html`<span class="muted">class ${one.priority}</span>`}</td></tr>`)}</tbody></table></div>`}</>`;
}

export function Page({ who, refresh }) {
  const schema = useAnswer("settings/schema");
  const form = useRef(/** @type {any} */ (null));
  const [state, set] = useState(/** @type {any} */ ({}));
  if (schema.problem) return html`<h1>New crawl</h1><${Wrong} problem=${schema.problem} again=${schema.load} />`;
  if (!schema.answer) return html`<h1>New crawl</h1><${Loading} />`;
  const knobs = schema.answer;
  const knob = (/** @type {string} */ name) => knobs.find((/** @type {any} */ one) => one.name === name);
  const others = knobs.filter((/** @type {any} */ one) => !FIRST.some(([name]) => name === one.name) && !one.name.startsWith("requests"));
  const read = () => {
    const given = new FormData(form.current);
    const settings = /** @type {Record<string, unknown>} */ ({});
    for (const one of knobs) {
      if (!one.may_be_set || !form.current.elements.namedItem(one.name)) continue;
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
      set({ plan: await post("crawl/plan", { urls, settings }) });
    } catch (problem) {
      set({ problem });
    }
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
    <${Card}><details class="everything"><summary>Everything else: ${others.length} settings; only what you change is sent</summary><${Knobs} knobs=${others} /></details></>
    ${state.problem && html`<${Wrong} problem=${state.problem} />`}
    <p class="acts"><button class="primary" disabled=${Boolean(state.busy) || who.scope === "read"}>Start the crawl</button><button type="button" disabled=${Boolean(state.busy) || who.scope === "read"} onClick=${tryIt}>Dry run</button>${state.busy && html`<span class="muted" role="status">${state.busy}</span>`}</p></form><p> </p>
    ${state.plan && html`<${Plan} plan=${state.plan} />`}`;
}
