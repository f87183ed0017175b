import { isObject } from "../names.ts";

/** Content of a session. Maps, so that keys such as `__proto__` are safe. */
export interface SessionContent {
  /** Values of the application. */
  readonly values: ReadonlyMap<string, string>;
  /** Values of the framework, such as the CSRF secret. They stay when the application replaces its values. */
  readonly reserved: ReadonlyMap<string, string>;
  /** Start of the session, in milliseconds since 1970. Stored only if sessions have a maximum age. */
  readonly createdAtMs: number | undefined;
}

/** Content of an empty session. */
export const emptyContent: SessionContent = Object.freeze({
  values: new Map(),
  reserved: new Map(),
  createdAtMs: undefined,
});

/** Returns true if a session is empty and needs no cookie. */
export const isEmpty = (content: SessionContent): boolean => content.values.size === 0 && content.reserved.size === 0;

/** Encodes a session as the JSON text to sign: `[values]`, `[values, reserved]` or `[values, reserved, createdAtMs]`. */
export function encodeContent({ values, reserved, createdAtMs }: SessionContent): string {
  const parts: unknown[] = [Object.fromEntries(values)];
  if (reserved.size > 0 || createdAtMs !== undefined) parts.push(Object.fromEntries(reserved));
  if (createdAtMs !== undefined) parts.push(createdAtMs);
  return JSON.stringify(parts);
}

/** Decodes a session from its JSON text. Returns `undefined` for another format, such as one of another version. */
export function decodeContent(text: string): SessionContent | undefined {
  const parts = parseOpt(text);
  if (!Array.isArray(parts)) return undefined;
  const values = decodeMap(parts[0]);
  const reserved = decodeMap(parts[1] ?? {});
  const createdAtMs: unknown = parts[2];
  if (values === undefined || reserved === undefined) return undefined;
  return { values, reserved, createdAtMs: typeof createdAtMs === "number" ? createdAtMs : undefined };
}

/** Parses JSON of a session. Returns `undefined` for another text, which no session of this version has. */
export function parseOpt(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decodeMap(part: unknown): ReadonlyMap<string, string> | undefined {
  if (!isObject(part)) return undefined;
  const map = new Map<string, string>();
  for (const key of Object.keys(part)) {
    const value = part[key];
    if (typeof value !== "string") return undefined;
    map.set(key, value);
  }
  return map;
}
