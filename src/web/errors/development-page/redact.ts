import { Log } from "../../../log/index.ts";
import type { Request } from "../../../http/message/index.ts";

/** Placeholder of a secret value. */
export const redacted = "•••";

/** Returns the headers of a request with secrets redacted; the names of its cookies are kept. */
export function redactedHeaders(request: Request): readonly (readonly [string, string])[] {
  return Array.from(request.headers, ([name, value]) => {
    if (name === "cookie") return [name, request.cookies.map(([cookie]) => `${cookie}=${redacted}`).join("; ")];
    return [name, isSecretName(name) ? redacted : value];
  });
}

/** Returns the query parameters of a request with secrets redacted. */
export function redactedQuery(request: Request): readonly (readonly [string, string])[] {
  return Array.from(request.query, ([name, value]) => [name, isSecretName(name) ? redacted : value]);
}

function isSecretName(name: string): boolean {
  const bare = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return Log.secretNames.some((fragment) => bare.includes(fragment));
}
