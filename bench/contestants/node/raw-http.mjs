// HTTP by hand on node:http: heads as prebuilt text, bodies without stream events, one date per second.
import { createServer, STATUS_CODES } from "node:http";
import { listen } from "../../harness/contestant.mjs";

/** Starts a server that emits no stream events for requests without a body. Returns its port. */
export const serve = (handle) => listen(createServer({ optimizeEmptyRequests: true }, handle));

const keepAlive = "Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n";

let latestDate = { second: 0, line: "" };

function dateLine() {
  const second = Math.floor(Date.now() / 1000);
  if (second !== latestDate.second) latestDate = { second, line: `Date: ${new Date(second * 1000).toUTCString()}\r\n` };
  return latestDate.line;
}

/**
 * Builds the constant lines of a head once.
 * @param {number} status
 * @param {...string} lines header lines, such as `content-type: text/plain`
 */
export const head = (status, ...lines) => ({
  status,
  text: `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map((line) => `${line}\r\n`).join("")}`,
});

export const jsonHead = head(200, "content-type: application/json");
export const htmlHead = head(200, "content-type: text/html; charset=utf-8");
const notFoundHead = head(404);

/**
 * Sends a response with a body in memory, head and body in one write. `lines` are further lines, each with its CRLF.
 *
 * `_header` holds the text of the head. It is undocumented, but in Node for fifteen years. Without it, `writeHead` checks
 * every line again.
 */
export function send(response, { status, text }, body, lines = "") {
  const length = Buffer.byteLength(body);
  if (response.shouldKeepAlive) {
    response.statusCode = status;
    response._header = `${text}${lines}content-length: ${length}\r\n${dateLine()}${keepAlive}\r\n`;
  } else {
    const fields = `${text.slice(text.indexOf("\r\n") + 2)}${lines}content-length: ${length}`.split("\r\n");
    const flat = fields.flatMap((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
    response.writeHead(status, flat);
  }
  // Node writes latin1 faster than UTF-8.
  response.end(body, length === body.length ? "latin1" : "utf8");
}

/** Sends a response without content, which has no length: 204 or 304. */
export function sendNothing(response, { status, text }, lines = "") {
  response.statusCode = status;
  response._hasBody = false;
  response._header = `${text}${lines}${dateLine()}${response.shouldKeepAlive ? keepAlive : "Connection: close\r\n"}\r\n`;
  if (!response.shouldKeepAlive) response._last = true;
  response.end();
}

export const sendJson = (response, value) => send(response, jsonHead, JSON.stringify(value));

export const sendNotFound = (response) => send(response, notFoundHead, "");

/**
 * Reads the body of a request and calls `use` with its bytes.
 *
 * Node emits `request` before it pushes the body. One tick later a small body is complete and needs no stream events.
 */
export function readBody(request, use) {
  process.nextTick(() => {
    if (request.readableLength === Number(request.headers["content-length"])) {
      const body = request.read();
      if (body !== null) {
        if (!request.complete) request.resume();
        use(body);
        return;
      }
    }
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => use(parts.length === 1 ? parts[0] : Buffer.concat(parts)));
  });
}

/** Decodes a segment of a path. Most contain nothing to decode. Returns `undefined` for a malformed one. */
export function decodeSegment(segment) {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

const badHead = head(400);

export const sendBad = (response) => send(response, badHead, "");

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const unsafe = /[&<>"']/g;

/** Escapes a text for HTML. Most texts contain nothing to escape. */
export const escape = (text) =>
  text.search(unsafe) === -1 ? text : text.replace(unsafe, (character) => escapes[character]);

/** Path of the greeting, before the name. */
export const hello = "/hello/";

/** Answers `GET /hello/:name` with JSON. */
export function sayHello(request, response) {
  if (request.method !== "GET" || !request.url.startsWith(hello)) return sendNotFound(response);
  const name = decodeSegment(request.url.slice(hello.length));
  if (name === undefined) sendBad(response);
  else sendJson(response, { hello: name });
}
