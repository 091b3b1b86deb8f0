// @ts-check
// Lines over time, drawn by uPlot, with the same numbers as a table for whoever does not see them.
import { html, useEffect, useRef } from "./preact.js";
import { clock, moment, rate } from "./format.js";

/** @param {string} name */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** `series`: [{ label, colour, values, format }] over `time`. */
export function Chart({ time, series, label, height = 220 }) {
  const place = useRef(/** @type {any} */ (null));
  const drawn = useRef(/** @type {any} */ (null));
  const shape = series.map((one) => one.label).join();
  useEffect(() => {
    const make = () => {
      drawn.current?.destroy();
      const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
      // @ts-ignore uPlot is a script of its own
      drawn.current = new globalThis.uPlot(
        {
          width: place.current.clientWidth,
          height,
          legend: { live: true },
          cursor: { y: false, drag: { x: false, y: false } },
          scales: { y: { range: (/** @type {any} */ _, /** @type {number} */ __, /** @type {number} */ most) => [0, Math.max(1, most * 1.1)] } },
          axes: [{ ...axis, grid: { show: false }, values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((at) => clock(at).slice(0, ticks.length > 1 && ticks[1] - ticks[0] < 60 ? 8 : 5)) }, { ...axis, size: 44 }],
          series: [
            { label: "time", value: (/** @type {any} */ _, /** @type {number | null} */ at) => (at == null ? "–" : clock(at)) },
            ...series.map((one) => ({ label: one.label, stroke: colour(one.colour), fill: one.fill ? `${colour(one.colour)}22` : undefined, width: 2, points: { show: false }, value: (/** @type {any} */ _, /** @type {number | null} */ value) => (one.format ?? rate)(value) })),
          ],
        },
        [time, ...series.map((one) => one.values)],
        place.current,
      );
    };
    make();
    const sizes = new ResizeObserver(() => drawn.current?.setSize({ width: place.current.clientWidth, height }));
    sizes.observe(place.current);
    const themes = new MutationObserver(make);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", make);
    return () => {
      sizes.disconnect();
      themes.disconnect();
      dark.removeEventListener("change", make);
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [shape]);
  useEffect(() => drawn.current?.setData([time, ...series.map((one) => one.values)]), [time]);
  const step = Math.max(1, Math.ceil(time.length / 30));
  const rows = time.map((at, place) => ({ at, place })).filter((_, place) => (time.length - 1 - place) % step === 0).reverse();
  return html`<figure class="chart"><div ref=${place} role="img" aria-label=${label}></div>
    <details><summary>The same as a table</summary><div class="scroll" tabindex="0" role="region" aria-label=${label}><table><thead><tr><th>time</th>${series.map((one) => html`<th class="number">${one.label}</th>`)}</tr></thead>
      <tbody>${rows.map(({ at, place: row }) => html`<tr key=${at}><td class="number">${moment(at)}</td>${series.map((one) => html`<td class="number">${(one.format ?? rate)(one.values[row])}</td>`)}</tr>`)}</tbody></table></div></details></figure>`;
}
