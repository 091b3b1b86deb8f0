// @ts-check
// One host: when its next turn comes and why, what waits for it, what it answered, what it wishes, and an operator's word.
import { html, useState } from "./preact.js";
import { ask, post, put, remove } from "./api.js";
import { bytes, count, duration, moment, tame } from "./format.js";
import { Ring } from "./hostrows.js";
import { Lesson } from "./lesson.js";
import { to } from "./route.js";
import { Act, Bars, Card, Empty, Facts, Loading, Mark, Text, Url, When, Wrong, useAnswer } from "./ui.js";

/** The last hundred requests, newest first. */
function Dots({ recent }) {
  const failed = [...recent].filter((bit) => bit === "1").length;
  if (recent.length === 0) return html`<p class="muted">No request was sent yet.</p>`;
  return html`<div class="dots" role="img" aria-label=${`${failed} of the last ${recent.length} requests failed`}>${[...recent].map((bit) => html`<i class=${bit === "1" ? "failed" : "ok"}></i>`)}</div>
    <p class="note muted">${failed} of the last ${recent.length} requests failed; the newest is first.</p>`;
}

function Clock({ host }) {
  const { clock } = host;
  return html`<${Card} title="Next turn"><${Ring} host=${host} size=${72} told /><${Facts} rows=${[
    ["delay", `${duration(host.delay)}${clock.slowdown > 1 ? `, slowed ${clock.slowdown.toFixed(1)} times` : ""}`],
    ["Crawl-delay of robots.txt", clock.robots_delay ? duration(clock.robots_delay) : "none"],
    ["connections at once", count(host.max_connections)],
    ["left alone until", clock.blocked_until * 1000 > Date.now() ? moment(clock.blocked_until) : ""],
    ["because", clock.blocked_until * 1000 > Date.now() ? html`<${Text} value=${clock.block_reason} />` : ""],
    ["given up until", clock.given_up_until * 1000 > Date.now() ? moment(clock.given_up_until) : ""],
  ]} /></>`;
}

