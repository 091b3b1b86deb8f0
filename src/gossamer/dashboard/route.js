// @ts-check
// Where we are: the part of the address behind #. Every page, filter and crawl stands there, so that any view can be linked.
import { useEffect, useState } from "./preact.js";

/** @typedef {{ path: string[], query: Record<string, string> }} Route */

/** @returns {Route} */
export function here() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").filter(Boolean).map(decoded);
  return { path: parts, query: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The address of a page of ours; the crawl we look at goes along. Empty values are left out.
 * @param {(string | number)[]} path @param {Record<string, unknown>} [query]
 */
export function to(path, query = {}) {
  const job = here().query.job;
  const all = { ...(job ? { job } : {}), ...query };
  const given = Object.entries(all).filter(([, value]) => value !== "" && value != null && value !== false);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map((part) => encodeURIComponent(String(part))).join("/")}${search ? `?${search}` : ""}`;
}

/** Go to a page. @param {(string | number)[]} path @param {Record<string, unknown>} [query] @param {boolean} [replace] */
export function go(path, query = {}, replace = false) {
  const address = to(path, query);
  if (address === location.hash) return;
  if (replace) {
    history.replaceState(null, "", address);
    dispatchEvent(new Event("hashchange"));
  } else {
    location.hash = address;
  }
}

/** Change some filters of this page; the cursor of another list does not count any more. @param {Record<string, unknown>} changes */
export function refine(changes) {
  const { path, query } = here();
  go(path, { ...query, cursor: "", ...changes });
}

/** @returns {Route} */
export function useRoute() {
  const [route, set] = useState(here);
  useEffect(() => {
    const moved = () => set(here());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return route;
}
