// Canary tests of undocumented internals (docs/internals.md). Each fails when a new version of Node or of a package changes one.
import assert from "node:assert/strict";
import { tracingChannel } from "node:diagnostics_channel";
import { once } from "node:events";
import { Agent, createServer, get, IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import { connect, createServer as createTcpServer, type AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { Cron } from "croner";
import { waitFor } from "limmat/testing";
import { SharedReceiver } from "../src/http/server/net/internals.ts";
import {
  DummyDriver,
  Kysely,
  MysqlQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { Client, Query } from "pg";

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

const methodsOf = (object: unknown): Readonly<Record<string, unknown>> => object as Readonly<Record<string, unknown>>;

test("node:http stores the text of a response head in _header and sends it from there", async () => {
  const unsent = new ServerResponse(new IncomingMessage(new Socket())) as unknown as {
    readonly _header: unknown;
    readonly shouldKeepAlive: unknown;
  };
  assert.equal(unsent._header, null);
  assert.equal(typeof unsent.shouldKeepAlive, "boolean");
  const server = createServer((_, response) => {
    (response as unknown as { _header: string })._header =
      "HTTP/1.1 200 OK\r\nx-from: internals\r\ncontent-length: 2\r\n\r\n";
    response.end("ok");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const [response] = (await once(get({ port: portOf(server), agent: false }), "response")) as [IncomingMessage];
  assert.equal(response.headers["x-from"], "internals");
  response.resume();
  await once(response, "end");
  server.close();
});

test("the handle of a socket counts the bytes that the system has not taken", async () => {
  const server = createTcpServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect(portOf(server), "127.0.0.1").pause();
  const [socket] = (await once(server, "connection")) as [Socket];
  socket.write(Buffer.alloc(64 * 1024 * 1024));
  const { _handle: handle } = socket as unknown as {
    readonly _handle: { readonly writeQueueSize: unknown; readonly fd: unknown };
  };
  assert.ok(typeof handle.writeQueueSize === "number" && handle.writeQueueSize > 0, String(handle.writeQueueSize));
  assert.ok(typeof handle.fd === "number" && handle.fd > 2, String(handle.fd));
  socket.destroy();
  client.destroy();
  server.close();
});

test("_write of a socket writes in order with write, and end waits for it", async () => {
  const server = createTcpServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect(portOf(server), "127.0.0.1").pause();
  const [socket] = (await once(server, "connection")) as [Socket];
  let isTaken = false;
  socket._write("first", "latin1", () => (isTaken = true));
  // The system has room: the callback is called at once.
  assert.ok(isTaken);
  const large = "a".repeat(16 * 1024 * 1024);
  socket._write(large, "latin1", () => (isTaken = true));
  isTaken = false;
  assert.ok((socket as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize > 0);
  socket.write("second");
  socket.end("last");
  let received = "";
  client
    .setEncoding("latin1")
    .on("data", (text: string) => (received += text))
    .resume();
  await once(client, "end");
  assert.ok(isTaken);
  assert.ok(received === `first${large}secondlast`);
  server.close();
});

test("listen and getpeername of a listening and of a connecting handle keep further connections out", async () => {
  interface Handle {
    readonly listen: (backlog: number) => number;
    readonly getpeername: (out: object) => number;
  }
  const handleOf = (owner: object): Handle => (owner as unknown as { readonly _handle: Handle })._handle;
  const server = createTcpServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  assert.equal(handleOf(server).listen(0), 0);
  const sockets = [connect(portOf(server), "127.0.0.1"), connect(portOf(server), "127.0.0.1")];
  for (const socket of sockets) socket.on("error", () => {});
  await new Promise((resolve) => process.nextTick(resolve));
  const isEstablished = sockets.map((socket) => handleOf(socket).getpeername({}) === 0);
  // Only Linux promises to accept no second connection ahead.
  assert.deepEqual(isEstablished, process.platform === "linux" ? [true, false] : [true, isEstablished[1]]);
  server.close();
  for (const socket of sockets) socket.destroy();
});

test("closeIdleConnections of http.Server accepts a server of node:http2", async (t) => {
  const secure = createSecureServer({ allowHTTP1: true });
  HttpServer.prototype.closeIdleConnections.call(secure as unknown as HttpServer);
  const server = createServer({ keepAliveTimeout: 0 }, (_, response) => void response.end());
  t.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const agent = new Agent({ keepAlive: true });
  const request = get({ port: portOf(server), agent });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const { socket } = response;
  response.resume();
  await once(response, "end");
  // The client may read the response before the server counts the connection as idle.
  await waitFor(
    () => {
      HttpServer.prototype.closeIdleConnections.call(server);
      return socket.closed;
    },
    { signal: t.signal, events: [[socket, "close"]] },
  );
});

test("node:net publishes the server on the channel net.server.listen", async () => {
  const servers: unknown[] = [];
  const subscribers = { asyncEnd: (message: object): void => void servers.push(methodsOf(message)["server"]) };
  const channel = tracingChannel("net.server.listen") as unknown as {
    subscribe(handlers: typeof subscribers): void;
    unsubscribe(handlers: typeof subscribers): void;
  };
  channel.subscribe(subscribers);
  const server = createTcpServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  channel.unsubscribe(subscribers);
  assert.deepEqual(servers, [server]);
  server.close();
});

test("pg has the members that the fast query class and the connection use", () => {
  const query = methodsOf(Query.prototype);
  const overridden = [
    "handleRowDescription",
    "handleDataRow",
    "handleCommandComplete",
    "handleError",
    "handleReadyForQuery",
  ];
  for (const name of ["prepare", "submit", ...overridden]) assert.equal(typeof query[name], "function", name);
  const client = methodsOf(new Client());
  assert.equal(typeof client["getTransactionStatus"], "function");
  assert.equal(client["processID"], null);
  const connection = methodsOf(client["connection"]);
  assert.equal(typeof connection["parsedStatements"], "object");
  assert.equal(typeof connection["close"], "function");
  for (const name of ["cork", "uncork", "destroy", "write"]) {
    assert.equal(typeof methodsOf(connection["stream"])[name], "function", name);
  }
});

test("croner excludes the given second from the runs before it", () => {
  const minutes = new Cron("* * * * *", { timezone: "UTC", mode: "5-or-6-parts" });
  const at = new Date("2026-01-01T00:01:00Z");
  assert.deepEqual(minutes.previousRuns(1, at), [new Date("2026-01-01T00:00:00Z")]);
  assert.deepEqual(minutes.previousRuns(1, new Date(at.getTime() + 1000)), [at]);
  assert.deepEqual(minutes.nextRun(at), new Date("2026-01-01T00:02:00Z"));
});

test("Kysely has the members that the joined instance and the MariaDB compiler override", () => {
  const kysely = new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const executor = methodsOf(kysely.getExecutor());
  for (const name of ["withPlugin", "withoutPlugins", "withPluginAtFront", "stream"]) {
    assert.equal(typeof executor[name], "function", name);
  }
  const compiler = methodsOf(MysqlQueryCompiler.prototype);
  for (const name of ["sanitizeStringLiteral", "sanitizeJSONPathMemberValue"]) {
    assert.equal(typeof compiler[name], "function", name);
  }
});

test("an accepted connection receives into a shared buffer", async (t) => {
  const receiver = new SharedReceiver();
  const server = createTcpServer({ allowHalfOpen: true });
  t.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect(portOf(server), "127.0.0.1");
  const [socket] = (await once(server, "connection")) as [Socket];
  let onReceived = (_text: string): void => {};
  const nextBytes = (): Promise<string> => new Promise((resolve) => (onReceived = resolve));
  const onBytes = (size: number, bytes: Buffer): void => {
    socket.pause();
    onReceived(bytes.toString("latin1", 0, size));
  };
  assert.ok(receiver.attach(socket, onBytes));
  const first = nextBytes();
  client.write("first");
  assert.equal(await first, "first");
  // A paused connection receives nothing.
  const second = nextBytes();
  let isPaused = true;
  await new Promise<void>((resolve) => client.end("second", resolve));
  await new Promise((resolve) => setImmediate(resolve));
  const checked = second.then((text) => assert.deepEqual([text, isPaused], ["second", false]));
  isPaused = false;
  socket.resume();
  await checked;
  const ended = once(socket, "end");
  socket.resume();
  await ended;
  socket.destroy();
});
