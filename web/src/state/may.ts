// What the one who is signed in may do; the server decides, this only hides the rest.
import { me } from "./session";

const isOne = (...roles: string[]) => roles.includes(me.value?.role ?? "reader");

/** Change memories at all. */
export const mayWrite = () => isOne("admin", "orchestrator", "agent");
/** Decide on proposals. */
export const maySettle = () => isOne("admin", "orchestrator");
/** Say that something was looked at and stays. */
export const mayKeep = () => isOne("admin");
/** Have the server look at files beside the store. */
export const mayLookAtFiles = () => isOne("admin") && me.value?.root === null;
