// @ts-check
// Events as lines that people read.
import { html } from "./preact.js";
import { clock, count, tame } from "./format.js";
import { to } from "./route.js";
import { Mark, Text, Url } from "./ui.js";

/** @param {import("./live.js").Happening} event */
function sentence({ kind, said, host }) {
  if (kind === "visit") return html`<${Mark} word=${said.outcome} />${said.status ? html` <span class="number muted">${said.status}</span>` : ""} <${Url} url=${said.url} most=${90} explain=${true} />`;
  if (kind === "word") return html`<${Mark} word="operator" tone="busy" /> <${Text} value=${said.who} most=${40} /> · <strong>${tame(said.what, 40)}</strong> ${host && html`<a href=${to(["host", host])}><${Text} value=${host} most=${50} /></a>`} <code class="muted">${tame(JSON.stringify(said.arguments ?? {}), 120)}</code>`;
  if (kind === "begun") return html`<${Mark} word="begun" tone="good" /> a run of ${tame(said.gossamer, 20)} with ${count(said.workers)} worker${said.workers === 1 ? "" : "s"} and ${count(said.seeds)} seeds`;
  if (kind === "ended") return html`<${Mark} word="ended" tone="still" /> <${Text} value=${said.end} most=${120} />: ${count(said.pages)} pages, ${count(said.requests)} requests`;
  return html`<${Mark} word=${tame(kind, 20)} tone="warn" /> <code>${tame(JSON.stringify(said), 160)}</code>`;
}

export const Happenings = ({ events }) => html`<ol class="happenings">${events.map((event) => html`<li key=${event.id} data-row><time class="number muted">${clock(event.at)}</time><span>${sentence(event)}</span></li>`)}</ol>`;
