import { createHmac, timingSafeEqual } from "node:crypto";
import { Configuration } from "../config/index.ts";
import { errors } from "./errors.ts";
import { nameFragment, sql } from "./sql.ts";
import type { Statement } from "./statement.ts";

/** Where in a sorted list a page begins or ends: at the row with this value and id. */
export interface Place {
  readonly value: unknown;
  readonly id: unknown;
}

const purpose = "search cursor";

/**
 * A place as a text that can be sent to clients. They can read it, but make none of their own: it is signed together
 * with what it is bound to, such as the order of the list.
 */
export function encodeCursor({ value, id }: Place, boundTo: readonly unknown[]): string {
  const payload = Buffer.from(JSON.stringify([pack(value), pack(id)])).toString("base64url");
  return `${payload}.${signature(payload, boundTo, Configuration.Secret.secretKeys(purpose).current)}`;
}

/**
 * The place of a text.
 *
 * @throws E_SEARCH (400) for one that was not made here, or is bound to something else.
 */
export function decodeCursor(cursor: string, boundTo: readonly unknown[]): Place {
  const [payload = "", ...rest] = cursor.split(".");
  const given = Buffer.from(rest.join("."));
  const isSigned = Configuration.Secret.secretKeys(purpose).all.some((key) => {
    const expected = Buffer.from(signature(payload, boundTo, key));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned) {
    throw errors.E_SEARCH("The place in the list is not valid: it holds for one list, order and filter. Begin anew.");
  }
  const [value, id] = JSON.parse(Buffer.from(payload, "base64url").toString()) as readonly [unknown, unknown];
  return { value: unpack(value), id: unpack(id) };
}

/** The condition that holds for the rows behind a place, in the order of a search: NULL below all values, then ids. */
export function behind(
  { value, id }: Place,
  { sortBy, sort, id: idColumn }: { readonly sortBy: string; readonly sort: "asc" | "desc"; readonly id: string },
): Statement<unknown> {
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

const signature = (payload: string, boundTo: readonly unknown[], key: Buffer): string =>
  createHmac("sha256", key)
    .update(JSON.stringify([payload, ...boundTo]))
    .digest("base64url");

/** Values that JSON does not know are packed with their type. */
function pack(value: unknown): unknown {
  if (value instanceof Date) return { date: value.toISOString() };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64url") };
  return typeof value === "bigint" ? { bigint: String(value) } : value;
}

function unpack(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const packed = value as { readonly date: string } | { readonly bytes: string } | { readonly bigint: string };
  if ("date" in packed) return new Date(packed.date);
  return "bytes" in packed ? new Uint8Array(Buffer.from(packed.bytes, "base64url")) : BigInt(packed.bigint);
}
