import type { InstanceQuery } from "./contract.ts";
import { errors } from "./errors.ts";
import { statuses } from "./store.ts";

const longestFilter = 256;

/**
 * The query, unless something in it is not allowed.
 *
 * @throws E_QUEUE_QUERY (400)
 */
export function checkedQuery(query: InstanceQuery): InstanceQuery {
  const { sort = "desc", filter = "", limit = 1, offset = 0, status, name = "", tag = "" } = query;
  const refuse = (problem: string): never => {
    throw errors.E_QUEUE_QUERY(problem);
  };
  if (!Number.isSafeInteger(limit) || limit < 1) refuse("The limit must be a whole number above 0.");
  if (!Number.isSafeInteger(offset) || offset < 0) refuse("The offset must be a whole number, at least 0.");
  if (sort !== "asc" && sort !== "desc") refuse("The sort direction must be asc or desc.");
  if (status !== undefined && !statuses.includes(status)) refuse(`A status is one of ${statuses.join(", ")}.`);
  for (const text of [filter, name, tag]) {
    if (text.length > longestFilter) refuse(`A text to look for has at most ${longestFilter} characters.`);
    if (text.includes("\0") || !text.isWellFormed()) refuse("A text to look for holds what no text can.");
  }
  return query;
}
