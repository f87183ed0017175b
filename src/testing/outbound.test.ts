import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { get as getSecure } from "node:https";
import { connect, createServer as createNetServer, type AddressInfo, Socket } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { isError } from "../core/index.ts";
import { configuration, forbidOutboundRequests } from "./index.ts";

// TEST-NET-1 (RFC 5737): a connection would hang, and never reach a host.
const foreign = "192.0.2.1";

/** Runs a callback in the scope of a guard, and returns the message with which the scope ends. */
async function attemptIn(callback: () => Promise<unknown>, allow: readonly string[] = []): Promise<string | undefined> {
  const guard = forbidOutboundRequests({ allow });
  try {
    await callback();
  } finally {
    try {
      guard[Symbol.dispose]();
    } catch (error) {
      assert.ok(error instanceof assert.AssertionError);
      // oxlint-disable-next-line no-unsafe-finally
      return error.message;
    }
  }
  return undefined;
}

const failure = async (emitter: NodeJS.EventEmitter): Promise<void> => {
  const [error] = (await once(emitter, "error")) as [unknown];
  assert.ok(isError(error, "E_TEST_OUTBOUND"), String(error));
};

const clients: Readonly<Record<string, () => Promise<unknown>>> = {
  fetch: () =>
    assert.rejects(
      fetch(`http://${foreign}/`),
      (error) => error instanceof Error && isError(error.cause, "E_TEST_OUTBOUND"),
    ),
  "node:http": () => failure(get(`http://${foreign}/`)),
  "node:https": () => failure(getSecure(`https://${foreign}/`)),
  "node:http2": () => failure(connectHttp2(`http://${foreign}:80`)),
  "node:net with options": () => failure(connect({ host: foreign, port: 80 })),
  "node:net with port and host": () => failure(connect(80, foreign)),
  "node:net by a socket": () => failure(new Socket().connect(80, foreign)),
  "node:tls": () => failure(connectTls({ host: foreign, port: 443 })),
};
for (const [name, run] of Object.entries(clients)) {
  test(`refuses ${name} to another host, and fails at the end with the place`, async () => {
    const message = await attemptIn(run);
    assert.match(message ?? "", /tried to reach other hosts[^]*192\.0\.2\.1:\d+/);
    if (name !== "fetch") assert.match(message ?? "", /outbound\.test\.ts:\d+/);
  });
}

test("fails although the application has caught the error, and names each host once", async () => {
  const message = await attemptIn(async () => {
    await fetch(`http://${foreign}/a`).catch(() => {});
    await fetch(`http://${foreign}/b`).catch(() => {});
  });
  assert.equal(message?.match(/192\.0\.2\.1/g)?.length, 1, message ?? "");
});

test("lets loopback, local sockets and allowed hosts pass", async () => {
  const server = createServer((_, response) => response.end("here")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), "limmat-outbound-"));
  const local = createNetServer((socket) => socket.end()).listen(join(folder, "socket"));
  await once(local, "listening");
  try {
    const message = await attemptIn(async () => {
      assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "here");
      assert.equal(await (await fetch(`http://localhost:${port}/`)).text(), "here");
      const [response] = (await once(get({ host: "127.0.0.1", port }), "response")) as [IncomingMessage];
      response.resume();
      await once(connect(join(folder, "socket")), "connect");
    });
    assert.equal(message, undefined);
  } finally {
    server.closeAllConnections();
    server.close();
    local.close();
    rmSync(folder, { recursive: true });
  }
  const openSocket = async (): Promise<void> => {
    const socket = new Socket();
    socket.on("error", () => {});
    socket.connect(9, foreign);
    socket.destroy();
  };
  for (const allow of [foreign, `${foreign}:9`, "*.0.2.1"])
    assert.equal(await attemptIn(openSocket, [allow]), undefined);
  for (const allow of [`${foreign}:8`, "*.192.0.2.1", "0.2.1"]) {
    const refused = attemptIn(async () => failure(new Socket().connect(9, foreign)), [allow]);
    assert.ok((await refused) !== undefined, allow);
  }
});

test("allows the database of the configuration", async () => {
  using _ = configuration({ DATABASE_URL: `postgresql://user@${foreign}/x` });
  process.env["DATABASE_URL"] = "replaced by the configuration";
  try {
    const message = await attemptIn(async () => {
      const socket = new Socket();
      socket.on("error", () => {});
      socket.connect(5432, foreign);
      socket.destroy();
    });
    assert.equal(message, undefined);
  } finally {
    delete process.env["DATABASE_URL"];
  }
});

test("replaces nothing outside of its scope, and restores after the last one", () => {
  const prototype: { readonly connect: unknown } = Socket.prototype;
  const original = prototype.connect;
  {
    using _ = forbidOutboundRequests();
    using __ = forbidOutboundRequests();
    assert.notEqual(prototype.connect, original);
  }
  assert.equal(prototype.connect, original);
});

test("the innermost scope decides", async () => {
  const outer = await attemptIn(async () => {
    const inner = await attemptIn(() => failure(new Socket().connect(9, foreign)));
    assert.match(inner ?? "", /192\.0\.2\.1/);
  }, [foreign]);
  assert.equal(outer, undefined);
});
