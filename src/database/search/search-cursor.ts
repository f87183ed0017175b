import { createHmac } from "node:crypto";
import { Configuration } from "../../config/index.ts";
import { constantTimeEqual } from "../../random/index.ts";
import { errors } from "../errors.ts";
import { identifierFragment, sql } from "../statement/sql.ts";
import type { Statement } from "../statement/statement.ts";

/** Position of a row in a sorted list: its value in the sort column, and its id. */
export interface CursorPosition {
  readonly value: unknown;
  readonly id: unknown;
}

const keyPurpose = "search cursor";

/**
 * Encodes a position as a text for clients. Clients can read it but not create one: it is signed together with the data
 * that it is bound to, such as the order of the list.
 */
export function encodeCursor({ value, id }: CursorPosition, boundTo: readonly unknown[]): string {
  const payload = Buffer.from(JSON.stringify([toJsonValue(value), toJsonValue(id)])).toString("base64url");
  return `${payload}.${sign(payload, boundTo, Configuration.secretKeys(keyPurpose).current)}`;
}

/**
 * Verifies and decodes a cursor.
 *
 * @throws E_SEARCH (400) if the signature is invalid or the cursor is bound to other data.
 */
export function decodeCursor(cursor: string, boundTo: readonly unknown[]): CursorPosition {
  const [payload = "", ...rest] = cursor.split(".");
  const signature = rest.join(".");
  const isSigned = Configuration.secretKeys(keyPurpose).all.some((key) =>
    constantTimeEqual(signature, sign(payload, boundTo, key)),
  );
  if (!isSigned) {
    throw errors.E_SEARCH(
      "The cursor is not valid. A cursor belongs to one list, sort order and filter. Start again from the first page.",
    );
  }
  const [value, id] = JSON.parse(Buffer.from(payload, "base64url").toString()) as readonly [unknown, unknown];
  return { value: fromJsonValue(value), id: fromJsonValue(id) };
}

/**
 * Returns the condition for the rows after a position, in the order of the search. NULL sorts below all values; the id
 * orders rows with equal values.
 */
export function afterCursor(
  { value, id }: CursorPosition,
  { sortBy, sort, id: idName }: { readonly sortBy: string; readonly sort: "asc" | "desc"; readonly id: string },
): Statement<unknown> {
  const [sortColumn, idColumn] = [identifierFragment(sortBy), identifierFragment(idName)];
  const isAscending = sort === "asc";
  const hasLaterId = isAscending ? sql`${idColumn} > ${id}` : sql`${idColumn} < ${id}`;
  if (sortBy === idName) return hasLaterId;
  if (value === null) {
    return isAscending
      ? sql`${sortColumn} is not null or (${sortColumn} is null and ${hasLaterId})`
      : sql`${sortColumn} is null and ${hasLaterId}`;
  }
  return isAscending
    ? sql`${sortColumn} > ${value} or (${sortColumn} = ${value} and ${hasLaterId})`
    : sql`${sortColumn} < ${value} or (${sortColumn} = ${value} and ${hasLaterId}) or ${sortColumn} is null`;
}

const sign = (payload: string, boundTo: readonly unknown[], key: Buffer): string =>
  createHmac("sha256", key)
    .update(JSON.stringify([payload, ...boundTo]))
    .digest("base64url");

/** Converts a value to JSON. A type that JSON lacks becomes an object with the type's name as its key. */
function toJsonValue(value: unknown): unknown {
  if (value instanceof Date) return { date: value.toISOString() };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64url") };
  return typeof value === "bigint" ? { bigint: String(value) } : value;
}

function fromJsonValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const tagged = value as { readonly date: string } | { readonly bytes: string } | { readonly bigint: string };
  if ("date" in tagged) return new Date(tagged.date);
  return "bytes" in tagged ? new Uint8Array(Buffer.from(tagged.bytes, "base64url")) : BigInt(tagged.bigint);
}
