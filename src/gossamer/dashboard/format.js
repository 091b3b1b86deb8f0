// @ts-check
// Numbers, sizes, times and foreign text as people read them. Pure.

const NUMBER = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];
// Marks that change the direction of text, invisible characters and control characters: told by their number.
const TRICKS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** @param {number | null | undefined} value */
export const count = (value) => (value == null ? "–" : NUMBER.format(value));

/** @param {number | null | undefined} value */
export const short = (value) => (value == null ? "–" : value < 10000 ? NUMBER.format(value) : SHORT.format(value));

/** @param {number | null | undefined} value */
export function rate(value) {
  if (value == null || !Number.isFinite(value)) return "–";
  return value >= 100 ? NUMBER.format(Math.round(value)) : value >= 10 ? value.toFixed(1) : value.toFixed(value >= 0.995 || value === 0 ? 1 : 2);
}

/** @param {number | null | undefined} value */
export function bytes(value) {
  if (value == null) return "–";
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A share as per cent. @param {number | null | undefined} value */
export function share(value) {
  if (value == null || !Number.isFinite(value)) return "–";
  const percent = value * 100;
  return `${percent === 0 || percent >= 10 ? Math.round(percent) : percent < 0.1 ? "< 0.1" : percent.toFixed(1)} %`;
}

/** A duration in its two largest units. @param {number | null | undefined} seconds */
export function duration(seconds) {
  if (seconds == null || !Number.isFinite(seconds)) return "–";
  if (seconds < 0) return "0 s";
  if (seconds < 10) return `${Number(seconds.toFixed(seconds < 1 ? 2 : 1))} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

/** How long ago a moment is. @param {number | null | undefined} at @param {number} [now] */
export function ago(at, now = Date.now() / 1000) {
  if (!at) return "never";
  const seconds = now - at;
  if (seconds < -1) return `in ${duration(-seconds)}`;
  if (seconds < 2) return "now";
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86400)} d ago`;
}

/** A moment in the viewer's own time zone. @param {number | null | undefined} at */
export function moment(at) {
  if (!at) return "–";
  const date = new Date(at * 1000);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The time of day. @param {number | null | undefined} at */
export const clock = (at) => (at ? moment(at).slice(11) : "–");

/** Foreign text, cut, with its tricks spelled out. @param {unknown} text @param {number} most */
export function tame(text, most = 200) {
  const whole = text == null ? "" : String(text);
  const cut = whole.length > most ? `${whole.slice(0, most)}…` : whole;
  return cut.replace(TRICKS, (mark) => (mark === "\r" ? "" : `⟨${mark.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`));
}

/** A word of the code as people write it. @param {string} name */
export const words = (name) => tame(name, 80).replaceAll("_", " ");