function Queue({ name, waiting }) {
  const found = useAnswer("urls/pending", { host: name }, 3);
  const rows = found.answer?.queue ?? [];
  return html`<${Card} title="Queue" more=${html`<span class="muted number">${count(waiting)} waiting, the next ${rows.length} shown</span>`} class="span2">
    ${found.problem ? html`<${Wrong} problem=${found.problem} again=${found.load} />` : !found.answer ? html`<${Loading} />` : rows.length === 0 ? html`<${Empty} title="Nothing waits">Every URL of this host was visited or refused.</>` : html`<div class="scroll" tabindex="0" role="region" aria-label="queue"><table class="rows"><thead><tr><th>URL</th><th>class</th><th class="number">score</th><th class="optional">found as</th><th class="number optional">depth</th></tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.url} data-row><td><${Url} url=${row.url} most=${90} explain=${true} /></td><td>${row.priority}</td><td class="number">${row.score == null ? "–" : row.score.toFixed(2)}</td><td class="optional">${row.again ? "a page to visit again" : row.kind}</td><td class="number optional">${row.depth}</td></tr>`)}</tbody></table></div>`}</>`;
}

function Robots({ name }) {
  const found = useAnswer(`crawl/robots/${encodeURIComponent(name)}`);
  const [decided, set] = useState(/** @type {any} */ (null));
  const decide = async (/** @type {any} */ event) => {
    event.preventDefault();
    const path = String(new FormData(event.target).get("path") ?? "/");
    try {
      const told = await ask("urls/explain", { query: { url: `${found.answer.origin}/${path.replace(/^\//, "")}` } });
      set({ path, ...told.robots });
    } catch (problem) {
      set({ problem });
    }
  };
  if (found.problem) return html`<${Card} title="robots.txt" class="span2"><${Wrong} problem=${found.problem} again=${found.load} /></>`;
  if (!found.answer) return html`<${Card} title="robots.txt" class="span2"><${Loading} /></>`;
  const robots = found.answer;
  const lines = robots.source.split(/\r\n|\r|\n/, 2000);
  const line = String(decided?.facts?.line ?? "").trim().toLowerCase().replace(/\s*:\s*/, ":");
  const decides = (/** @type {string} */ text) => line !== "" && text.split("#")[0].trim().toLowerCase().replace(/\s*:\s*/, ":") === line;
  return html`<${Card} title="robots.txt" class="span2" more=${html`<span class="muted">status ${robots.status ?? "–"}, fetched <${When} at=${robots.fetched_at} />, good until ${moment(robots.expires_at)}</span>`}>
    <${Facts} rows=${[["group that counts for us", html`<code><${Text} value=${robots.agent || "none"} most=${60} /></code>`], ["Crawl-delay", robots.crawl_delay == null ? "none" : duration(robots.crawl_delay)], ["rules", `${robots.allow.length} allow, ${robots.disallow.length} disallow`], ["sitemaps", count(robots.sitemaps.length)]]} />
    <form class="filters" onSubmit=${decide}><label class="field wide"><span>Which line decides for this path?</span><input name="path" placeholder="/private/page.html" spellcheck=${false} autocomplete="off" required /></label><button>Look</button></form>
    ${decided && (decided.problem ? html`<${Wrong} problem=${decided.problem} />` : html`<p class="banner ${decided.verdict === "denied" ? "bad" : "good"}" role="status"><bdi>${tame(decided.path, 120)}</bdi>: <strong>${decided.verdict}</strong> <${Text} value=${decided.reason || (decided.verdict === "allowed" ? "no line forbids it" : "")} most=${300} /></p>`)}
    ${robots.source === "" ? html`<p class="muted">The file is empty or there is none (${tame(robots.kind, 40)}${robots.detail ? `: ${tame(robots.detail, 100)}` : ""}).</p>` : html`<ol class="source" tabindex="0" aria-label="the file, line by line">${lines.map((text) => html`<li class=${decides(text) ? "decides" : ""}><bdi>${tame(text, 500)}</bdi></li>`)}</ol>`}</>`;
}

/** @type {[string, string, string, string][]} */
const FIELDS = [
  ["max_qps", "Requests a second, at most", "number", "0.2 is one in five seconds"],
  ["crawl_depth", "Hops from a seed, at most", "number", ""],
  ["recrawl_interval_hours", "Hours between two visits of a page", "number", ""],
  ["user_agent", "User agent", "text", ""],
];

