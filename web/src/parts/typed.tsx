// A filter that one types.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { amend } from "../state/router";

/** What is being typed stays, whatever is read again meanwhile; it counts once it is finished, or at once
 * where nobody has to be asked for what it leaves. */
export function Typed({ label, name, size, value, offered, any = "any", live = false }: {
  label: string; name: string; size: number; value: string; offered?: string[] | undefined; any?: string; live?: boolean;
}) {
  const text = useSignal(value), list = `offered-${name}`;
  useEffect(() => { text.value = value; }, [value]);
  return (
    <label class="field inline">
      <span>{label}</span>
      <input type="text" size={size} placeholder={any} list={offered && list} autocomplete="off" value={text.value}
        onInput={(event) => { text.value = event.currentTarget.value; if (live) amend({ [name]: text.value }); }}
        onChange={() => amend({ [name]: text.value.trim() })} />
      {offered && <datalist id={list}>{offered.map((one) => <option key={one} value={one} />)}</datalist>}
    </label>
  );
}
