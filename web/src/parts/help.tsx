import { groups, keyName } from "../state/keys";
import { Dialog } from "./dialog";

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      {groups.value.filter((group) => group.keys().length).map((group) => (
        <section key={group.title} class="key-group" aria-label={group.title}>
          <h3>{group.title}</h3>
          <dl class="keys">
            {group.keys().map((one) => (
              <div key={one.does}>
                <dt>{one.keys.map((key) => <kbd key={key}>{keyName(key)}</kbd>)}</dt><dd>{one.does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
