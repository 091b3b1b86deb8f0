// @ts-check
// Two texts side by side, line by line. Pure.

const MOST = 1500; // lines of each that are compared

/**
 * The rows of a comparison: what both have, what only the old has, what only the new has.
 * @param {string} before @param {string} after
 * @returns {{ rows: { old: string | null, new: string | null }[], isCut: boolean, changes: number }}
 */
export function compare(before, after) {
  const left = before.split("\n");
  const right = after.split("\n");
  const isCut = left.length > MOST || right.length > MOST;
  const a = left.slice(0, MOST);
  const b = right.slice(0, MOST);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const middle = longest(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = (/** @type {string} */ line) => ({ old: line, new: line });
  const rows = [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
  return { rows, isCut, changes: middle.filter((row) => row.old !== row.new).length };
}

/** By the longest common subsequence. @param {string[]} a @param {string[]} b */
function longest(a, b) {
  const wide = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) lengths[i * wide + j] = a[i] === b[j] ? lengths[(i + 1) * wide + j + 1] + 1 : Math.max(lengths[(i + 1) * wide + j], lengths[i * wide + j + 1]);
  /** @type {{ old: string | null, new: string | null }[]} */
  const rows = [];
  /** @type {string[]} */ let gone = [];
  /** @type {string[]} */ let come = [];
  const settle = () => {
    for (let place = 0; place < Math.max(gone.length, come.length); place += 1) rows.push({ old: gone[place] ?? null, new: come[place] ?? null });
    gone = [];
    come = [];
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      settle();
      rows.push({ old: a[i], new: b[j] });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && lengths[(i + 1) * wide + j] >= lengths[i * wide + j + 1])) gone.push(a[i++]);
    else come.push(b[j++]);
  }
  settle();
  return rows;
}
