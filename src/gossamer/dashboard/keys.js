// @ts-check
// The keyboard: / search, g and a letter for a page, j k for rows, enter to open, p to pause, ? for this list.
import { html, useEffect, useRef } from "./preact.js";
import { togglePause } from "./live.js";
import { go } from "./route.js";

/** @type {[string, string, string][]} page, letter, title */
export const PAGES = [
  ["overview", "o", "Overview"],
  ["jobs", "c", "Crawls"],
  ["hosts", "h", "Hosts"],
  ["pages", "p", "Pages"],
  ["explain", "x", "Explain"],
  ["traps", "t", "Traps"],
  ["graph", "l", "Links"],
  ["workers", "w", "Workers"],
  ["events", "e", "Events"],
  ["audit", "a", "Audit"],
  ["settings", "s", "Settings"],
];
const PATIENCE = 1500; // milliseconds between g and its letter

const isTyping = (/** @type {EventTarget | null} */ target) => target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));

/** @param {number} step */
function walk(step) {
  const rows = [...document.querySelectorAll("main [data-row]")];
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row.classList.contains("chosen"));
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
  rows.forEach((row) => row.classList.toggle("chosen", row === next));
  next.scrollIntoView({ block: "nearest" });
  const link = next.querySelector("a[href]");
  if (link instanceof HTMLElement) link.focus({ preventScroll: true });
}

export function Keys() {
  const help = useRef(/** @type {any} */ (null));
  useEffect(() => {
    let pressed = 0; // when g was
    const down = (/** @type {KeyboardEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape" && isTyping(event.target)) return void (/** @type {HTMLElement} */ (event.target).blur());
      if (isTyping(event.target) || help.current?.open) return;
      const page = Date.now() - pressed < PATIENCE ? PAGES.find(([, letter]) => letter === event.key) : undefined;
      pressed = 0;
      if (page) go([page[0]]);
      else if (event.key === "g") pressed = Date.now();
      else if (event.key === "j") walk(1);
      else if (event.key === "k") walk(-1);
      else if (event.key === "p") togglePause();
      else if (event.key === "?") help.current?.showModal();
      else if (event.key === "/") {
        event.preventDefault();
        const search = document.querySelector("main [data-search]");
        if (search instanceof HTMLInputElement) search.select();
        else go(["pages"]);
      }
    };
    addEventListener("keydown", down);
    return () => removeEventListener("keydown", down);
  }, []);
  const row = (/** @type {string} */ keys, /** @type {string} */ what) => html`<div><dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${what}</dd></div>`;
  return html`<dialog ref=${help} class="help" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
    <dl>${row("/", "search")}${row("j k", "next and previous row")}${row("enter", "open it")}${row("p", "pause live numbers")}${row("?", "these keys")}${PAGES.map(([, letter, title]) => row(`g ${letter}`, title))}</dl>
    <form method="dialog"><button>Close</button></form></dialog>`;
}
