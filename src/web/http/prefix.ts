/** Whether a path lies outside of `PREFIX_PATH`. */
export function isOutside(path: string, prefix: string): boolean {
  return prefix !== "" && path !== prefix && !(path.startsWith(prefix) && path[prefix.length] === "/");
}

/** The path as the application sees it: without the prefix. A path outside of it stays as it is. */
export function withoutPrefix(path: string, prefix: string): string {
  if (prefix === "" || isOutside(path, prefix)) return path;
  return path === prefix ? "/" : path.slice(prefix.length);
}
