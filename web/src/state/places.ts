// Scopes are paths; these are what requests call them.
export function partOf(scope: string, level: string): string | undefined {
  const names = scope.split("/");
  const at = names.findIndex((name, index) => index % 2 === 0 && name === level);
  return at < 0 ? undefined : names[at + 1];
}
