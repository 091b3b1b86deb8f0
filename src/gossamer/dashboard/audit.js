// @ts-check
// The chronicle for people: every visit and every operator's word, and the proof that nobody has changed it.
import { html, useState } from "./preact.js";
import { get } from "./api.js";
import { count, moment, tame } from "./format.js";
import { Happenings } from "./happenings.js";
import { OUTCOMES } from "./pages.js";
import { Card, Choice, Copy, Empty, Filter, List, Wrong, useAnswer } from "./ui.js";

function Head() {
  const found = useAnswer("audit/head");
  const [state, set] = useState(/** @type {any} */ ({}));
  const verify = async () => {
    set({ busy: true });
    try {
      set({ told: await get("audit/proof") });
    } catch (problem) {
      set({ problem });
    }
  };
  const head = found.answer;
  return html`<${Card} title="The chain" more=${html`<button type="button" class="primary" disabled=${state.busy} onClick=${verify}>${state.busy ? "Verifying …" : "Verify"}</button>`}>
    ${found.problem ? html`<p class="muted">${tame(found.problem.message, 200)}</p>` : head && html`<p>Block <strong class="number">${count(head.block)}</strong> of ${moment(head.at)}: <code><bdi>${tame(head.hash, 80)}</bdi></code><${Copy} text=${head.hash} what="hash" /></p><p class="muted note">Write this hash down somewhere else: it stands for everything that was written before it.</p>`}
    ${state.problem && html`<${Wrong} problem=${state.problem} />`}
    ${state.told && html`<p class="banner ${state.told.problems.length === 0 ? "good" : "bad"}" role="status">${state.told.problems.length === 0 ? `Nothing was changed: ${count(state.told.blocks)} blocks, ${count(state.told.lines)} lines, each hash follows from the one before.` : `${count(state.told.problems.length)} blocks are not as they were written.`}</p>${state.told.problems.slice(0, 20).map((/** @type {any} */ one) => html`<p><code>${tame(one.place, 80)}</code> ${tame(one.problem, 200)}</p>`)}`}</>`;
}

export function Page({ query }) {
  const { kind = "", outcome = "", host = "", cursor = "" } = query;
  const found = useAnswer("audit", { kind, outcome, host, cursor, limit: 100 });
  return html`<h1>Audit</h1><${Head} />
    <div class="filters"><${Filter} name="host" label="Host" placeholder="all" search wide /><${Choice} name="kind" label="Kind" options=${[["", "all"], ["visit", "visits"], ["word", "operators"], ["begun", "runs begun"], ["ended", "runs ended"]]} /><${Choice} name="outcome" label="Outcome" options=${[["", "any"], ...OUTCOMES]} /></div>
    <${Card}><${List} found=${found} empty=${html`<${Empty} title="Nothing fits">Take a filter away; or the chronicle of this crawl is off (chronicle.level).</>`}>${(/** @type {any[]} */ items) => html`<${Happenings} events=${items} />`}</></>`;
}
