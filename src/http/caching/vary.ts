import type { Response } from "../message/response.ts";

/** The response, saying that it depends on this header of the request as well (RFC 9110 §12.5.5). */
export function withVary(response: Response, name: string): Response {
  const given = response.header("vary");
  if (given === undefined) return response.withHeader("vary", name);
  const names = given.split(",").map((one) => one.trim().toLowerCase());
  return names.includes(name) || names.includes("*") ? response : response.withHeader("vary", `${given}, ${name}`);
}
