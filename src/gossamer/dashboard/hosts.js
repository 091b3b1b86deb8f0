// @ts-check
// Every host the crawl knows, in an order, by state, by the beginning of its name.
import { html } from "./preact.js";
import { HostRows } from "./hostrows.js";
import { Card, Choice, Empty, Filter, List, useAnswer } from "./ui.js";

export function Page({ query }) {
  const { order = "waiting", state = "", prefix = "", cursor = "" } = query;
  const found = useAnswer("domains", { order, state, prefix, cursor, limit: 50 }, 2);
  return html`<h1>Hosts</h1>
    <div class="filters"><${Filter} name="prefix" label="Name begins with" placeholder="www.example" search wide />
      <${Choice} name="order" label="Order" options=${[["", "most waiting"], ["next", "next turn"], ["name", "name"]]} />
      <${Choice} name="state" label="State" options=${[["", "any"], ["ready", "ready"], ["paused", "paused"], ["blocked", "blocked"], ["open", "breaker open"], ["idle", "no work"]]} /></div>
    <${Card}><${List} found=${found} empty=${html`<${Empty} title="No such host">${prefix || state ? "No host fits these filters; take one away." : "The crawl has not found a host yet."}</>`}>
      ${(/** @type {any[]} */ items) => html`<${HostRows} items=${items} />`}</></>`;
}
