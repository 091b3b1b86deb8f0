// @ts-check
// The processes that fetch and read, each as a strip, by machine.
import { html } from "./preact.js";
import { ago, bytes, count, rate, tame } from "./format.js";
import { Card, Empty, List, Mark, When, useAnswer } from "./ui.js";

const TONES = /** @type {Record<string, string>} */ ({ working: "good", idle: "still", silent: "bad" });

const Strip = ({ worker }) => html`<article class="strip" data-row><div><h2><bdi>${tame(worker.id, 40)}</bdi></h2><${Mark} word=${worker.state} tone=${TONES[worker.state] ?? ""} /></div>
  <div><span class="value number">${rate(worker.pages_per_second)}</span><span class="name">pages a second</span></div>
  <div><span class="value number">${count(worker.under_way)}</span><span class="name">under way</span></div>
  <div><span class="value number">${bytes(worker.rss)}</span><span class="name">memory</span></div>
  <div><span class="value number">${ago(worker.since).replace(" ago", "")}</span><span class="name">old, process ${worker.pid}</span></div>
  <div><span class="value number"><${When} at=${worker.last_seen} /></span><span class="name">last seen</span></div></article>`;

export function Page() {
  const found = useAnswer("workers", {}, 2);
  const answer = Array.isArray(found.answer) ? { items: found.answer, next: null } : found.answer;
  return html`<h1>Workers</h1><${List} found=${{ ...found, answer }} empty=${html`<${Card}><${Empty} title="Nobody is at work">The crawl does not run; start it under Crawls.</></>`}>
    ${(/** @type {any[]} */ items) => [...new Set(items.map((one) => one.machine))].map((machine) => html`<section key=${machine}><h3><bdi>${tame(machine, 60)}</bdi></h3><div class="strips">${items.filter((one) => one.machine === machine).map((worker) => html`<${Strip} key=${worker.id} worker=${worker} />`)}</div></section>`)}</>`;
}
