import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { test } from "node:test";
import { requestBytes } from "./http.ts";
import { loadAtRate } from "./load-at-rate.ts";
import { loadPipelined } from "./load-pipelined.ts";
import { load, type Loader, loadOnShortConnections, type Load } from "./load.ts";

const listen = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

/** Loads a server that answers with `listener`, and returns the result and the number of connections. */
async function run(
  loader: Loader,
  listener: RequestListener,
  connections = 2,
  seconds = 0.2,
): Promise<{ result: Load; opened: number }> {
  const server = createServer(listener);
  let opened = 0;
  server.on("connection", () => (opened += 1));
  const port = await listen(server);
  const requests = ["/a", "/b", "/c"].map((path) => requestBytes(port, path));
  try {
    return { result: await loader({ port, requests, statuses: [200], connections, seconds }), opened };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test("load sends the requests in turn and counts other statuses as errors", async () => {
  const counts: Record<string, number> = {};
  const { result, opened } = await run(load, ({ url = "" }, response) => {
    counts[url] = (counts[url] ?? 0) + 1;
    response.writeHead(url === "/b" ? 500 : 200).end(url);
  });
  assert.equal(opened, 2);
  assert.equal(result.errors, counts["/b"]);
  assert.equal(result.requests, (counts["/a"] ?? 0) + (counts["/c"] ?? 0));
  assert.ok(Math.abs((counts["/a"] ?? 0) - (counts["/b"] ?? 0)) <= 2);
});

test("load reads bodies in chunks, without content, and from connections that close", async () => {
  const listener: RequestListener = ({ url }, response) => {
    if (url === "/a") response.write("x".repeat(100_000));
    else if (url === "/b") response.setHeader("connection", "close");
    response.end("end");
  };
  // A busy machine needs more time for ten requests.
  for (let seconds = 0.2, requests = 0; requests <= 10; seconds *= 4) {
    const { result } = await run(load, listener, 2, seconds);
    assert.equal(result.errors, 0);
    assert.ok(result.requests > 10 || seconds < 10, `${result.requests} requests in ${seconds} s`);
    ({ requests } = result);
  }
});

test("load counts a lost connection as an error", async () => {
  const server = createTcpServer((socket) => socket.once("data", () => socket.destroy()));
  const port = await listen(server);
  const requests = [requestBytes(port, "/")];
  const result = await load({ port, requests, statuses: [200], connections: 1, seconds: 0.05 });
  server.close();
  assert.ok(result.errors > 0 && result.requests === 0);
});

test("short connections end after their number of requests", async () => {
  const { result, opened } = await run(loadOnShortConnections(10), (_request, response) => response.end("x"));
  assert.equal(result.errors, 0);
  assert.ok(Math.abs(opened - result.requests / 10) <= 2, `${opened} connections for ${result.requests} requests`);
});

test("pipelined requests are all answered, in chunks of any size", async () => {
  let count = 0;
  const { result } = await run(loadPipelined(16), (_request, response) => {
    count += 1;
    response.end("x".repeat(count % 5000));
  });
  assert.equal(result.errors, 0);
  assert.equal(result.requests, count);
  assert.equal(count % 16, 0);
});

test("a latency at a fixed rate begins when the request is due", async () => {
  const pauseMs = 150;
  let isFirst = true;
  const { result } = await run(
    loadAtRate(500),
    (_request, response) => {
      const until = performance.now() + (isFirst ? pauseMs : 0);
      isFirst = false;
      // A process that is busy answers nobody.
      while (performance.now() < until);
      response.end("x");
    },
    1,
  );
  assert.equal(result.requests, 100);
  // The pause delays the 75 requests that are due in it, on average by half of it. Measured from the moment at which each was
  // sent, it would change only the maximum.
  assert.ok(result.p50 > 20_000, `p50 ${result.p50} µs`);
});
