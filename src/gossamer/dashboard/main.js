// @ts-check
// The frame around every page: who looks, at which crawl, at which page. Pages are modules that are loaded when they are first seen.
import { html, render, useEffect, useRef, useState } from "./preact.js";
import { get, remove } from "./api.js";
import { clock, tame } from "./format.js";
import { Keys, PAGES } from "./keys.js";
import { follow, togglePause, useLive } from "./live.js";
import { Login, loginByAddress } from "./login.js";
import { go, to, useRoute } from "./route.js";
import { Act, Empty, Icon, Loading, Mark, Wrong } from "./ui.js";

const MODULES = /** @type {Record<string, () => Promise<any>>} */ ({
  overview: () => import("./overview.js"),
  jobs: () => import("./jobs.js"),
  new: () => import("./newcrawl.js"),
  hosts: () => import("./hosts.js"),
  host: () => import("./host.js"),
  pages: () => import("./pages.js"),
  page: () => import("./page.js"),
  explain: () => import("./explain.js"),
  traps: () => import("./traps.js"),
  graph: () => import("./graph.js"),
  workers: () => import("./workers.js"),
  events: () => import("./events.js"),
  audit: () => import("./audit.js"),
  settings: () => import("./settings.js"),
});
const WITHOUT_A_CRAWL = new Set(["jobs", "new", "settings"]);
const PARENTS = /** @type {Record<string, string>} */ ({ host: "hosts", page: "pages", new: "jobs" });

/** light, dark, or as the system is. */
function setTheme(theme) {
  if (theme === "") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "") localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme);
  } catch {
    // a browser that keeps nothing shows what the system has
  }
}

function storedTheme() {
  try {
    return localStorage.getItem("theme") ?? "";
  } catch {
    return "";
  }
}

function Theme() {
  const [theme, set] = useState(storedTheme);
  return html`<label class="theme"><span class="hidden">Colours</span><select value=${theme} onChange=${(/** @type {any} */ event) => {
    set(event.target.value);
    setTheme(event.target.value);
  }}><option value="">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>`;
}

