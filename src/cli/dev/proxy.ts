import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { styleText } from "node:util";
import { clientScript, failurePage, type News, ownPaths, scriptTag } from "./client.ts";
import { allowingOwn } from "./policy.ts";

/** The version of the application that answers now. */
export type Version =
  | { readonly port: number }
  /** None has run yet, or the last one has ended. */
  | { readonly reason: string };

/** The server that browsers talk to. */
export interface Proxy {
  readonly server: Server;
  /** Tells all browsers. */
  readonly tell: (news: News) => void;
}

/**
 * Makes the server in front of the application: it passes everything on, says how each request was answered, adds its script
 * to pages, and shows what is wrong when there is nobody to pass it on to. `version` waits while a new version starts.
 */
export function makeProxy(version: () => Promise<Version>, greeting: () => News, say: (line: string) => void): Proxy {
  const agent = new Agent({ keepAlive: true });
  const listeners = new Set<ServerResponse>();
  const line = (news: News): string => `data: ${JSON.stringify(news)}\n\n`;

  const subscribe = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(line(greeting()));
    listeners.add(response);
    response.once("close", () => listeners.delete(response));
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (incoming.url === ownPaths.events) return subscribe(response);
    if (incoming.url === ownPaths.script) {
      response.writeHead(200, { "content-type": "text/javascript", "cache-control": "no-store" });
      response.end(clientScript);
      return;
    }
    const current = await version();
    if ("port" in current) {
      if (!isPartOfPage(incoming)) sayAnswer(incoming, response, say);
      passOn(incoming, response, current.port, agent);
    } else fail(response, current.reason);
  };

  const upgrade = async (incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const current = await version();
    if ("port" in current) tunnel(incoming, socket, head, current.port);
    else socket.destroy();
  };

  const server = createServer((incoming, response) => void answer(incoming, response));
  server.on(
    "upgrade",
    (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void upgrade(incoming, socket, head),
  );
  return { server, tell: (news) => listeners.forEach((response) => response.write(line(news))) };
}

/** Whether a page loads it by itself: its images, styles and scripts would hide what was asked for. */
const isPartOfPage = ({ headers }: IncomingMessage): boolean =>
  ["font", "image", "script", "style"].includes(String(headers["sec-fetch-dest"]));

/** Says how a request was answered, without its query, which may hold secrets. */
function sayAnswer(
  { method, url = "/" }: IncomingMessage,
  response: ServerResponse,
  say: (line: string) => void,
): void {
  const start = performance.now();
  response.once("close", () => {
    const { statusCode, writableFinished } = response;
    const colour = statusCode >= 500 ? "red" : statusCode >= 400 ? "yellow" : "green";
    const status = writableFinished ? styleText(colour, String(statusCode)) : "left";
    say(`${method} ${url.replace(/\?.*/s, "")} ${status} in ${Math.round(performance.now() - start)} ms`);
  });
}

function passOn(incoming: IncomingMessage, response: ServerResponse, port: number, agent: Agent): void {
  const isPage = incoming.headers["sec-fetch-dest"] === "document";
  // A compressed page could not be added to.
  const headers = pairs(
    incoming.rawHeaders,
    (name) => name !== "connection" && !(isPage && name === "accept-encoding"),
  );
  const { method = "GET", url = "/" } = incoming;
  const outgoing = request({ host: "127.0.0.1", port, method, path: url, agent, setHost: false });
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.on("response", (answer) => {
    const isHtml = isPage && /^text\/html\b/.test(answer.headers["content-type"] ?? "") && method === "GET";
    const changed = new Set(["connection", "transfer-encoding", ...(isHtml ? ["content-length", "etag"] : [])]);
    for (const [name, value] of pairs(answer.rawHeaders, (each) => !changed.has(each))) {
      const isPolicy = isHtml && name.toLowerCase() === "content-security-policy";
      response.appendHeader(name, isPolicy ? allowingOwn(value) : value);
    }
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage);
    answer.pipe(response, { end: !isHtml });
    if (isHtml) answer.once("end", () => response.end(scriptTag));
    answer.once("error", () => response.destroy());
  });
  outgoing.on("error", (error) => {
    if (response.headersSent) response.destroy();
    else fail(response, `The application does not answer: ${error.message}`);
  });
  response.once("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** Headers as they were sent, in order, repeated ones included. */
function* pairs(raw: readonly string[], isKept: (lowerCaseName: string) => boolean): Generator<[string, string]> {
  for (let index = 0; index < raw.length; index += 2) {
    const [name = "", value = ""] = raw.slice(index, index + 2);
    if (isKept(name.toLowerCase())) yield [name, value];
  }
}

/** Passes a connection on that becomes something else than HTTP, such as a WebSocket. */
function tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer, port: number): void {
  const upstream = connect(port, "127.0.0.1", () => {
    const lines = [...pairs(incoming.rawHeaders, () => true)].map(([name, value]) => `${name}: ${value}\r\n`);
    upstream.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join("")}\r\n`);
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
  });
  const end = (): void => {
    upstream.destroy();
    socket.destroy();
  };
  upstream.on("error", end).on("close", end);
  socket.on("error", end).on("close", end);
}

function fail(response: ServerResponse, reason: string): void {
  response.writeHead(500, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
  response.end(failurePage(reason));
}
