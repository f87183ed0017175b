// node:http with the headers that limmat sends by default: what they cost without a framework.
import { randomBytes } from "node:crypto";
import { contestant } from "../../harness/contestant.mjs";
import { securityHeaders } from "../../work/data.mjs";
import { decodeSegment, head, send, sendBad, sendNotFound, serve } from "./raw-http.mjs";

const lines = Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`);
const jsonHead = head(200, "content-type: application/json", ...lines);
const hello = "/hello/";
const prefix = randomBytes(4).toString("hex");
let count = 0;

await contestant({
  json: () =>
    serve((request, response) => {
      if (request.method !== "GET" || !request.url.startsWith(hello)) return sendNotFound(response);
      const name = decodeSegment(request.url.slice(hello.length));
      if (name === undefined) return sendBad(response);
      const id = prefix + (count++).toString(16).padStart(8, "0");
      send(response, jsonHead, JSON.stringify({ hello: name }), `x-request-id: ${id}\r\n`);
    }),
});
