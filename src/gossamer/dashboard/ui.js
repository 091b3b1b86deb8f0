// @ts-check
// The small parts that pages are made of. Whatever came from the web is a text node, isolated, cut, and never an address to go to.
import { html, useCallback, useEffect, useRef, useState } from "./preact.js";
import { get } from "./api.js";
import { ago, moment, tame, words } from "./format.js";
import { live } from "./live.js";
import { here, refine, to } from "./route.js";

/** Foreign text. */
export const Text = ({ value, most = 160, class: name = "" }) =>
  html`<bdi class=${name} title=${String(value ?? "").length > most ? tame(value, 1000) : undefined}>${tame(value, most)}</bdi>`;

/** A foreign URL: text to read and to copy; `explain` leads to our own page about it. */
export const Url = ({ url, most = 110, explain = false }) => html`
  <span class="url"><bdi title=${tame(url, 1000)}>${tame(url, most)}</bdi><${Copy} text=${url} what="URL" />
  ${explain && html`<a class="quiet" href=${to(["explain"], { url })}>explain</a>`}</span>`;

export function Copy({ text, what = "text" }) {
  const [done, set] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(String(text));
      set(true);
      setTimeout(() => set(false), 1500);
    } catch {
      set(false);
    }
  };
  return html`<button type="button" class="copy" onClick=${copy} title=${`copy the ${what}`} aria-label=${done ? "copied" : `copy the ${what}`}>
    <${Icon} name=${done ? "check" : "copy"} /></button>`;
}

export const When = ({ at }) => html`<time title=${moment(at)} class="number">${ago(at)}</time>`;

const PATHS = {
  overview: "M3 12h4l3-8 4 16 3-8h4",
  jobs: "M4 6h16M4 12h16M4 18h10",
  hosts: "M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01",
  pages: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  explain: "M6 4v10a4 4 0 0 0 4 4h8M15 15l3 3-3 3M6 4l-3 3M6 4l3 3",
  traps: "M4 4c6 0 6 8 12 8a4 4 0 1 0-4-4c0 6-8 6-8 12",
  graph: "M6 6m-2.500 0a2.500 2.500 0 1 0 5 0a2.500 2.500 0 1 0-5 0M18 9m-2.500 0a2.500 2.500 0 1 0 5 0a2.500 2.500 0 1 0-5 0M9 18m-2.500 0a2.500 2.500 0 1 0 5 0a2.500 2.500 0 1 0-5 0M8.500 6.600l7 1.700M7 8.300l1.500 7.300M16.500 11l-6 5.500",
  workers: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.200 2.200M16.200 16.200l2.200 2.200M18.400 5.600l-2.200 2.200M7.800 16.200l-2.200 2.200",
  events: "M4 5h3M4 12h3M4 19h3M11 5h9M11 12h9M11 19h6",
  audit: "M12 3l7 3v6c0 4.500-3 7.500-7 9-4-1.500-7-4.500-7-9V6zM9 12l2 2 4-4",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M14 4.500v5M8 14.500v5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 13l4 4L19 7",
  play: "M7 5l12 7-12 7z",
  pause: "M8 5v14M16 5v14",
  stop: "M6 6h12v12H6z",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l5 5",
  next: "M9 5l7 7-7 7",
  moon: "M20 14a8 8 0 1 1-10-10 6.500 6.500 0 0 0 10 10",
  plus: "M12 5v14M5 12h14",
};

