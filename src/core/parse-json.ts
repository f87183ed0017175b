/**
 * Parses JSON from outside. Keys named `__proto__` are left out, because assigning them to an object changes its
 * prototype.
 *
 * A reviver does the same, but is called for each value: a text of 1 MiB takes up to 70 times as long.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Such a key contains either the plain word or an escape of one of its characters.
  if (text.includes("__proto__") || (text.includes("\\u") && /\\u00(?:5f|70|72|6f|74)/i.test(text)))
    deletePrototypeKeys(value);
  return value;
}

/** Deletes the keys named `__proto__` of a parsed value. Iterates: nesting as deep as JSON allows overflows the stack. */
function deletePrototypeKeys(root: unknown): void {
  const pending: object[] = isObject(root) ? [root] : [];
  for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
    if (Array.isArray(container)) {
      for (const element of container as readonly unknown[]) if (isObject(element)) pending.push(element);
      continue;
    }
    const record = container as Record<string, unknown>;
    if (Object.hasOwn(record, "__proto__")) delete record["__proto__"];
    for (const key in record) if (isObject(record[key])) pending.push(record[key]);
  }
}

/**
 * Returns true if a parsed value has no number that JSON lacks: `1e400` is parsed as Infinity, which would be stored as null.
 * Iterates: nesting as deep as JSON allows overflows the stack.
 */
export function hasFiniteNumbers(root: unknown): boolean {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "number" && !Number.isFinite(value)) return false;
    if (isObject(value)) for (const member of Object.values(value)) pending.push(member);
  }
  return true;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