function PolicyForm({ host, after, who }) {
  const [state, set] = useState(/** @type {any} */ ({}));
  const save = async (/** @type {any} */ event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const body = /** @type {Record<string, unknown>} */ ({ priority: given.get("priority") || null });
    for (const [name, , type] of FIELDS) {
      const text = String(given.get(name) ?? "").trim();
      body[name] = text === "" ? null : type === "number" ? Number(text) : text;
    }
    if (who.scope === "admin") {
      const most = String(given.get("max_connections") ?? "").trim();
      body.max_connections = most === "" ? null : Number(most);
    }
    try {
      await put(`domains/${encodeURIComponent(host.host)}/policy`, body);
      set({ done: true });
      await after();
    } catch (problem) {
      set({ problem });
    }
  };
  const { policy } = host;
  return html`<${Card} title="Policy" class="span2" more=${html`<span class="muted">empty: as the crawl's settings say</span>`}>
    ${state.problem && html`<${Wrong} problem=${state.problem} />`}
    <form class="form" key=${JSON.stringify(policy)} onSubmit=${save}>
      ${FIELDS.map(([name, label, type, help]) => html`<label key=${name} class="field"><span>${label}</span><input name=${name} type=${type} step="any" min="0" defaultValue=${policy[name] ?? ""} />${help && html`<small>${help}</small>`}</label>`)}
      <label class="field"><span>Priority</span><select name="priority" defaultValue=${policy.priority ?? ""}>${["", "high", "medium", "low"].map((word) => html`<option value=${word} selected=${(policy.priority ?? "") === word}>${word || "as found"}</option>`)}</select></label>
      ${who.scope === "admin" && html`<label class="field"><span>Connections at once</span><input name="max_connections" type="number" min="1" defaultValue=${policy.max_connections ?? ""} /></label>`}
      <div class="all"><button class="primary" disabled=${who.scope === "read"}>Save the policy</button> ${state.done && html`<span role="status" class="muted">saved; it counts from the next turn</span>`}</div></form></>`;
}

export function Page({ path, who }) {
  const name = path[1] ?? "";
  const found = useAnswer(`domains/${encodeURIComponent(name)}`, {}, 1);
  const host = found.answer;
  const title = html`<h1><${Text} value=${name} most=${120} /></h1>`;
  if (!host) return html`<p class="note"><a href=${to(["hosts"])}>Hosts</a></p>${title}${found.problem ? html`<${Wrong} problem=${found.problem} again=${found.load} />` : html`<${Loading} />`}`;
  const place = `domains/${encodeURIComponent(host.host)}`;
  const then = (/** @type {() => Promise<any>} */ act) => async () => {
    await act();
    await found.load();
  };
  const may = who.scope !== "read";
  return html`<p class="note"><a href=${to(["hosts"])}>Hosts</a></p><div class="title">${title}<${Mark} word=${host.state} /><span class="space"></span>
      ${may && html`<div class="acts">
        ${host.paused ? html`<${Act} key="resume" icon="play" tone="primary" label="Resume" act=${then(() => post(`${place}/resume`))} />` : html`<${Act} key="pause" icon="pause" label="Pause" act=${then(() => post(`${place}/pause`))} />`}
        ${host.blocked ? html`<${Act} key="unblock" label="Unblock" act=${then(() => remove(`${place}/block`))} />` : html`<${Act} key="block" label="Block" sure="Block: no request ever again?" act=${then(() => put(`${place}/block`, { reason: "from the dashboard" }))} />`}
        <${Act} key="drop" label="Drop queue" sure=${`Remove ${count(host.waiting)} URLs for good?`} act=${then(() => remove(`${place}/queue`))} /></div>`}</div>
    <div class="grid"><${Clock} host=${host} />
      <${Card} title="What it answered"><${Dots} recent=${host.clock.recent} /><${Facts} rows=${[["failures in a row", count(host.clock.failures)], ["times the breaker opened", count(host.clock.openings)], ["answer takes", host.mean_response_seconds == null ? "–" : duration(host.mean_response_seconds)], ["last visit", html`<${When} at=${host.last_visit} />`], ["pages kept", html`<a href=${to(["pages"], { host: host.host })}>${count(host.pages)}</a>`], ["received", bytes(host.bytes)]]} />
        ${Object.keys(host.outcomes).length > 0 && html`<h3>How visits ended${host.is_whole ? "" : ` (of ${count(host.counted)} pages)`}</h3><${Bars} label="outcomes" rows=${Object.entries(host.outcomes).map(([outcome, number]) => [outcome, number, to(["pages"], { host: host.host, outcome })])} />`}</>
      <${Queue} name=${host.host} waiting=${host.waiting} />
      <${PolicyForm} host=${host} after=${found.load} who=${who} />
      ${host.robots ? html`<${Robots} name=${host.host} />` : html`<${Card} title="robots.txt" class="span2"><${Empty} title="Never asked for">It is fetched with the first turn of the host.</></>`}
      <${Card} title="What was learned here" class="span2" more=${html`<a href=${to(["traps"], { host: host.host })}>All of it</a>`}>
        ${host.lessons.length === 0 ? html`<${Empty} title="Nothing yet">Traps, parameters without effect and soft 404s of this host are shown here.</>` : host.lessons.slice(0, 20).map((lesson) => html`<${Lesson} key=${`${lesson.kind} ${lesson.name}`} lesson=${lesson} after=${found.load} may=${may} />`)}</></div>`;
}
