import { hush, said, takeBack } from "../state/saying";
import { IconButton, Sentence } from "./basics";

export function Toasts() {
  return (
    <div class="toasts" aria-live="polite">
      {said.value.map((one) => (
        <div key={one.number} class={one.bad ? "toast bad" : "toast"} role={one.bad ? "alert" : "status"}>
          <div><strong><Sentence text={one.text} /></strong>{one.remedy && <p><Sentence text={one.remedy} /></p>}</div>
          {one.tx && (
            <button type="button" onClick={() => { hush(one.number); void takeBack(one.tx!); }}>Undo</button>
          )}
          <IconButton icon="close" label="Dismiss" onClick={() => hush(one.number)} />
        </div>
      ))}
    </div>
  );
}
