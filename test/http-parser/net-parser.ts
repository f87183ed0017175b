// The parser of `src/http/server/net`, driven as a connection drives it.
import { isError } from "limmat";
import { AllowedHosts } from "../../src/http/server/allowed-hosts.ts";
import type { ParserRules, RequestParser } from "../../src/http/server/net/parser.ts";
import type { ParsedRequest, Transcript } from "./transcript.ts";

/** Rules of the parser under test, with the default limits. */
export const rules: ParserRules = {
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  allowedHosts: new AllowedHosts(() => true),
};

/** Parses the bytes of a connection, cut at these positions. */
export type Parse = (bytes: Buffer, cuts?: readonly number[]) => Transcript;

/** Byte that overwrites what the parser has consumed, so that a reference to the buffer changes the transcript. */
const overwritten = 0x23;

/** Returns a function that parses with a class. */
export function makeParse(Parser: typeof RequestParser, parserRules: ParserRules = rules): Parse {
  const shared = Buffer.alloc(1024 * 1024);
  return (bytes, cuts = []) => {
    const requests: ParsedRequest[] = [];
    const faults: string[] = [];
    let responseCount = 0;
    let reason = "";
    let end: Transcript["end"] = "waiting";
    /** Checks the order of calls: a head, pieces of a body and an end, and nothing after a refusal. */
    const expectOpen = (call: string, isInRequest: boolean): void => {
      const isOpen = requests.at(-1)?.isComplete === false;
      if (end === "malformed" || isInRequest !== isOpen) faults.push(call);
    };
    const parser = new Parser(parserRules, {
      onHead: (head) => {
        expectOpen("onHead", false);
        responseCount += 1;
        if (head.rejection !== undefined) {
          end = "malformed";
          reason = describe(head.rejection);
          return;
        }
        const { method, target, minorVersion, keepsAlive } = head;
        const headers = head.headers.flat;
        requests.push({ method, target, minorVersion, headers, body: "", isComplete: false, keepsAlive });
      },
      onBody: (piece, from, to) => {
        expectOpen("onBody", true);
        if (to <= from) faults.push("empty body");
        const request = requests.at(-1);
        if (request !== undefined) request.body += piece.toString("latin1", from, to);
      },
      onEnd: () => {
        expectOpen("onEnd", true);
        const request = requests.at(-1);
        if (request !== undefined) request.isComplete = true;
      },
      onRefused: (refusal) => {
        if (end === "malformed") faults.push("onRefused");
        if (requests.at(-1)?.isComplete !== false) responseCount += 1;
        end = "malformed";
        reason = `${refusal.status} ${refusal.reason}`;
      },
    });
    let restBytes = 0;
    let from = 0;
    for (const cut of [...cuts, bytes.length]) {
      bytes.copy(shared, restBytes, from, cut);
      const received = restBytes + cut - from;
      let at = 0;
      while (at < received) {
        const next = parser.parse(shared, at, received);
        if (next < at || next > received) faults.push(`position ${next}`);
        if (next === at) break;
        shared.fill(overwritten, at, next);
        at = next;
      }
      shared.copy(shared, 0, at, received);
      restBytes = received - at;
      from = cut;
    }
    if (faults.length > 0) reason = `wrong calls: ${faults.join(", ")}`;
    if (end === "waiting" && parser.state === "closed") end = "closed";
    if (end === "waiting" && reason === "") reason = parser.state;
    return { requests, responseCount, end, reason };
  };
}

const describe = (error: unknown): string => (isError(error) ? error.message : String(error));
