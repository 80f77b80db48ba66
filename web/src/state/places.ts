// Scopes are paths; these are what requests call them.
export function partOf(scope: string, level: string): string | undefined {
  const names = scope.split("/");
  const at = names.findIndex((name, index) => index % 2 === 0 && name === level);
  return at < 0 ? undefined : names[at + 1];
}

interface Whose {
  project: string | undefined;
  agent: string | undefined;
}

/** The parameters that mean an agent whose own scope this is. */
export function whose(scope: string): Whose {
  return { project: partOf(scope, "project"), agent: partOf(scope, "agent") };
}
