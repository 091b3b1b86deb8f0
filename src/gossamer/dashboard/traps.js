// @ts-check
// What was learned about hosts, and what it does: mazes, parameters without effect, soft 404s, growth. An operator's word stands above.
import { html } from "./preact.js";
import { Lesson } from "./lesson.js";
import { Card, Choice, Empty, Filter, List, useAnswer } from "./ui.js";

export function Page({ query, who }) {
  const { host = "", kind = "", all = "", cursor = "" } = query;
  const found = useAnswer("lessons", { host, kind, in_force: all === "yes" ? "" : "true", cursor, limit: 50 });
  return html`<h1>Traps</h1><p class="muted">Each lesson is drawn from the answers of a host, and changes which of its URLs are fetched. Overrule any of them; your word is kept and told in the audit.</p><p> </p>
    <div class="filters"><${Filter} name="host" label="Host" placeholder="all hosts" search wide />
      <${Choice} name="kind" label="Kind" options=${[["", "all"], ["template", "templates"], ["parameter", "parameters"], ["probe", "soft 404s"], ["growth", "growth"], ["view", "views"], ["habit", "habits"]]} />
      <${Choice} name="all" label="Show" options=${[["", "what is in force"], ["yes", "all evidence"]]} /></div>
    <${Card}><${List} found=${found} empty=${html`<${Empty} title="No trap is in force">${all === "yes" ? "Nothing was learned yet; it takes a few dozen pages of a host." : "No host has shown one. All evidence is one filter away."}</>`}>
      ${(/** @type {any[]} */ items) => items.map((lesson) => html`<${Lesson} key=${`${lesson.host} ${lesson.kind} ${lesson.name}`} lesson=${lesson} after=${found.load} may=${who.scope !== "read"} host=${true} />`)}</></>`;
}
