// @ts-check
// Settings as fields, made from the schema that the server tells: name, type, default and help of every knob.
import { html } from "./preact.js";
import { tame, words } from "./format.js";

/** @typedef {{ name: string, type: string, default: any, help: string, may_be_set: boolean }} Knob */

/** How a value is written in a field. @param {any} value */
export const written = (value) => (value == null ? "" : Array.isArray(value) ? value.join(value.every((one) => typeof one === "number") ? ", " : "\n") : String(value));

/** What a field says, by the type of its knob; undefined: it says what counts anyway. @param {Knob} knob @param {FormData} given @param {any} now */
export function valueOf(knob, given, now) {
  if (knob.type === "true or false") {
    const is = given.get(knob.name) === "on";
    return is === Boolean(now) ? undefined : is;
  }
  const text = given.get(knob.name)?.toString().trim();
  if (text === undefined || text === written(now)) return undefined;
  if (text === "") return knob.type.startsWith("list") ? [] : knob.type === "text" ? "" : null;
  if (knob.type.startsWith("list of text")) return text.split(/[\n]+/).map((line) => line.trim()).filter(Boolean);
  if (knob.type.startsWith("list")) return text.split(/[\s,]+/).map(Number);
  return knob.type.includes("number") ? Number(text) : text;
}

export function Knobs({ knobs, values = undefined, fixed = undefined, open = false }) {
  const sections = /** @type {Map<string, Knob[]>} */ (new Map());
  for (const knob of knobs) {
    const section = knob.name.split(".")[0];
    sections.set(section, [...(sections.get(section) ?? []), knob]);
  }
  return html`<div class="sections">${[...sections].map(([section, some]) => html`<details key=${section} open=${open}><summary>${words(section)} <span class="muted">${some.length}</span></summary><div class="form">${some.map((knob) => html`<${Field} key=${knob.name} knob=${knob} value=${values ? values[knob.name] : knob.default} disabled=${!knob.may_be_set || fixed?.(knob.name)} />`)}</div></details>`)}</div>`;
}

export function Field({ knob, value, disabled = false, label = "", required = false }) {
  const title = label || knob.name.split(".").slice(1).join(".");
  const help = html`<small>${tame(knob.help, 240)}${!knob.may_be_set ? " (not from here; see serve --let)" : ""}</small>`;
  if (knob.type === "true or false") return html`<label class="field check"><input type="checkbox" name=${knob.name} defaultChecked=${Boolean(value)} disabled=${disabled} /><span>${title}${help}</span></label>`;
  const common = { name: knob.name, disabled, required, defaultValue: written(value) };
  if (knob.type.includes(" | ")) return html`<label class="field"><span>${title}</span><select name=${knob.name} disabled=${disabled}>${knob.type.split(" | ").map((word) => html`<option value=${word} selected=${word === value}>${word}</option>`)}</select>${help}</label>`;
  if (knob.type.startsWith("list of text")) return html`<label class="field"><span>${title}, one a line</span><textarea rows="2" ...${common}></textarea>${help}</label>`;
  return html`<label class="field"><span>${title}</span><input ...${common} type=${knob.type.includes("number") && !knob.type.startsWith("list") ? "number" : "text"} step="any" placeholder=${knob.type.endsWith("or none") ? "none" : ""} />${help}</label>`;
}
