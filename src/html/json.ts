import { errors } from "./errors.ts";
import { isJson, type Json, wrapJson } from "./safe.ts";

// Left alone, these could end the script element, open a comment in it, or (U+2028, U+2029) end a line of old scripts.
const unsafe = /[<>&\u2028\u2029]/g;

/**
 * A value to be printed as JSON in a script: any that `JSON.stringify` takes.
 *
 * @throws E_HTML_VALUE for a value without JSON, such as a bigint or an object that holds itself.
 * @example
 * html`<script type="application/json" id="todos">${json(todos)}</script>`
 */
export function json(value: unknown): Json {
  return wrapJson(jsonText(value));
}

/** The JSON of a value, or of what `json` was given, safe inside a script element. `undefined` becomes `null`. */
export function jsonText(value: unknown): string {
  if (isJson(value)) return String(value);
  return stringify(value).replace(unsafe, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same as an expression of JavaScript, where a key `__proto__` of a literal would set the prototype. */
export function scriptText(value: unknown): string {
  const text = jsonText(value);
  return text.includes("__proto__") ? `JSON.parse(${jsonText(text)})` : text;
}

function stringify(value: unknown): string {
  try {
    // JSON.stringify gives undefined for what has no JSON, such as a function.
    const text: string | undefined = JSON.stringify(value);
    return text ?? "null";
  } catch (cause) {
    throw errors
      .E_HTML_VALUE("a value that JSON cannot hold", "Give strings, numbers, lists and records.")
      .causedBy(cause);
  }
}
