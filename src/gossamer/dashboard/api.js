// @ts-check
// Ask the server: JSON in and out, problems as RFC 9457 tells them, and nothing that the API does not offer everybody.
import { here } from "./route.js";

const BASE = "api/v1/";
const ABOUT_THE_SERVER = /^(jobs|crawl\/(submit|plan)|session|whoami|tokens|settings)\b/; // and about no one crawl

/** What the server said is wrong. */
export class Problem extends Error {
  /** @param {number} status @param {{ title?: string, detail?: string, type?: string, errors?: { where: string, what: string }[] }} body */
  constructor(status, body) {
    super(body.detail || body.title || `the server answered ${status}`);
    this.status = status;
    this.kind = (body.type ?? "").replace("urn:gossamer:problem:", "");
    this.errors = body.errors ?? [];
  }
}

/** The address of a resource of the crawl we look at. @param {string} path @param {Record<string, unknown>} [query] */
export function address(path, query = {}) {
  const job = here().query.job;
  const all = { ...(job && !ABOUT_THE_SERVER.test(path) ? { job } : {}), ...query };
  const given = Object.entries(all).filter(([, value]) => value !== "" && value != null);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${BASE}${path}${search ? `?${search}` : ""}`;
}

/**
 * @param {string} path
 * @param {{ method?: string, query?: Record<string, unknown>, body?: unknown, headers?: Record<string, string>, signal?: AbortSignal, raw?: boolean }} [more]
 */
export async function ask(path, { method = "GET", query, body, headers = {}, signal, raw = false } = {}) {
  /** @type {Record<string, string>} */
  const told = { ...headers };
  if (method !== "GET") told["X-Gossamer"] = "1";
  if (method === "POST") told["Idempotency-Key"] = crypto.randomUUID?.() ?? String(Math.random());
  if (body !== undefined) told["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(address(path, query), { method, headers: told, body: body === undefined ? undefined : JSON.stringify(body), signal, cache: "no-store" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, { detail: "the server does not answer; is gossamer serve still running?" });
  }
  if (!answer.ok) {
    const problem = new Problem(answer.status, await answer.json().catch(() => ({})));
    if (answer.status === 401 && path !== "session") dispatchEvent(new Event("gossamer-logged-out"));
    throw problem;
  }
  if (raw) return answer;
  if (answer.status === 204) return null;
  const text = await answer.text();
  return text === "" ? null : JSON.parse(text);
}

/** @param {string} path @param {Record<string, unknown>} [query] @param {AbortSignal} [signal] */
export const get = (path, query, signal) => ask(path, { query, signal });
/** @param {string} path @param {unknown} [body] */
export const post = (path, body) => ask(path, { method: "POST", body });
/** @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers] */
export const put = (path, body, headers) => ask(path, { method: "PUT", body, headers });
/** @param {string} path @param {Record<string, unknown>} [query] */
export const remove = (path, query) => ask(path, { method: "DELETE", query });
