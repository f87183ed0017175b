// The server on node:net, by sockets, with many new inputs. A failure names its seed.
import { test } from "node:test";
import { Configuration } from "limmat";
import { RequestParser } from "../../src/http/server/net/parser.ts";
import { expectNoFault } from "./comparison.ts";
import { makeParse } from "./net-parser.ts";
import { compareServers } from "./server-comparison.ts";

const inputCount = 200_000;
const seed = Date.now() % 1_000_000_000;

test(`each of ${inputCount} mutated inputs has as many responses as requests, seed ${seed}`, async () => {
  Configuration.store([
    ["HTTP_SERVER", "net"],
    ["LOG_LEVEL", "error"],
  ]);
  expectNoFault(await compareServers(makeParse(RequestParser), seed, inputCount));
});
