// @ts-check
// Something that was learned of a host: what it does, the evidence for it, and an operator's word above it.
import { html } from "./preact.js";
import { put } from "./api.js";
import { count, tame } from "./format.js";
import { to } from "./route.js";
import { Act, Mark, Text, Url } from "./ui.js";

/** What a lesson does, as a sentence. @param {any} lesson */
export function effect({ kind, name, facts, ruling }) {
  if (ruling === "allow") return ["good", "an operator allows it"];
  if (ruling === "block") return ["bad", "an operator blocks it"];
  if (kind === "template") return facts.one_in === 1 || facts.one_in === undefined ? ["good", "fetched like any other"] : facts.one_in === 0 || facts.one_in === null ? ["warn", "not fetched any more"] : ["warn", `only one URL in ${count(facts.one_in)} is fetched`];
  if (kind === "parameter") return facts.cosmetic ? ["warn", `makes no difference: ${count(facts.merged)} URLs were not fetched again`] : ["good", "its value matters"];
  if (kind === "probe") return facts.soft ? ["warn", `missing pages look like real ones here; ${count(facts.found)} were told apart`] : ["good", "missing pages say so"];
  if (kind === "growth") return facts.sinks ? ["warn", "yields mostly itself, so others come first"] : facts.slowed ? ["warn", `slowed ${count(facts.slowed)} times for bringing forth too many URLs`] : ["good", "grows like others"];
  if (kind === "view") return facts.last ? ["warn", "shows pages once more in another way, so it waits behind content"] : ["good", "shows content of its own"];
  if (kind === "habit") return facts.in_force ? ["busy", `${count(facts.spared)} visits found nothing else changed`] : ["good", "no part of pages changes everywhere at once"];
  return ["still", tame(name, 60)];
}

/** @type {Record<string, string>} */
const TITLES = { template: "template", parameter: "parameter", probe: "soft 404", growth: "growth", words: "words", view: "view", habit: "habit" };
const NUMBERS = ["fetched", "fresh", "weight", "refused", "same", "other", "merged", "status", "found", "found_in_hour", "own", "outside", "sitemaps", "slowed", "held", "beside", "otherwise", "led", "spared"];
const EXAMPLES = ["bad", "good", "examples", "counter", "shown"];
/** @type {Record<string, string>} */
const CALLED = { bad: "brought nothing", good: "brought something", examples: "examples", counter: "differ", shown: "seen beside" };

/** The URLs of examples, whichever way they are told. @param {any} list @returns {string[]} */
const urlsOf = (list) => (Array.isArray(list) ? list.slice(-4).flatMap((one) => (typeof one === "string" ? [one] : Object.values(one).map(String))) : []);

export function Lesson({ lesson, after, may, host = false }) {
  const { kind, name, facts, ruling } = lesson;
  const [tone, says] = effect(lesson);
  const rule = (/** @type {string} */ word) => async () => {
    await put(`lessons/${encodeURIComponent(lesson.host)}/${kind}/${encodeURIComponent(name)}`, { ruling: word });
    await after();
  };
  const barren = Object.entries(facts.barren ?? {});
  return html`<article class="lesson" data-row><div class="head"><${Mark} word=${TITLES[kind] ?? kind} tone=${tone} />
      ${host && html`<a href=${to(["host", lesson.host])}><${Text} value=${lesson.host} most=${60} /></a>`}<code><bdi>${tame(name || "/", 140)}</bdi></code><span class="space"></span>
      ${may && ruling !== "" && name !== "" && html`<div class="acts">${ruling !== "allow" && html`<${Act} key="allow" label="Allow" act=${rule("allow")} />`}${ruling !== "block" && html`<${Act} key="block" label="Block" act=${rule("block")} />`}${ruling !== "none" && html`<${Act} key="none" tone="quiet" label="Let the evidence decide" act=${rule("none")} />`}</div>`}</div>
    <p>${says}</p>
    <p class="evidence">${NUMBERS.filter((one) => facts[one]).map((one) => html`<span key=${one}>${one.replaceAll("_", " ")} <b>${count(facts[one])}</b></span>`)}${barren.map(([word, number]) => html`<span key=${word}>${tame(word, 20)} <b>${count(Number(number))}</b></span>`)}</p>
    ${facts.reason && html`<p class="muted"><${Text} value=${facts.reason} most=${300} /></p>`}
    ${EXAMPLES.some((one) => urlsOf(facts[one]).length > 0) && html`<details><summary>examples</summary>${EXAMPLES.map((one) => urlsOf(facts[one]).length > 0 && html`<h3>${CALLED[one]}</h3><ul>${urlsOf(facts[one]).map((url) => html`<li><${Url} url=${url} most=${140} /></li>`)}</ul>`)}</details>`}</article>`;
}
