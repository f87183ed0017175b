import type { ServerResponse } from "node:http";
import { Time } from "../../../time/index.ts";
import type { Response } from "../../message/response.ts";
import { isBodiless } from "../../message/fetch-response.ts";
import { http } from "./builtin.ts";

/** A response of `node:http` with the place where it keeps the text of its head until that is sent. */
interface WithHead {
  _header?: string | null;
  readonly shouldKeepAlive?: boolean;
}

/** What tells a client of HTTP/1.1 that its connection is kept, and how long: what `node:http` itself would write. */
export const keepAliveLines = (ms: number): string =>
  ms < 1 ? "Connection: keep-alive\r\n" : `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(ms / 1000)}\r\n`;

/**
 * Writes the head of an answer of known length on a connection that is kept, in one piece: most of it was turned into
 * text, and checked, long ago. `node:http` would take apart and check each line again.
 *
 * The place is not documented, though on every response of Node's for fifteen years; where it is missing, and where a
 * handler has a say in framing or date, nothing is done.
 *
 * @returns whether it did
 * @throws E_HEADER_INVALID
 */
export function writePlainHead(
  outgoing: ServerResponse,
  { status, headerLists }: Response,
  length: number,
  keepAlive: string,
): boolean {
  const response = outgoing as unknown as WithHead;
  if (response._header !== null || response.shouldKeepAlive !== true || isBodiless(status)) return false;
  let head = statusLine(status);
  for (const list of headerLists) {
    if (list.isSpecial) return false;
    head += list.text;
  }
  outgoing.statusCode = status;
  response._header = `${head}content-length: ${length}\r\n${dateLine()}${keepAlive}\r\n`;
  return true;
}

const statusLines = new Map<number, string>();

function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? "unknown"}\r\n`;
    statusLines.set(status, line);
  }
  return line;
}

let date = "";
let second = Number.NaN;

function dateLine(): string {
  const now = Math.floor(Time.timestamp() / 1000);
  if (now !== second) {
    second = now;
    date = `Date: ${new Date(now * 1000).toUTCString()}\r\n`;
  }
  return date;
}
