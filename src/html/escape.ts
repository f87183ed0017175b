import { errors } from "./errors.ts";
import { isSafeJson, type SafeJson, trustedJson } from "./safe.ts";

const specialCharacters = /[&<>"']/;

/** Escapes `&`, `<`, `>`, `"` and `'` for HTML: for text, `<textarea>`, `<title>` and quoted attributes. */
export function escape(text: string): string {
  const first = text.search(specialCharacters);
  if (first === -1) return text;
  let escaped = "";
  let start = 0;
  for (let index = first; index < text.length; index += 1) {
    const entity = entityOf(text.charCodeAt(index));
    if (entity === undefined) continue;
    escaped += text.slice(start, index) + entity;
    start = index + 1;
  }
  return escaped + text.slice(start);
}

function entityOf(code: number): string | undefined {
  switch (code) {
    case 38:
      return "&amp;";
    case 60:
      return "&lt;";
    case 62:
      return "&gt;";
    case 34:
      return "&quot;";
    case 39:
      return "&#39;";
    default:
      return undefined;
  }
}

// `<`, `>` and `&` could end the script element or open a comment in it. U+2028 and U+2029 end a line before ES2019.
const unsafeCharacters = /[<>&\u2028\u2029]/g;

/**
 * Marks a value to be printed as JSON in a script. Accepts every value that `JSON.stringify` accepts.
 *
 * @throws E_HTML_VALUE for a value without JSON, such as a bigint or a cyclic object.
 * @example
 * html`<script type="application/json" id="todos">${json(todos)}</script>`
 */
export function json(value: unknown): SafeJson {
  return trustedJson(jsonText(value));
}

/** Returns the JSON of a value, or of a result of `json`, safe in a script element. `undefined` becomes `null`. */
export function jsonText(value: unknown): string {
  if (isSafeJson(value)) return String(value);
  return stringify(value).replace(
    unsafeCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns the JSON as a JavaScript expression. In an object literal, a key `__proto__` would set the prototype. */
export function scriptText(value: unknown): string {
  const text = jsonText(value);
  return text.includes("__proto__") ? `JSON.parse(${jsonText(text)})` : text;
}

function stringify(value: unknown): string {
  try {
    // JSON.stringify returns undefined for a value without JSON, such as a function.
    const text: string | undefined = JSON.stringify(value);
    return text ?? "null";
  } catch (cause) {
    throw errors
      .E_HTML_VALUE("a value that JSON cannot represent", "Give strings, numbers, arrays and plain objects.")
      .causedBy(cause);
  }
}
