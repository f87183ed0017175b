import type { Response } from "../message/response.ts";

/** Returns the response with a header name added to `Vary` (RFC 9110 §12.5.5). `name` is in lower case. */
export function withVary(response: Response, name: string): Response {
  const vary = response.header("vary");
  if (vary === undefined) return response.withHeader("vary", name);
  const names = vary.split(",").map((listedName) => listedName.trim().toLowerCase());
  return names.includes(name) || names.includes("*") ? response : response.withHeader("vary", `${vary}, ${name}`);
}
