/** Describes a value of the wrong type for an error message: `undefined`, `a list`, `a promise`, `a value of type string`. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof (value as { readonly then?: unknown }).then === "function") return "a promise";
  return typeof value === "function" ? "a function" : `a value of type ${typeof value}`;
}
