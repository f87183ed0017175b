import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test, type TestContext } from "node:test";
import type { BrowserEvent } from "./browser-client.ts";
import { makeProxy, type Proxy } from "./proxy.ts";

/** Starts a proxy in front of an application. Returns it with its port. */
async function startProxy(t: TestContext, applicationPort: number): Promise<Proxy & { readonly port: number }> {
  const proxy = makeProxy({
    answersHost: () => true,
    currentUpstream: async () => ({
      port: applicationPort,
      pendingSteps: async () => [],
      watch: () => {},
      exitReason: async () => undefined,
    }),
    migrate: async () => undefined,
    findAsset: async () => undefined,
    initialEvents: () => [],
    print: () => {},
  });
  await once(proxy.server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    proxy.server.close();
    proxy.server.closeAllConnections();
  });
  return { ...proxy, port: (proxy.server.address() as AddressInfo).port };
}

test("the tiny chunks of a body are forwarded together", async (t) => {
  let [chunkCount, byteCount] = [0, 0];
  const application = createServer((incoming, outgoing) => {
    incoming.on("data", (chunk: Buffer) => {
      chunkCount++;
      byteCount += chunk.length;
    });
    incoming.on("end", () => outgoing.end("received"));
  });
  await once(application.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    application.close();
    application.closeAllConnections();
  });
  const { port } = await startProxy(t, (application.address() as AddressInfo).port);

  const socket = connect(port, "127.0.0.1");
  const head = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
  socket.write(`${head}${"1\r\na\r\n".repeat(10_000)}0\r\n\r\n`);
  let answer = "";
  for await (const chunk of socket.setEncoding("utf8")) answer += String(chunk);
  assert.match(answer, /received/);
  assert.equal(byteCount, 10_000);
  assert.ok(chunkCount < 20, `${chunkCount} chunks`);
});

test("a browser that reads no events is disconnected", async (t) => {
  const { port, server, broadcast } = await startProxy(t, 0);
  const socket = connect(port, "127.0.0.1").pause();
  socket.write("GET /__limmat/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [incoming] = (await once(server, "request")) as [IncomingMessage];
  const connection = incoming.socket;
  const event: BrowserEvent = { kind: "failure", reason: "a".repeat(256 * 1024) };
  // The system buffers some events, so that their number is not fixed.
  for (let count = 0; count < 200 && !connection.destroyed; count++) {
    broadcast(event);
    await new Promise(setImmediate);
    assert.ok(connection.writableLength < 2 * 1024 * 1024, `${connection.writableLength} bytes wait`);
  }
  assert.ok(connection.destroyed);
});
