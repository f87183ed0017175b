// A field of this name would pass for the event's own property, or set the prototype.
const taken = new Set(["time", "level", "source", "message", "__proto__"]);
const mostDepth = 6;
const mostEntries = 100;
const longestText = 16_384;

/** Fragments of the names whose values are blanked, in lower case without separators. */
export const secretNames: readonly string[] = [
  "password",
  "passwd",
  "passphrase",
  "secret",
  "token",
  "authorization",
  "cookie",
  "csrf",
  "apikey",
  "privatekey",
  "credential",
];

/** Makes plain values of any values. */
export interface Plain {
  /**
   * Copies fields into what JSON can hold, whatever they are: circles, getters that throw, huge texts. Values whose
   * name tells that they are secret are blanked, at any depth. A field with the name of a property of the event gets
   * an underscore behind it.
   */
  readonly record: (fields: object) => Record<string, unknown>;
}

/** Makes the copier that blanks names holding one of these fragments. */
export function plain(fragments: readonly string[]): Plain {
  const bare = fragments.map(withoutSeparators);
  const known = new Map<string, boolean>();

  const isSecret = (name: string): boolean => {
    let answer = known.get(name);
    if (answer === undefined) {
      // Names may come from outside.
      if (known.size >= 1000) known.clear();
      const text = withoutSeparators(name);
      answer = bare.some((fragment) => text.includes(fragment));
      known.set(name, answer);
    }
    return answer;
  };

  const record = (fields: object, depth = 0): Record<string, unknown> => {
    const copy: Record<string, unknown> = {};
    const names = Object.keys(fields);
    for (const name of names.length > mostEntries ? names.slice(0, mostEntries) : names) {
      const isTaken = depth === 0 ? taken.has(name) : name === "__proto__";
      copy[isTaken ? `${name}_` : name] = isSecret(name) ? "[redacted]" : property(fields, name, depth);
    }
    if (names.length > mostEntries) copy["…"] = `[${names.length - mostEntries} more]`;
    return copy;
  };

  const property = (fields: object, name: string, depth: number): unknown => {
    try {
      return value((fields as Record<string, unknown>)[name], depth);
    } catch {
      return "[unreadable]";
    }
  };

  const value = (given: unknown, depth: number): unknown => {
    switch (typeof given) {
      case "string":
        return clip(given);
      case "number":
        return Number.isFinite(given) ? given : String(given);
      case "boolean":
      case "undefined":
        return given;
      case "object":
        return given === null ? null : object(given, depth + 1);
      case "function":
        return "[function]";
      default:
        return String(given);
    }
  };

  const object = (given: object, depth: number): unknown => {
    if (depth > mostDepth) return "[deeper]";
    if (given instanceof Error) return error(given, depth);
    if (given instanceof Date) return Number.isNaN(given.getTime()) ? "Invalid Date" : given.toISOString();
    if (given instanceof URL) return clip(given.href);
    if (ArrayBuffer.isView(given)) return `[${given.byteLength} bytes]`;
    if (given instanceof Map) return record(Object.fromEntries(given), depth);
    if (given instanceof Set) return list([...given], depth);
    return Array.isArray(given) ? list(given, depth) : record(given, depth);
  };

  const list = (items: readonly unknown[], depth: number): unknown[] => {
    const copy = items.slice(0, mostEntries).map((item) => value(item, depth));
    return items.length > mostEntries ? [...copy, `[${items.length - mostEntries} more]`] : copy;
  };

  const error = (given: Error, depth: number): Record<string, unknown> => {
    const copy: Record<string, unknown> = { name: value(given.name, depth), message: value(given.message, depth) };
    for (const name of ["code", "stack", "cause", "errors"]) {
      const told = property(given, name, depth);
      if (told !== undefined) copy[name] = told;
    }
    return copy;
  };

  return { record };
}

function clip(text: string): string {
  return text.length <= longestText
    ? text
    : `${text.slice(0, longestText)}… (${text.length - longestText} more characters)`;
}

function withoutSeparators(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
