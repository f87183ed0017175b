import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { makeProxy } from "./proxy.ts";

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
  const { port } = application.address() as AddressInfo;
  const { server } = makeProxy({
    answersHost: () => true,
    currentUpstream: async () => ({
      port,
      pendingSteps: async () => [],
      watch: () => {},
      exitReason: async () => undefined,
    }),
    migrate: async () => undefined,
    findAsset: async () => undefined,
    initialEvents: () => [],
    print: () => {},
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    for (const each of [server, application]) {
      each.close();
      each.closeAllConnections();
    }
  });

  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const head = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
  socket.write(`${head}${"1\r\na\r\n".repeat(10_000)}0\r\n\r\n`);
  let answer = "";
  for await (const chunk of socket.setEncoding("utf8")) answer += String(chunk);
  assert.match(answer, /received/);
  assert.equal(byteCount, 10_000);
  assert.ok(chunkCount < 20, `${chunkCount} chunks`);
});
