import { inspect } from "node:util";

const maxCauses = 5;

/** Returns the message of an error, or the text of another thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns the text of an error for a database column of `maxLength` characters: code or name, message and causes, without
 * the stack. May throw if a property of the value throws.
 */
export function errorText(error: unknown, maxLength: number): string {
  // PostgreSQL rejects NUL in texts, and UTF-8 cannot encode lone surrogates.
  return describeError(error, 0).slice(0, maxLength).replaceAll("\0", "\uFFFD").toWellFormed();
}

function describeError(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return typeof error === "string" ? error : inspect(error);
  const { code } = error as { readonly code?: unknown };
  const line = `${typeof code === "string" ? code : error.name}: ${error.message}`;
  if (error.cause === undefined || depth >= maxCauses) return line;
  return `${line}\nCaused by ${describeError(error.cause, depth + 1)}`;
}

/**
 * Returns true if `import` or `require` failed because the package is not installed. An installed package that is broken, or
 * lacks a dependency of its own, fails with another error.
 */
export function isPackageMissing(cause: unknown, name: string): boolean {
  const { code } = Object(cause) as { readonly code?: unknown };
  const isModuleMissing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  return isModuleMissing && messageOf(cause).includes(`'${name}'`);
}
