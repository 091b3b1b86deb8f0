// @ts-check
// What this crawl is told, which URLs it is told to allow or block, and who may ask this server.
import { html, useRef, useState } from "./preact.js";
import { post, put, remove } from "./api.js";
import { moment, tame } from "./format.js";
import { here } from "./route.js";
import { Knobs, valueOf } from "./settingsform.js";
import { Act, Card, Copy, Empty, Loading, Mark, Tabs, Text, When, Wrong, useAnswer } from "./ui.js";

function CrawlSettings({ job, who }) {
  const schema = useAnswer("settings/schema");
  const place = `jobs/${encodeURIComponent(job)}/settings`;
  const found = useAnswer(place);
  const form = useRef(/** @type {any} */ (null));
  const [state, set] = useState(/** @type {any} */ ({}));
  if (found.problem || schema.problem) return html`<${Card}><${Wrong} problem=${found.problem ?? schema.problem} again=${found.load} /></>`;
  if (!found.answer || !schema.answer) return html`<${Loading} />`;
  const { settings, changeable } = found.answer;
  const may = new Set(changeable);
  const knobs = schema.answer.filter((/** @type {any} */ knob) => knob.name in settings);
  const save = async (/** @type {any} */ event) => {
    event.preventDefault();
    const given = new FormData(form.current);
    const changes = /** @type {Record<string, unknown>} */ ({});
    for (const knob of knobs) {
      if (!may.has(knob.name) || !knob.may_be_set) continue;
      const value = valueOf(knob, given, settings[knob.name]);
      if (value !== undefined) changes[knob.name] = value;
    }
    if (Object.keys(changes).length === 0) return set({ told: "nothing was changed" });
    try {
      await put(place, { settings: changes });
      await found.load();
      set({ told: `${Object.keys(changes).join(", ")} changed` });
    } catch (problem) {
      set({ problem });
    }
  };
  return html`<${Card} title="Settings" more=${html`<span class="muted">${changeable.length} can be changed as the crawl stands</span>`}><form ref=${form} key=${JSON.stringify(settings)} onSubmit=${save}>
    <${Knobs} knobs=${knobs} values=${settings} fixed=${(/** @type {string} */ name) => !may.has(name)} />
    ${state.problem && html`<${Wrong} problem=${state.problem} />`}<p class="note acts"><button class="primary" disabled=${who.scope === "read"}>Save what was changed</button>${state.told && html`<span class="muted" role="status">${tame(state.told, 300)}</span>`}</p></form></>`;
}

function PatternList({ job, kind, title, who }) {
  const place = `jobs/${encodeURIComponent(job)}/lists/${kind}`;
  const found = useAnswer(place);
  const [state, set] = useState(/** @type {any} */ ({}));
  const save = async (/** @type {any} */ event) => {
    event.preventDefault();
    const patterns = String(new FormData(event.target).get("patterns")).split("\n").map((line) => line.trim()).filter(Boolean);
    try {
      await put(place, { patterns });
      await found.load();
      set({ told: "saved; it counts within a second for what is found from now on" });
    } catch (problem) {
      set({ problem });
    }
  };
  return html`<${Card} title=${title}>${found.problem ? html`<${Wrong} problem=${found.problem} again=${found.load} />` : !found.answer ? html`<${Loading} />` : html`<form onSubmit=${save} key=${found.answer.patterns.join()}><label class="field"><span>Regular expressions, one a line</span><textarea name="patterns" rows="6" spellcheck=${false} defaultValue=${found.answer.patterns.join("\n")}></textarea></label>
    ${found.answer.file && html`<p class="note muted">beside <code>${tame(found.answer.file, 100)}</code></p>`}${state.problem && html`<${Wrong} problem=${state.problem} />`}
    <p class="note acts"><button disabled=${who.scope !== "admin"}>Save</button>${state.told && html`<span class="muted" role="status">${state.told}</span>`}</p></form>`}</>`;
}

