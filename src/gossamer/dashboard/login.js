// @ts-check
// Who looks: a token, traded for a session. The one in the address is taken out of it before anything is shown.
import { html, useState } from "./preact.js";
import { ask } from "./api.js";
import { tame } from "./format.js";

/** Trade the token that stands behind # for a session, if there is one. */
export async function loginByAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (!token) return;
  history.replaceState(null, "", `${location.pathname}#${given.get("to") ?? "/"}`);
  await ask("session", { method: "POST", body: { token } });
}

export function Login({ why, entered }) {
  const [state, set] = useState(/** @type {any} */ ({ problem: why ?? null, busy: false }));
  const enter = async (/** @type {any} */ event) => {
    event.preventDefault();
    set({ problem: null, busy: true });
    try {
      await ask("session", { method: "POST", body: { token: String(new FormData(event.target).get("token")).trim() } });
      entered();
    } catch (problem) {
      set({ problem, busy: false });
    }
  };
  return html`<main class="login"><div class="card"><h1><img src="icon.svg" alt="" width="28" height="28" />gossamer</h1>
    <p>Log in with a token. <code>gossamer serve</code> prints an address that contains one; open it, or paste its token here.</p>
    <form onSubmit=${enter}><label class="field wide"><span>Token</span><input name="token" type="password" autocomplete="current-password" required autofocus /></label>
      <button class="primary" disabled=${state.busy}>${state.busy ? "Logging in …" : "Log in"}</button></form>
    ${state.problem && html`<p class="told" role="alert">${tame(state.problem.message, 300)}</p>`}
    <p class="muted">A lasting token: <code>gossamer token new HOME --name me --scope operate</code></p></div></main>`;
}
