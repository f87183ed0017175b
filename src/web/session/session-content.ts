/** What a session holds. Maps, so that a key such as `__proto__` is a key like any other. */
export interface SessionContent {
  /** What the application keeps. */
  readonly values: ReadonlyMap<string, string>;
  /** What the framework keeps beside it, such as the CSRF secret: survives when the application replaces its values. */
  readonly reserved: ReadonlyMap<string, string>;
  /** When the session began, in milliseconds since 1970. Only kept where sessions have an end. */
  readonly born: number | undefined;
}

/** A session with nothing in it. */
export const emptyContent: SessionContent = Object.freeze({ values: new Map(), reserved: new Map(), born: undefined });

/** Whether there is nothing in a session, so that it needs no cookie. */
export function isEmpty(content: SessionContent): boolean {
  return content.values.size === 0 && content.reserved.size === 0;
}

/** The session as the JSON text that is signed: `[values]`, `[values, reserved]` or `[values, reserved, born]`. */
export function encodeContent({ values, reserved, born }: SessionContent): string {
  const parts: unknown[] = [Object.fromEntries(values)];
  if (reserved.size > 0 || born !== undefined) parts.push(Object.fromEntries(reserved));
  if (born !== undefined) parts.push(born);
  return JSON.stringify(parts);
}

/** The session of a JSON text that was signed; `undefined` when it has another form, such as that of another version. */
export function decodeContent(text: string): SessionContent | undefined {
  const parts = parse(text);
  if (!Array.isArray(parts)) return undefined;
  const values = decodeMap(parts[0]);
  const reserved = decodeMap(parts[1] ?? {});
  const born: unknown = parts[2];
  if (values === undefined || reserved === undefined) return undefined;
  return { values, reserved, born: typeof born === "number" ? born : undefined };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decodeMap(part: unknown): ReadonlyMap<string, string> | undefined {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return undefined;
  const entries = Object.entries(part as Record<string, unknown>);
  return entries.every((entry): entry is [string, string] => typeof entry[1] === "string")
    ? new Map(entries)
    : undefined;
}
