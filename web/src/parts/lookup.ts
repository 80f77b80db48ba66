/** A table that has nothing but its own rows: what is looked up in it may be called `constructor`. */
export const lookup = <T>(rows: Record<string, T>): Record<string, T> =>
  Object.assign(Object.create(null) as Record<string, T>, rows);