function Tokens({ who }) {
  const found = useAnswer(who.scope === "admin" ? "tokens" : null);
  const [state, set] = useState(/** @type {any} */ ({}));
  if (who.scope !== "admin") return html`<${Card} title="Tokens"><${Empty} title="For admins">Your token is <strong>${tame(who.name, 40)}</strong> with the scope ${who.scope}.</></>`;
  const make = async (/** @type {any} */ event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const days = Number(given.get("days"));
    try {
      const made = await post("tokens", { name: String(given.get("name")).trim(), scope: given.get("scope"), expires: days > 0 ? days * 86400 : null });
      set({ made });
      event.target.reset();
      await found.load();
    } catch (problem) {
      set({ problem });
    }
  };
  const rows = Array.isArray(found.answer) ? found.answer : (found.answer?.items ?? []);
  const drop = (/** @type {string} */ name) => async () => {
    await remove(`tokens/${encodeURIComponent(name)}`);
    await found.load();
  };
  return html`<${Card} title="Tokens" more=${html`<span class="muted">you are ${tame(who.name, 40)}, ${who.scope}</span>`}>
    ${found.problem && html`<${Wrong} problem=${found.problem} again=${found.load} />`}
    ${state.made && html`<p class="banner good" role="status">The token <strong>${tame(state.made.name, 40)}</strong>, told only now: <code>${state.made.token}</code><${Copy} text=${state.made.token} what="token" /></p>`}
    ${state.problem && html`<${Wrong} problem=${state.problem} />`}
    ${rows.length === 0 ? html`<${Empty} title="No lasting token">The one you logged in with ends with the server. Make one for a program, with the smallest scope that does.</>` : html`<div class="scroll" tabindex="0" role="region" aria-label="tokens"><table class="rows"><thead><tr><th>name</th><th>scope</th><th>made</th><th>expires</th><th>last used</th><th></th></tr></thead><tbody>${rows.map((/** @type {any} */ token) => html`<tr key=${token.name} data-row><td><${Text} value=${token.name} most=${60} /></td><td><${Mark} word=${token.scope} tone=${token.scope === "admin" ? "warn" : token.scope === "operate" ? "busy" : "still"} /></td><td><${When} at=${token.created} /></td><td>${token.expires ? moment(token.expires) : "never"}</td><td><${When} at=${token.last_used} /></td><td><${Act} tone="quiet" label="Revoke" sure="Revoke?" act=${drop(token.name)} /></td></tr>`)}</tbody></table></div>`}
    <form class="filters" onSubmit=${make}><label class="field wide"><span>Name</span><input name="name" required placeholder="grafana" autocomplete="off" /></label><label class="field"><span>Scope</span><select name="scope"><option>read</option><option>operate</option><option>admin</option></select></label><label class="field"><span>Days it lasts</span><input name="days" type="number" min="0" placeholder="for ever" /></label><button class="primary">Make a token</button></form></>`;
}

export function Page({ who }) {
  const job = here().query.job ?? (who.jobs.length === 1 ? who.jobs[0] : "");
  const view = here().query.view ?? "";
  return html`<div class="title"><h1>Settings</h1><${Tabs} name="view" label="what is shown" options=${[["", "This crawl"], ["tokens", "Tokens"]]} /></div>
    ${view === "tokens" ? html`<${Tokens} who=${who} />` : !job ? html`<${Card}><${Empty} title="Choose a crawl">Its settings are shown here; above is the list.</></>` : html`<div class="grid"><${PatternList} key=${`${job}b`} job=${job} kind="block" title="Blocked URLs" who=${who} /><${PatternList} key=${`${job}a`} job=${job} kind="allow" title="Allowed URLs" who=${who} /></div><p> </p><${CrawlSettings} key=${job} job=${job} who=${who} />`}
    <p class="muted note">gossamer ${tame(who.version, 30)} · <a href="api/v1/openapi.json">the API's description</a></p>`;
}
