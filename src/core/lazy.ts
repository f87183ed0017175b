/** Returns a function that calls `make` on its first call, and returns the same object or promise on each call. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Names of the methods of `T` that return a promise. */
type AsyncMethod<T> = {
  [Name in keyof T]: T[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[keyof T] &
  string;

/**
 * Returns methods that load their object on the first call, and then call its method of the same name
 * (docs/decisions/017).
 *
 * @example
 * const methods = lazyMethods(async () => (await import("./operations.ts")).operations, ["find", "delete"]);
 */
export function lazyMethods<T, Name extends AsyncMethod<T>>(
  load: () => Promise<T>,
  names: readonly Name[],
): Pick<T, Name> {
  const methods = names.map((name) => [
    name,
    async (...args: readonly unknown[]): Promise<unknown> => {
      const object = (await load()) as Readonly<Record<Name, (...methodArgs: readonly unknown[]) => Promise<unknown>>>;
      return object[name](...args);
    },
  ]);
  return Object.fromEntries(methods) as Pick<T, Name>;
}
