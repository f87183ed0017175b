import { STATUS_CODES } from "node:http";
import { Web } from "limmat";
import type { Problems } from "../../app/domain/errors.ts";

/** What is wrong with what was sent: 422, a message for each field. */
export const invalid = (problems: Problems): Web.Response =>
  errors(
    422,
    Object.entries(problems).map(([field, problem]) => `${field}: ${problem}`),
  );

/** What all else ends with that fails. The document has no content for 401. */
export const errorPage = (_request: Web.Request, { status, detail, headers = {} }: Web.Failure): Web.Response =>
  status === 401
    ? Web.Response.empty(401, { headers })
    : errors(status, [detail ?? STATUS_CODES[status] ?? "Something went wrong"], headers);

const errors = (status: number, body: readonly string[], headers = {}): Web.Response =>
  Web.Response.json({ errors: { body } }, { status, headers });
