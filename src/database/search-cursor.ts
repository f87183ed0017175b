import { createHmac, timingSafeEqual } from "node:crypto";
import { Configuration } from "../config/index.ts";
import { errors } from "./errors.ts";
import { nameFragment, sql } from "./sql.ts";
import type { Statement } from "./statement.ts";

/** Where in a sorted list a page begins: behind the row with this value and id. */
export interface Position {
  readonly sortBy: string;
  readonly sort: "asc" | "desc";
  readonly value: unknown;
  readonly id: unknown;
}

const purpose = "search cursor";

/** A position as a text that can be sent to clients: they cannot make one of their own. */
export function encodeCursor({ sortBy, sort, value, id }: Position): string {
  const payload = Buffer.from(JSON.stringify([sortBy, sort, pack(value), pack(id)])).toString("base64url");
  const { current } = Configuration.Secret.secretKeys(purpose);
  return `${payload}.${sign(payload, current).toString("base64url")}`;
}

/**
 * The position of a text.
 *
 * @throws E_SEARCH for one that was not made here, or for another order.
 */
export function decodeCursor(cursor: string, sortBy: string, sort: "asc" | "desc"): Position {
  const [payload = "", signature = "", ...rest] = cursor.split(".");
  const given = Buffer.from(signature, "base64url");
  const isSigned = Configuration.Secret.secretKeys(purpose).all.some((key) => {
    const expected = sign(payload, key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned || rest.length > 0) throw errors.E_SEARCH("The place in the list is not valid.");
  const parts = JSON.parse(Buffer.from(payload, "base64url").toString()) as readonly [string, string, unknown, unknown];
  if (parts[0] !== sortBy || parts[1] !== sort) throw errors.E_SEARCH("The place in the list is one in another order.");
  return { sortBy, sort, value: unpack(parts[2]), id: unpack(parts[3]) };
}

/** The condition that holds for the rows behind a position, in the order of a search: NULL below all values, then ids. */
export function behind({ sortBy, sort, value, id }: Position, idColumn: string): Statement<unknown> {
  const [column, key] = [nameFragment(sortBy), nameFragment(idColumn)];
  const isAscending = sort === "asc";
  const later = isAscending ? sql`${key} > ${id}` : sql`${key} < ${id}`;
  if (sortBy === idColumn) return later;
  if (value === null) {
    return isAscending
      ? sql`${column} is not null or (${column} is null and ${later})`
      : sql`${column} is null and ${later}`;
  }
  return isAscending
    ? sql`${column} > ${value} or (${column} = ${value} and ${later})`
    : sql`${column} < ${value} or (${column} = ${value} and ${later}) or ${column} is null`;
}

const sign = (payload: string, key: Buffer): Buffer => createHmac("sha256", key).update(payload).digest();

/** Values that JSON does not know are packed with their type. */
function pack(value: unknown): unknown {
  if (value instanceof Date) return { date: value.toISOString() };
  return typeof value === "bigint" ? { bigint: String(value) } : value;
}

function unpack(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return "date" in value ? new Date(String(value.date)) : BigInt(String((value as { bigint: unknown }).bigint));
}
