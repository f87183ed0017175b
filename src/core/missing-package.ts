/**
 * Whether an import failed because the package is not installed. One that is there and broken, or lacks one of its own,
 * has another error.
 */
export function isPackageMissing(cause: unknown, name: string): boolean {
  return (
    cause instanceof Error &&
    "code" in cause &&
    cause.code === "ERR_MODULE_NOT_FOUND" &&
    cause.message.includes(`'${name}'`)
  );
}
