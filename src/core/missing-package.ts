/**
 * Returns true if an import failed because the package is not installed. An installed package that is broken, or lacks a
 * dependency of its own, fails with another error.
 */
export function isPackageMissing(cause: unknown, name: string): boolean {
  return (
    cause instanceof Error &&
    "code" in cause &&
    cause.code === "ERR_MODULE_NOT_FOUND" &&
    cause.message.includes(`'${name}'`)
  );
}
