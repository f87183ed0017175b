import type { Query } from "./query-types.ts";

/** Removes the cursors of a query. */
export function withoutCursor({ after: _after, before: _before, ...query }: Query): Query {
  return query;
}

/** Removes the cursors and the offset of a query, which then shows its first page. */
export function withoutPosition(query: Query): Query {
  const { offset: _, ...others } = withoutCursor(query);
  return others;
}

/** Returns true for the query of a page at a cursor. */
export const hasCursor = ({ after, before }: Query): boolean => (after ?? before) !== undefined;
