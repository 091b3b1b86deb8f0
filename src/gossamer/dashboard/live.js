// @ts-check
// What happens, as it happens: one stream for all tabs of a browser that look at the same crawl.
//
// A browser opens six connections to a server at most, so a stream a tab would leave the seventh tab without an answer. The tab
// that holds the lock of its crawl streams, and tells the others over a channel; when it goes, the next one has the lock. Where
// there are no locks (a page that did not come from loopback or over HTTPS), or too many crawls are watched, a tab asks now and then.
import { useEffect, useState } from "./preact.js";
import { address, get } from "./api.js";
import { here } from "./route.js";

const MOST = 500; // events that are kept
const STREAMS = 3; // of one browser
const POLL = 2000; // milliseconds
const SILENCE = 8000;
const KINDS = ["visit", "word", "begun", "ended", "gap"];

/** @typedef {{ at: number, state: string, trouble: string, since: number, finished: Record<string, number>, requests: number, bytes: number, retries: number, too_soon: number, worker_deaths: number, stalls: number, stall_seconds: number, last_commit: number, outcomes: Record<string, number>, pages: number, frontier: Record<string, number>, under_way: number, workers: any[], disk_free: number, rules: number, freshness: number | null, next_time: number | null, hosts_paused?: number, breakers_open?: number }} Pulse */
/** @typedef {{ id: string, kind: string, at: number, host: string, said: Record<string, any> }} Happening */

export const live = {
  /** @type {Pulse | null} */ pulse: null,
  /** @type {{ at: number, pages: number, requests: number, bytes: number, failed: number }[]} */ recent: [],
  /** @type {Happening[]} */ events: [],
  /** @type {"leads" | "follows" | "polls" | ""} */ by: "",
  heard: 0, // milliseconds
  paused: false,
  trouble: "",
};

/** @type {Set<() => void>} */
const watchers = new Set();
let drawing = false;

/** Draw once for all that comes within a quarter of a second. */
function told() {
  if (drawing) return;
  drawing = true;
  setTimeout(() => {
    drawing = false;
    if (!live.paused && !isSelecting()) for (const watcher of watchers) watcher();
  }, 250);
}

/** Nobody can copy a text that moves. */
const isSelecting = () => {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && document.querySelector("main")?.contains(selection.anchorNode) === true;
};

/** Be drawn again when something has happened. */
export function useLive() {
  const [, set] = useState(0);
  useEffect(() => {
    const watcher = () => set((turn) => turn + 1);
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  }, []);
  return live;
}

export function togglePause() {
  live.paused = !live.paused;
  for (const watcher of watchers) watcher();
}

const FAILED = new Set(["server_error", "throttled", "dns_failed", "connect_failed", "tls_failed", "timed_out", "protocol_error", "breaker_open", "bug"]);

/** URLs that were tried and failed. @param {Record<string, number>} outcomes */
export const failedOf = (outcomes) => Object.entries(outcomes).reduce((sum, [name, number]) => sum + (FAILED.has(name) ? number : 0), 0);

/** @param {Pulse} pulse */
function beat(pulse) {
  live.heard = Date.now();
  live.trouble = "";
  live.pulse = pulse;
  const last = live.recent.at(-1);
  if (last === undefined || pulse.at > last.at) {
    live.recent.push({ at: pulse.at, pages: pulse.pages, requests: pulse.requests, bytes: pulse.bytes, failed: failedOf(pulse.outcomes) });
    if (live.recent.length > 120) live.recent.shift();
  }
  told();
}

/** @param {Happening} event */
function happened(event) {
  if (live.events.length > 0 && live.events[0].id === event.id) return;
  live.events.unshift(event);
  if (live.events.length > MOST) live.events.length = MOST;
  told();
}

/** How much a second of a counter, over the last moments. @param {"pages" | "requests" | "bytes" | "failed"} name */
export function perSecond(name, over = 10) {
  const last = live.recent.at(-1);
  if (last === undefined) return null;
  const first = live.recent.find((one) => one.at >= last.at - over);
  return first === undefined || last.at - first.at < 0.5 ? null : Math.max(0, last[name] - first[name]) / (last.at - first.at);
}

/** Follow the crawl that the address names; returns how to stop. */
export function follow() {
  const job = here().query.job ?? "";
  Object.assign(live, { pulse: null, recent: [], events: [], by: "", heard: Date.now(), trouble: "" });
  const ending = new AbortController();
  if (typeof navigator.locks === "undefined" || typeof BroadcastChannel === "undefined") {
    poll(ending.signal);
  } else {
    void share(job, ending.signal);
  }
  const silent = setInterval(() => {
    if (Date.now() - live.heard > SILENCE && live.trouble === "") {
      live.trouble = "nothing was heard of this crawl for a while";
      told();
    }
  }, 1000);
  return () => {
    ending.abort();
    clearInterval(silent);
  };
}

/** @param {string} job @param {AbortSignal} signal */
async function share(job, signal) {
  const name = `gossamer-live:${job}`;
  const held = (await navigator.locks.query()).held ?? [];
  const others = held.filter((lock) => lock.name?.startsWith("gossamer-live:") && lock.name !== name);
  if (signal.aborted) return;
  if (others.length >= STREAMS) return poll(signal);
  const channel = new BroadcastChannel(name);
  signal.addEventListener("abort", () => channel.close());
  live.by = "follows";
  channel.onmessage = ({ data }) => {
    if (data.pulse) beat(data.pulse);
    if (data.event) happened(data.event);
    if (data.hello && live.by === "leads" && live.pulse) channel.postMessage({ pulse: live.pulse });
  };
  channel.postMessage({ hello: true });
  navigator.locks.request(name, { signal }, () => lead(channel, signal)).catch(() => undefined);
}

/** Stream until we go. @param {BroadcastChannel} channel @param {AbortSignal} signal @returns {Promise<void>} */
function lead(channel, signal) {
  return new Promise((done) => {
    if (signal.aborted) return done();
    live.by = "leads";
    told();
    /** @type {EventSource | null} */
    let source = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let again;
    const open = () => {
      source = new EventSource(address("events", { kinds: ["pulse", ...KINDS].join(",") }));
      source.addEventListener("pulse", (message) => {
        const pulse = JSON.parse(message.data);
        beat(pulse);
        channel.postMessage({ pulse });
      });
      for (const kind of KINDS) {
        source.addEventListener(kind, (message) => {
          const event = JSON.parse(message.data);
          happened(event);
          channel.postMessage({ event });
        });
      }
      source.onerror = () => {
        // A crawl that is only being made has no stream yet; its numbers can be asked for.
        get("stats", {}, signal).then(({ pulse }) => {
          beat(pulse);
          channel.postMessage({ pulse });
        }, () => undefined);
        if (source?.readyState === EventSource.CLOSED && !signal.aborted) again = setTimeout(open, POLL);
      };
    };
    open();
    signal.addEventListener("abort", () => {
      clearTimeout(again);
      source?.close();
      done();
    });
  });
}

/** Ask every two seconds. @param {AbortSignal} signal */
async function poll(signal) {
  live.by = "polls";
  while (!signal.aborted) {
    try {
      if (!document.hidden) beat((await get("stats", {}, signal)).pulse);
    } catch (error) {
      if (!signal.aborted) live.trouble = String(/** @type {Error} */ (error).message);
      told();
    }
    await new Promise((done) => setTimeout(done, POLL));
  }
}
