import { TimeInternals } from "../../time/index.ts";
import { isFraming } from "../message/header-list.ts";
import type { Response } from "../message/response.ts";
import { http } from "./node/builtin.ts";

/** Headers of a persistent connection: all of them as text, and those that `node:http` does not add itself as a list. */
export interface KeepAliveHeaders {
  readonly text: string;
  readonly flat: readonly string[];
}

/** Formats the headers of a persistent connection, in the spelling of `node:http`. */
export function formatKeepAlive(keepAliveMs: number): KeepAliveHeaders {
  if (keepAliveMs < 1) return { text: "Connection: keep-alive\r\n", flat: [] };
  const timeout = `timeout=${Math.floor(keepAliveMs / 1000)}`;
  return { text: `Connection: keep-alive\r\nKeep-Alive: ${timeout}\r\n`, flat: ["Keep-Alive", timeout] };
}

/**
 * Formats the head of a response. Each header list has cached its checked text. Framing headers of the lists are dropped.
 *
 * @param framingLines lines about the length of the body
 * @param connectionLines lines about the connection
 * @throws E_HEADER_INVALID
 */
export function formatHead({ status, headerLists }: Response, framingLines: string, connectionLines: string): string {
  let head = statusLine(status);
  let hasDate = false;
  for (const list of headerLists) {
    if (list.isSpecial) {
      hasDate ||= list.has("date");
      head += list.filter((name) => !isFraming(name)).text;
    } else head += list.text;
  }
  return `${head}${framingLines}${hasDate ? "" : dateLine()}${connectionLines}\r\n`;
}

/** Formats a complete response to a request that could not be parsed. The connection is closed after it. */
export function formatRefusal(status: number): string {
  const body = `${status} ${http.STATUS_CODES[status] ?? ""}\n`;
  const head = [
    `Connection: close`,
    "Content-Type: text/plain; charset=utf-8",
    "X-Content-Type-Options: nosniff",
    `Content-Length: ${body.length}`,
  ];
  return `${statusLine(status)}${dateLine()}${head.join("\r\n")}\r\n\r\n${body}`;
}

const statusLine = (status: number): string => `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? "unknown"}\r\n`;

let latestDate = { second: Number.NaN, line: "" };

/** Returns the `Date` header, formatted once per second. */
function dateLine(): string {
  const second = Math.floor(TimeInternals.timestamp() / 1000);
  if (second !== latestDate.second) {
    latestDate = { second, line: `Date: ${new Date(second * 1000).toUTCString()}\r\n` };
  }
  return latestDate.line;
}
