import { STATUS_CODES } from "node:http";
import { Web } from "limmat";
import type { FieldErrors } from "../../app/domain/errors.ts";

/** Responds to invalid input with 422 and one message per field. */
export const invalid = (problems: FieldErrors): Web.Response =>
  errors(
    422,
    Object.entries(problems).map(([field, problem]) => `${field}: ${problem}`),
  );

/** Responds to all other errors. The published document defines no body for 401. */
export const errorPage = (_request: Web.Request, { status, detail, headers = {} }: Web.Failure): Web.Response =>
  status === 401
    ? Web.Response.empty(401, { headers })
    : errors(status, [detail ?? STATUS_CODES[status] ?? "Something went wrong"], headers);

const errors = (status: number, body: readonly string[], headers = {}): Web.Response =>
  Web.Response.json({ errors: { body } }, { status, headers });
