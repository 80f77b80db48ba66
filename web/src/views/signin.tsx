import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Problem, asProblem } from "../api/client";
import { Sentence, Trouble } from "../parts/basics";
import { Logo } from "../parts/icons";
import type { Principal } from "../api/types";
import { answer, invited, me, parting, signIn } from "../state/session";

export function SignIn() {
  const key = useSignal("");
  const busy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.focus(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    problem.value = null;
    try {
      await signIn(key.value);
    } catch (error) {
      const told = asProblem(error);
      // What a program would have to send is no help to a person.
      problem.value = told.status !== 401 ? told
        : new Problem(401, told.code, "This key is not known here.", "It may be mistyped, revoked, or of another store.", false);
    }
    busy.value = false;
  };
  return (
    <main class="signin">
      <form onSubmit={submit}>
        <Logo />
        <h1>Lamina</h1>
        <p class="muted">See what your agents remember, and put it right.</p>
        {parting.value && !problem.value && <p class="note" role="status"><Sentence text={parting.value} /></p>}
        {problem.value && <Trouble problem={problem.value} />}
        <label class="field">
          <span>Key</span>
          <input type="password" autocomplete="off" spellcheck={false} placeholder="lmk_…" value={key.value}
            onInput={(event) => { key.value = event.currentTarget.value; }} required ref={box} />
        </label>
        <button class="primary" type="submit" disabled={busy.value}>{busy.value ? "Signing in…" : "Sign in"}</button>
        <p class="muted small">
          On the machine of the store, <code>lamina ui</code> opens this page signed in. Elsewhere,{" "}
          <code>lamina token create NAME</code> makes a key. It is forgotten at once; this tab keeps a
          token that lasts a quarter of an hour and renews it.
        </p>
      </form>
    </main>
  );
}

const named = (one: Principal | null | undefined) => one ? `${one.name} (${one.role}${one.root ? ` of ${one.root}` : ""})` : "nobody";

/** What is written from here on is somebody else's: never without being asked. */
export function Invited() {
  return (
    <main class="signin">
      <form onSubmit={(event) => { event.preventDefault(); answer(false); }}>
        <Logo />
        <h1>Sign in as somebody else?</h1>
        <p>
          You are signed in as <b>{named(me.value)}</b>. The address that was opened signs in
          as <b>{named(invited.value?.principal)}</b>, in all tabs. If you did not open it yourself, stay.
        </p>
        <button class="primary" type="submit" autofocus>Stay as {me.value?.name}</button>
        <button type="button" onClick={() => answer(true)}>Switch to {invited.value?.principal.name}</button>
      </form>
    </main>
  );
}
