import { ConfigurationInternals } from "../config/index.ts";
import { BoundedMap } from "../core/index.ts";

// Names of the event's own properties, which a field must not overwrite, and the prototype setter.
const reservedNames = new Set(["time", "level", "source", "message", "__proto__"]);
const maxDepth = 6;
const maxEntries = 100;
/** Maximum length of a text, in UTF-16 code units. */
const maxTextLength = 16_384;
const maxCachedNames = 1000;

/** Fragments of field names whose values are redacted, in lower case without separators. */
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

/** Fragments of query parameters that are secrets in URLs, in addition to `secretNames`. */
const urlSecretNames = ["signature"];
/** Query parameters that are secrets in URLs, in lower case: codes of OAuth, signatures of storage services, API keys. */
const urlParameters: ReadonlySet<string> = new Set(["code", "key", "sig", "auth", "jwt", "otp", "ticket"]);

/** Value that is computed when an event is logged. JSON, such as the log fields of a job, leaves it out. */
export class DeferredValue<T> {
  readonly #source: T;
  readonly #compute: (source: T) => unknown;

  /** @param compute one function for all values, instead of a closure for each */
  constructor(source: T, compute: (source: T) => unknown) {
    this.#source = source;
    this.#compute = compute;
  }

  compute(): unknown {
    return this.#compute(this.#source);
  }

  toJSON(): undefined {
    return undefined;
  }
}

/** Converter of log fields to plain JSON values. */
export interface FieldSerializer {
  /**
   * Copies fields into values that JSON can represent. Handles cycles, throwing getters and huge texts. Redacts values with
   * a secret name at any depth, also in lists of names and values such as `rawHeaders`. A field with the name of an event's
   * property gets the suffix `_`.
   */
  readonly serialize: (fields: object) => Record<string, unknown>;
  /** Redacts passwords and secret parameters in the URLs of a text. */
  readonly redactUrls: (text: string) => string;
}

/** Creates a serializer that redacts names containing one of these fragments. */
export function fieldSerializer(secretFragments: readonly string[]): FieldSerializer {
  const fragments = secretFragments.map(normalizeName);
  const isSecretByName = new BoundedMap<string, boolean>(maxCachedNames);

  const isSecret = (name: string): boolean => {
    let isMatch = isSecretByName.get(name);
    if (isMatch === undefined) {
      // Clients can control field names: the cache has a limit.
      const normalized = normalizeName(name);
      isMatch = fragments.some((fragment) => normalized.includes(fragment));
      isSecretByName.set(name, isMatch);
    }
    return isMatch;
  };

  const serializeRecord = (fields: object, depth = 0): Record<string, unknown> => {
    const copy: Record<string, unknown> = {};
    const names = Object.keys(fields);
    for (const name of names.length > maxEntries ? names.slice(0, maxEntries) : names) {
      const isReserved = depth === 0 ? reservedNames.has(name) : name === "__proto__";
      copy[isReserved ? `${name}_` : name] = isSecret(name) ? "[redacted]" : serializeProperty(fields, name, depth);
    }
    if (names.length > maxEntries) copy["…"] = `[${names.length - maxEntries} more]`;
    return copy;
  };

  const serializeProperty = (fields: object, name: string, depth: number): unknown => {
    try {
      return serializeValue((fields as Record<string, unknown>)[name], depth);
    } catch {
      return "[unreadable]";
    }
  };

  const serializeValue = (value: unknown, depth: number): unknown => {
    switch (typeof value) {
      case "string":
        return redactUrls(truncate(value));
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "boolean":
      case "undefined":
        return value;
      case "object":
        return value === null ? null : serializeObject(value, depth + 1);
      case "function":
        return "[function]";
      default:
        return String(value);
    }
  };

  const serializeObject = (value: object, depth: number): unknown => {
    if (value instanceof DeferredValue) return serializeValue(value.compute(), depth - 1);
    if (value instanceof ConfigurationInternals.SecretText) return value.toString();
    if (depth > maxDepth) return "[deeper]";
    if (value instanceof Error) return serializeError(value, depth);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    if (value instanceof URL) return redactUrls(truncate(value.href));
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof Map) return serializeRecord(Object.fromEntries(value), depth);
    if (value instanceof Set) return serializeList([...value], depth);
    return Array.isArray(value) ? serializeList(value, depth) : serializeRecord(value, depth);
  };

  const serializeList = (items: readonly unknown[], depth: number): unknown[] => {
    const copy = items
      .slice(0, maxEntries)
      .map((item, index) => (isSecretValue(items, index) ? "[redacted]" : serializeValue(item, depth)));
    return items.length > maxEntries ? [...copy, `[${items.length - maxEntries} more]`] : copy;
  };

  /**
   * Returns true if the item follows a secret name in a list of alternating names and values: a pair, or a flat list of
   * headers. Names have no blanks, unlike sentences.
   */
  const isSecretValue = (items: readonly unknown[], index: number): boolean => {
    if (index % 2 === 0 || items.length % 2 !== 0) return false;
    const name = items[index - 1];
    return typeof name === "string" && /^\S{1,100}$/.test(name) && isSecret(name);
  };

  const redactUrls = (text: string): string => {
    const withoutUserinfo = text.includes("@") ? redactUserinfo(text) : text;
    if (!withoutUserinfo.includes("=")) return withoutUserinfo;
    return withoutUserinfo.replaceAll(queryParameter, (parameter: string, start: string, name: string) =>
      isSecret(name) || isUrlSecret(name) ? `${start}${name}=[redacted]` : parameter,
    );
  };

  const serializeError = (error: Error, depth: number): Record<string, unknown> => {
    const copy: Record<string, unknown> = {
      name: serializeValue(error.name, depth),
      message: serializeValue(error.message, depth),
    };
    for (const name of ["code", "stack", "cause", "errors"]) {
      const value = serializeProperty(error, name, depth);
      if (value !== undefined) copy[name] = value;
    }
    return copy;
  };

  return { serialize: serializeRecord, redactUrls };
}

// A parameter of a query or of a fragment, as in `/login?code=abc#access_token=def`.
const queryParameter = /([?&#])([^\s?&#=<>"'`]{1,100})=[^\s&#<>"'`]+/g;

function isUrlSecret(name: string): boolean {
  const normalized = normalizeName(name);
  return urlParameters.has(normalized) || urlSecretNames.some((fragment) => normalized.includes(fragment));
}

/** Redacts passwords in URLs. A name without a password in an http URL is a token, such as one of a code host. */
function redactUserinfo(text: string): string {
  if (!text.includes("://")) return text;
  return text
    .replaceAll(/(:\/\/[^\s/:@"]*):[^\s/@"]*@/g, "$1:[redacted]@")
    .replaceAll(/(\bhttps?:\/\/)[^\s/?#:@"]+@/gi, "$1[redacted]@");
}

function truncate(text: string): string {
  return text.length <= maxTextLength
    ? text
    : `${text.slice(0, maxTextLength)}… (${text.length - maxTextLength} more characters)`;
}

function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
