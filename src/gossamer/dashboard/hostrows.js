// @ts-check
// Hosts as rows, each with the clock of its next turn.
import { html, useEffect, useState } from "./preact.js";
import { count, duration } from "./format.js";
import { to } from "./route.js";
import { Mark, Text } from "./ui.js";

/** Seconds until a host may be asked again; null: not as things are. @param {any} host @param {number} now */
export function untilTurn(host, now) {
  if (host.paused || host.blocked) return null;
  return Math.max(0, Math.max(host.clock.next_time, host.clock.blocked_until, host.clock.given_up_until) - now);
}

/** A ring that fills until the host's next turn. */
export function Ring({ host, size = 18, told = false }) {
  const [now, set] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => set(Date.now() / 1000), size > 40 ? 100 : 500);
    return () => clearInterval(timer);
  }, [size]);
  const left = untilTurn(host, now);
  const whole = Math.max(host.delay, left ?? 0, 0.001);
  const part = left === null ? 0 : 1 - Math.min(1, left / whole);
  const radius = 10;
  const around = 2 * Math.PI * radius;
  const says = left === null ? "no turn" : left === 0 ? (host.leased > 0 ? "asked now" : "may be asked now") : `next turn in ${duration(left)}`;
  return html`<span class="ring" title=${says}><svg viewBox="0 0 24 24" width=${size} height=${size} role="img" aria-label=${says}>
    <circle class="track" cx="12" cy="12" r=${radius} /><circle class="done" cx="12" cy="12" r=${radius} stroke-dasharray=${`${part * around} ${around}`} transform="rotate(-90 12 12)" /></svg>${told && html`<span>${says}</span>`}</span>`;
}

export const HostRows = ({ items }) => html`<div class="scroll" tabindex="0" role="region" aria-label="hosts"><table class="rows"><thead><tr><th class="narrow"><span class="hidden">next turn</span></th><th>host</th><th>state</th><th class="number">waiting</th><th class="number optional">under way</th><th class="number">delay</th><th class="number optional">failures</th></tr></thead>
  <tbody>${items.map((host) => html`<tr key=${host.host} data-row><td class="narrow"><${Ring} host=${host} /></td><td><a href=${to(["host", host.host])}><${Text} value=${host.host} most=${60} /></a></td>
    <td><${Mark} word=${host.state} /></td><td class="number">${count(host.waiting)}</td><td class="number optional">${count(host.leased)}</td><td class="number">${duration(host.delay)}</td><td class="number optional">${count(host.clock.failures)}</td></tr>`)}</tbody></table></div>`;
