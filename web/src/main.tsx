import { render } from "preact";
import { App } from "./app";
import { begin } from "./state/session";

render(<App />, document.getElementById("app")!);
void begin();
