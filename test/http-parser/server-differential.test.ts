// The server on node:net, by sockets: it handles what its parser reads, and sends one response to each request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Configuration } from "limmat";
import { RequestParser } from "../../src/http/server/net/parser.ts";
import { rounds } from "../rounds.ts";
import { expectNoFault } from "./comparison.ts";
import { makeParse } from "./net-parser.ts";
import { compareServers } from "./server-comparison.ts";

test("each request has one response, whole, cut and mutated", async () => {
  Configuration.store([
    ["HTTP_SERVER", "net"],
    ["LOG_LEVEL", "error"],
  ]);
  const comparison = await compareServers(makeParse(RequestParser), 1, rounds(2000));
  expectNoFault(comparison);
  assert.ok(comparison.handledCount > comparison.inputCount / 3);
});