export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name] ?? ""} /></svg>`;

/** How something stands, in a word and a colour. */
const TONES = {
  good: ["running", "ok", "done", "ready", "not_modified", "allowed", "finished", "passed", "allow"],
  busy: ["leased", "stopping", "queued", "waiting", "probing", "deferred"],
  warn: ["paused", "throttled", "near_duplicate", "duplicate", "soft_404", "redirected", "too_big", "open", "breaker_open", "trap", "robots_denied", "budget_spent"],
  bad: ["failed", "blocked", "block", "server_error", "client_error", "gone", "dead", "bug", "timed_out", "connect_failed", "dns_failed", "tls_failed", "protocol_error", "address_refused", "refused", "denied"],
};
/** @param {string} word */
export const toneOf = (word) => Object.keys(TONES).find((tone) => TONES[tone].includes(word)) ?? "still";

export const Mark = ({ word, tone = "" }) => (word ? html`<span class="mark ${tone || toneOf(word)}">${words(word)}</span>` : html`<span class="muted">–</span>`);

export const Card = ({ title, more, children, class: name = "" }) => html`
  <section class="card ${name}">${title && html`<header><h2>${title}</h2>${more}</header>`}${children}</section>`;

export const Empty = ({ title, children }) => html`<div class="empty"><p class="what">${title}</p><p>${children}</p></div>`;

/** What went wrong, in the server's words, and what can be done. */
export const Wrong = ({ problem, again }) => html`
  <div class="wrong" role="alert"><p><strong>${tame(problem.message, 600)}</strong></p>
    ${(problem.errors ?? []).length > 0 && html`<ul>${problem.errors.slice(0, 50).map((one) => html`<li><code>${tame(one.where, 80)}</code> <${Text} value=${one.what} most=${300} /></li>`)}</ul>`}
    ${problem.status === 403 && html`<p>Your token does not allow this; log in with one of a larger scope.</p>`}
    ${again && html`<p><button type="button" onClick=${again}>Try again</button></p>`}</div>`;

export const Loading = () => html`<p class="loading" aria-live="polite">loading …</p>`;

/**
 * Ask for something whenever it becomes something else; what was there stays until the new is.
 * @param {string | null} path @param {Record<string, unknown>} [query] @param {number} [every] seconds between two looks while live
 */
export function useAnswer(path, query = {}, every = 0) {
  const [state, set] = useState(/** @type {{ of: string, answer: any, problem: any, loading: boolean }} */ ({ of: "", answer: null, problem: null, loading: true }));
  const job = here().query.job ?? "";
  const of = `${job} ${path} ${JSON.stringify(query)}`;
  const turn = useRef(0);
  const load = useCallback(
    async (/** @type {boolean} */ quietly = false) => {
      if (path === null) return;
      const mine = ++turn.current;
      if (!quietly) set((old) => ({ ...old, loading: true }));
      try {
        const answer = await get(path, query);
        if (mine === turn.current) set((old) => ({ of, answer: quietly && old.of === of ? inPlace(old.answer, answer) : answer, problem: null, loading: false }));
      } catch (problem) {
        if (mine === turn.current) set((old) => ({ of, answer: quietly ? old.answer : null, problem, loading: false }));
      }
    },
    [of],
  );
  useEffect(() => void load(), [load]);
  useEffect(() => {
    if (!every) return undefined;
    const timer = setInterval(() => {
      if (!live.paused && !document.hidden) void load(true);
    }, every * 1000);
    return () => clearInterval(timer);
  }, [load, every]);
  return { ...state, load: () => load(false), isOld: state.of !== of };
}

/** Rows keep their place while their numbers change; new ones come at the end. @param {any} old @param {any} answer */
function inPlace(old, answer) {
  if (!Array.isArray(old?.items) || !Array.isArray(answer?.items)) return answer;
  const name = ["host", "job", "id", "name"].find((one) => answer.items[0]?.[one] !== undefined);
  if (name === undefined) return answer;
  const rows = new Map(answer.items.map((/** @type {any} */ row) => [row[name], row]));
  const kept = old.items.filter((/** @type {any} */ row) => rows.has(row[name])).map((/** @type {any} */ row) => rows.get(row[name]));
  const known = new Set(kept.map((/** @type {any} */ row) => row[name]));
  return { ...answer, items: [...kept, ...answer.items.filter((/** @type {any} */ row) => !known.has(row[name]))] };
}

/** A list of the server, a part at a time; `children` makes rows of items. */
export function List({ found, empty, children }) {
  if (found.problem) return html`<${Wrong} problem=${found.problem} again=${found.load} />`;
  if (!found.answer) return html`<${Loading} />`;
  const { items, next } = found.answer;
  if (items.length === 0 && !next) return here().query.cursor ? html`<${Empty} title="No more">The list ends here. <a href=${to(here().path, { ...here().query, cursor: "" })}>Back to its beginning</a></>` : empty;
  return html`<div class=${found.isOld ? "old" : ""}>${children(items)}<${Pager} next=${next} number=${items.length} /></div>`;
}

export const Pager = ({ next, number }) => (next || here().query.cursor) && html`
  <nav class="pager" aria-label="parts of this list"><span class="muted number">${number} rows</span>
    ${here().query.cursor && html`<button type="button" onClick=${() => refine({})}>First</button>`}
    ${next && html`<button type="button" onClick=${() => refine({ cursor: next })}>Next <${Icon} name="next" /></button>`}</nav>`;

/** A filter that stands in the address. */
export const Choice = ({ name, label, options }) => html`
  <label class="field"><span>${label}</span><select value=${here().query[name] ?? ""} onChange=${(/** @type {any} */ event) => refine({ [name]: event.target.value })}>
    ${options.map((option) => (Array.isArray(option) ? html`<option value=${option[0]} selected=${(here().query[name] ?? "") === option[0]}>${option[1]}</option>` : html`<option value=${option} selected=${here().query[name] === option}>${words(option)}</option>`))}
  </select></label>`;

export function Filter({ name, label, placeholder = "", search = false, wide = false, type = "search" }) {
  const given = here().query[name] ?? "";
  return html`<form class="field ${wide ? "wide" : ""}" role="search" onSubmit=${(/** @type {any} */ event) => {
    event.preventDefault();
    refine({ [name]: new FormData(event.target).get("value")?.toString().trim() });
  }}><label><span>${label}</span><input key=${given} name="value" type=${type} autocomplete="off" spellcheck=${false} placeholder=${placeholder} defaultValue=${given} data-search=${search ? "" : undefined} /></label></form>`;
}

/** Bars with their numbers: a chart that is its own table. `rows`: [label, number, href?]. */
export function Bars({ rows, label, format = (/** @type {number} */ value) => value.toLocaleString("en") }) {
  const largest = Math.max(1, ...rows.map((row) => row[1]));
  return html`<table class="bars"><caption class="hidden">${label}</caption><tbody>
    ${rows.map(([name, value, href, tone]) => html`<tr key=${name}><th scope="row">${href ? html`<a href=${href}>${words(name)}</a>` : words(name)}</th>
      <td class="bar"><span class=${tone || toneOf(name)} style=${{ width: `${Math.max(value > 0 ? 1 : 0, (value / largest) * 100)}%` }}></span></td><td class="number">${format(value)}</td></tr>`)}
  </tbody></table>`;
}

/** A button that does something, says so, and says what went wrong. */
export function Act({ label, doing = "…", done = undefined, act, icon = undefined, tone = "", sure = "", disabled = false }) {
  const [state, set] = useState(/** @type {any} */ ({}));
  const ask = useRef(false);
  const run = async () => {
    if (sure && !ask.current) {
      ask.current = true;
      set({ asks: true });
      setTimeout(() => {
        ask.current = false;
        set((/** @type {any} */ old) => (old.asks ? {} : old));
      }, 4000);
      return;
    }
    ask.current = false;
    set({ busy: true });
    try {
      await act();
      set({ done: true });
      if (done) setTimeout(() => set({}), 2500);
    } catch (problem) {
      set({ problem });
    }
  };
  const says = state.busy ? doing : state.asks ? sure : state.done && done ? done : label;
  return html`<span class="act"><button type="button" class=${state.asks ? "danger" : tone} disabled=${state.busy || disabled} onClick=${run}>${icon && html`<${Icon} name=${icon} />`}${says}</button>
    ${state.problem && html`<span class="told" role="alert">${tame(state.problem.message, 300)}</span>`}</span>`;
}

/** Facts by name. `rows`: [name, content]. */
export const Facts = ({ rows }) => html`<dl class="facts">${rows.filter((row) => row && row[1] !== "" && row[1] != null).map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

export const Tabs = ({ name, options, label }) => html`
  <nav class="tabs" aria-label=${label}>${options.map(([value, title]) => html`<a key=${value} href=${to(here().path, { ...here().query, [name]: value })} aria-current=${(here().query[name] ?? "") === value ? "page" : undefined}>${title}</a>`)}</nav>`;
