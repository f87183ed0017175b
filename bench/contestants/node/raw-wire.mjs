// Hand-written applications for connections and protocols: plain text, TLS with HTTP/2, processes, event streams.
import cluster from "node:cluster";
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { listen } from "../../harness/contestant.mjs";
import { tlsFiles } from "../../work/data.mjs";
import { decodeSegment, head, hello, readBody, sayHello, send, sendNothing, sendNotFound, serve } from "./raw-http.mjs";

const textHead = head(200, "content-type: text/plain");

export const plaintext = () =>
  serve((request, response) => {
    if (request.method === "GET" && request.url === "/plaintext") send(response, textHead, "Hello, World!");
    else sendNotFound(response);
  });

/** HTTP/2 without the compatibility layer, HTTP/1.1 for clients that do not offer it. */
export function tls() {
  const server = createSecureServer({
    cert: readFileSync(tlsFiles.cert),
    key: readFileSync(tlsFiles.key),
    allowHTTP1: true,
  });
  server.on("request", (request, response) => {
    if (request.httpVersionMajor === 1) sayHello(request, response);
  });
  server.on("stream", (stream, headers) => {
    const path = headers[":path"];
    const isFound = headers[":method"] === "GET" && path.startsWith(hello);
    const name = isFound ? decodeSegment(path.slice(hello.length)) : undefined;
    if (name === undefined) {
      stream.respond({ ":status": isFound ? 400 : 404 }, { endStream: true });
      return;
    }
    const body = JSON.stringify({ hello: name });
    stream.respond({
      ":status": 200,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    stream.end(body);
  });
  return listen(server);
}

/** Two processes that share a port. */
export async function processes() {
  if (cluster.isPrimary) {
    process.on("SIGTERM", () => process.exit());
    const ports = Array.from(
      { length: 2 },
      () => new Promise((resolve) => cluster.fork().once("listening", ({ port }) => resolve(port))),
    );
    return (await Promise.all(ports))[0];
  }
  return serve(sayHello);
}

const eventsHead = { "content-type": "text/event-stream", "cache-control": "no-cache" };
const noContentHead = head(204);

export function events() {
  const clients = new Set();
  return serve((request, response) => {
    if (request.url !== "/events") sendNotFound(response);
    else if (request.method === "POST")
      readBody(request, (body) => {
        const event = `data: ${JSON.parse(body).text}\n\n`;
        // The chunk is framed once for all clients, and is one write for each.
        const chunk = Buffer.from(`${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`);
        for (const socket of clients) socket.write(chunk);
        sendNothing(response, noContentHead);
      });
    else {
      response.writeHead(200, eventsHead);
      response.write(":\n\n");
      const { socket } = response;
      clients.add(socket);
      response.on("close", () => clients.delete(socket));
    }
  });
}
