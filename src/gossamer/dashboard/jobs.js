// @ts-check
// All crawls of this server: how they stand, started and stopped.
import { html } from "./preact.js";
import { post, remove } from "./api.js";
import { ago, bytes, count, tame } from "./format.js";
import { Act, Card, Empty, Facts, Icon, List, Mark, Text, Url, useAnswer } from "./ui.js";

const GOES = new Set(["running", "paused", "queued", "stopping", "waiting"]);

/** What can be done to a crawl as it stands. */
export function Steering({ job, after, may }) {
  if (!may) return null;
  const does = (/** @type {string} */ what) => async () => {
    await post(`jobs/${encodeURIComponent(job.job)}/${what}`);
    await after();
  };
  return html`<div class="acts">
    ${!GOES.has(job.state) && html`<${Act} icon="play" tone="primary" label="Start" act=${does("start")} />`}
    ${(job.state === "running" || job.state === "waiting") && html`<${Act} icon="pause" label="Pause" act=${does("pause")} />`}
    ${job.state === "paused" && html`<${Act} icon="play" tone="primary" label="Resume" act=${does("resume")} />`}
    ${GOES.has(job.state) && job.state !== "stopping" && html`<${Act} icon="stop" label="Stop" sure="Stop: are you sure?" act=${does("stop")} />`}
    ${job.state === "finished" && html`<${Act} label="Crawl again" act=${does("recrawl")} />`}</div>`;
}

function Job({ job, after, who }) {
  const delet = async () => {
    await remove(`jobs/${encodeURIComponent(job.job)}`, { confirm: job.job });
    await after();
  };
  const about = `#/overview?job=${encodeURIComponent(job.job)}`;
  return html`<article class="card" data-row><header><h2><a href=${about}><${Text} value=${job.job} most=${64} /></a> <${Mark} word=${job.state} /> ${job.queue != null && html`<span class="muted">number ${job.queue} in the queue</span>`}</h2>
      <${Steering} job=${job} after=${after} may=${who.scope !== "read"} /></header>
    ${job.why && html`<p class="banner warn">${tame(job.why, 400)}</p>`}
    <${Facts} rows=${[["begins at", job.seed && html`<${Url} url=${job.seed} most=${60} />`], ["seeds", count(job.seeds)], ["pages kept", count(job.pages)], ["waiting", count(job.waiting)], ["failed", count(job.failed)], ["received", bytes(job.bytes)], ["too soon for a host", count(job.too_soon)], ["made", job.created ? ago(job.created) : ""], ["running since", job.since ? ago(job.since) : ""]]} />
    ${who.scope === "admin" && !GOES.has(job.state) && html`<p class="note"><${Act} tone="quiet" label="Delete this crawl and all it kept" sure="Delete for good?" act=${delet} /></p>`}</article>`;
}

export function Page({ who, refresh }) {
  const found = useAnswer("jobs", {}, 2);
  const after = async () => {
    await found.load();
    await refresh();
  };
  return html`<div class="title"><h1>Crawls</h1><span class="space"></span>${who.scope !== "read" && html`<a class="button primary" href="#/new"><${Icon} name="plus" />New crawl</a>`}</div>
    <${List} found=${found} empty=${html`<${Card}><${Empty} title="No crawl yet">Name a few addresses and look at a dry run first. <a class="button primary" href="#/new">New crawl</a></></>`}>
      ${(/** @type {any[]} */ items) => items.map((job) => html`<${Job} key=${job.job} job=${job} after=${after} who=${who} />`)}</>`;
}
