import { Log } from "../../../log/index.ts";
import type { Request } from "../../../http/message/index.ts";

/** What stands in the place of a secret. */
export const blank = "•••";

/** The headers of a request, those that hold secrets blanked; the names of its cookies are kept. */
export function visibleHeaders(request: Request): readonly (readonly [string, string])[] {
  return Array.from(request.headers, ([name, value]) => {
    if (name === "cookie") return [name, request.cookies.map(([cookie]) => `${cookie}=${blank}`).join("; ")];
    return [name, isSecret(name) ? blank : value];
  });
}

/** The parameters of a query, those that hold secrets blanked. */
export function visibleQuery(request: Request): readonly (readonly [string, string])[] {
  return Array.from(request.query, ([name, value]) => [name, isSecret(name) ? blank : value]);
}

function isSecret(name: string): boolean {
  const bare = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return Log.secretNames.some((fragment) => bare.includes(fragment));
}
