/** Returns a function that calls `make` on its first call, and returns the same object or promise on each call. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
