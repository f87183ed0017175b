import { suggest } from "../../core/index.ts";
import type { Request } from "../../http/message/index.ts";
import { Log } from "../../log/index.ts";
import type { Form } from "../../schema/index.ts";

/** Properties of the JSON form of an item that are not fields. Clients send them back with the item. */
const readOnlyProperties: readonly string[] = ["id", "version", "created_at", "updated_at"];

// The client decides how many names there are, and how long they are.
const maxNames = 10;
const maxNameLength = 64;

const log = Log.source("limmat.http");

/** Logs the unknown properties of a JSON body in one line, each with the most similar field. */
export function logUnknownProperties(request: Request, body: object, fields: readonly string[]): void {
  const names = unknownNames(body, fields);
  if (names.length === 0) return;
  const { method, path } = request;
  const list = names.map((name) => {
    const field = similarField(name, fields);
    return `"${name.slice(0, maxNameLength)}"${field === undefined ? "" : ` (did you mean "${field}"?)`}`;
  });
  log.warning(`Unknown properties in the body of ${method} ${path}: ${list.join(", ")}`, { method, path });
}

/** Returns a form with an error for each unknown property of a JSON body. */
export function unknownPropertiesForm(body: object, fields: readonly string[]): Form {
  return unknownNames(body, fields).map((name) => {
    const field = similarField(name, fields);
    return [name, undefined, `Unknown property${field === undefined ? "" : `. Did you mean "${field}"?`}`];
  });
}

/** Returns the first names that are neither fields nor sent back with an item. */
function unknownNames(body: object, fields: readonly string[]): readonly string[] {
  const knownNames = new Set([...fields, ...readOnlyProperties]);
  return Object.keys(body)
    .filter((name) => !knownNames.has(name))
    .slice(0, maxNames);
}

function similarField(name: string, fields: readonly string[]): string | undefined {
  return name.length > maxNameLength ? undefined : suggest(name, fields)[0];
}
