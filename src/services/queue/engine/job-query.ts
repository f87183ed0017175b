import type { JobQuery } from "../contract.ts";
import { errors } from "../errors.ts";
import { jobStatuses } from "../store/contract.ts";

const maxTextLength = 256;

/**
 * Checks a query.
 *
 * @throws E_QUEUE_QUERY (400)
 */
export function checkQuery(query: JobQuery): void {
  const { sort = "desc", filter = "", limit = 1, offset = 0, status, name = "", tag = "" } = query;
  const throwInvalid = (problem: string): never => {
    throw errors.E_QUEUE_QUERY(problem);
  };
  if (!Number.isSafeInteger(limit) || limit < 1) throwInvalid("The limit must be a whole number above 0.");
  if (!Number.isSafeInteger(offset) || offset < 0) throwInvalid("The offset must be a whole number, at least 0.");
  if (sort !== "asc" && sort !== "desc") throwInvalid("The sort direction must be asc or desc.");
  if (status !== undefined && !jobStatuses.includes(status))
    throwInvalid(`The status must be one of ${jobStatuses.join(", ")}.`);
  for (const text of [filter, name, tag]) {
    if (text.length > maxTextLength) throwInvalid(`A search text has at most ${maxTextLength} characters.`);
    if (text.includes("\0") || !text.isWellFormed()) throwInvalid("A search text contains invalid characters.");
  }
}