function Standing() {
  const { pulse, paused, heard, trouble, by } = useLive();
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((turn) => turn + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  if (!pulse) return html`<span class="standing muted">${trouble || "asking …"}</span>`;
  const late = Date.now() - heard > 10000 && pulse.state === "running";
  return html`<span class="standing" data-by=${by}><${Mark} word=${pulse.state} />
    <span class="muted number ${late ? "late" : ""}" title=${by === "polls" ? "asked every two seconds" : "live"}>as of ${clock(pulse.at)}</span>
    <button type="button" class="quiet" aria-pressed=${paused} onClick=${togglePause} title="pause or go on (p)"><${Icon} name=${paused ? "play" : "pause"} /><span>${paused ? "Go on" : "Pause"}</span></button></span>`;
}

function Chooser({ jobs }) {
  const { query, path } = useRoute();
  if (jobs.length < 2) return jobs.length === 1 ? html`<strong class="crawl"><bdi>${tame(jobs[0], 40)}</bdi></strong>` : null;
  return html`<label class="chooser"><span class="hidden">Crawl</span><select value=${query.job ?? ""} onChange=${(/** @type {any} */ event) => go([path[0] === "host" || path[0] === "page" ? `${path[0]}s` : (path[0] ?? "overview")], { job: event.target.value })}>
    ${!query.job && html`<option value="" selected>choose a crawl</option>`}
    ${jobs.map((job) => html`<option key=${job} value=${job} selected=${job === query.job}>${tame(job, 40)}</option>`)}</select></label>`;
}

function Page({ name, path, query, who, refresh }) {
  const [loaded, set] = useState(/** @type {any} */ ({}));
  useEffect(() => {
    const load = MODULES[name];
    if (!load) return;
    load().then((module) => set({ name, Page: module.Page }), () => set({ name, problem: new Error("this page could not be loaded; is the server still there?") }));
  }, [name]);
  const title = PAGES.find(([page]) => page === (PARENTS[name] ?? name))?.[2] ?? "gossamer";
  useEffect(() => {
    document.title = `${title} · gossamer`;
  }, [title]);
  if (!MODULES[name]) return html`<h1>Nothing here</h1><${Empty} title="There is no such page">The address may be cut. <a href=${to(["overview"])}>Go to the overview</a></>`;
  if (loaded.problem) return html`<h1>${title}</h1><${Wrong} problem=${loaded.problem} />`;
  if (loaded.name !== name) return html`<h1>${title}</h1><${Loading} />`;
  return html`<${loaded.Page} key=${name} path=${path} query=${query} who=${who} refresh=${refresh} />`;
}

function Shell({ who, refresh, leave }) {
  const { path, query } = useRoute();
  const name = path[0] ?? "overview";
  const jobs = who.jobs ?? [];
  const needs = !WITHOUT_A_CRAWL.has(name);
  const chosen = query.job || jobs.length === 1;
  const main = useRef(/** @type {any} */ (null));
  useEffect(() => {
    if (query.job || jobs.length > 0) return chosen ? follow() : undefined;
    return undefined;
  }, [query.job, jobs.join()]);
  useEffect(() => main.current?.scrollTo?.(0, 0), [name, path[1]]);
  const body = !needs || chosen
    ? html`<${Page} name=${name} path=${path} query=${query} who=${who} refresh=${refresh} />`
    : jobs.length === 0
      ? html`<h1>Welcome</h1><${Empty} title="There is no crawl here yet">Begin one: name a few addresses, look at a dry run, and start. <a class="button primary" href="#/new">New crawl</a></>`
      : html`<h1>Which crawl?</h1><ul class="choices">${jobs.map((job) => html`<li key=${job} data-row><a href=${to(path.length ? path : ["overview"], { ...query, job })}><bdi>${tame(job, 60)}</bdi></a></li>`)}</ul>`;
  return html`<a class="skip" href="#main" onClick=${(/** @type {Event} */ event) => {
      event.preventDefault();
      main.current?.focus();
    }}>To the content</a>
    <header class="top"><a class="brand" href=${to(["overview"])}><img src="icon.svg" alt="" width="24" height="24" /><span>gossamer</span></a>
      <${Chooser} jobs=${jobs} />${chosen && html`<${Standing} />`}<span class="space"></span><${Theme} />
      <span class="who muted" title="the name and scope of your token">${tame(who.name, 30)} · ${who.scope}</span><${Act} tone="quiet" label="Log out" act=${leave} /></header>
    <nav class="side" aria-label="pages">${PAGES.map(([page, letter, title]) => html`<a key=${page} href=${to([page])} aria-current=${(PARENTS[name] ?? name) === page ? "page" : undefined}><${Icon} name=${page} /><span>${title}</span><kbd aria-hidden="true">g ${letter}</kbd></a>`)}</nav>
    <main id="main" tabindex="-1" ref=${main}>${body}</main><${Keys} />`;
}

function App({ problem }) {
  const [state, set] = useState(/** @type {any} */ ({ who: null, asked: false, problem }));
  const enter = async () => {
    try {
      set({ who: await get("whoami"), asked: true, problem: null });
    } catch (error) {
      set((/** @type {any} */ old) => ({ who: null, asked: true, problem: old.problem ?? (/** @type {any} */ (error).status === 401 ? null : error) }));
    }
  };
  useEffect(() => {
    void enter();
    const out = () => set({ who: null, asked: true, problem: null });
    addEventListener("gossamer-logged-out", out);
    return () => removeEventListener("gossamer-logged-out", out);
  }, []);
  const leave = async () => {
    await remove("session");
    set({ who: null, asked: true, problem: null });
  };
  if (!state.asked) return html`<p class="booting">gossamer</p>`;
  if (state.who === null) return html`<${Login} why=${state.problem} entered=${enter} />`;
  return html`<${Shell} who=${state.who} refresh=${enter} leave=${leave} />`;
}

setTheme(storedTheme());
loginByAddress()
  .then(() => null, (problem) => problem)
  .then((problem) => {
    const place = /** @type {HTMLElement} */ (document.getElementById("app"));
    place.replaceChildren();
    render(html`<${App} problem=${problem} />`, place);
  });
