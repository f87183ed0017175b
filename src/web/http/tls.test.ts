import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { after, before, describe, test } from "node:test";
import { Response } from "../response.ts";
import { choose, get, post } from "../router/route.ts";
import { live, notOnBun } from "./live.test.ts";

// A pair for localhost that protects nothing.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcG+xgxlYONcEoGt4
H2rziBQZ7I3ClDJxESiA5SFmJIihRANCAASjjnl54ak7c3UTX7u67NIValVZWgP3
B/Q+snIOc/394ODDt8roccP1Qrt9HBeM9UKuV0zyuSN0cOePbzJ1t7BZ
-----END PRIVATE KEY-----
`;
const certificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUaNwTCpJdX2f3ja5j5LUCNDbC1nQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA0MjIwMFoYDzIxMjYxMDI4
MDQyMjAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASjjnl54ak7c3UTX7u67NIValVZWgP3B/Q+snIOc/394ODDt8roccP1
Qrt9HBeM9UKuV0zyuSN0cOePbzJ1t7BZo28wbTAdBgNVHQ4EFgQUOLIXZQw4cQUl
hvCK/1f9a8oC6DowHwYDVR0jBBgwFoAUOLIXZQw4cQUlhvCK/1f9a8oC6DowDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAPacS+/+BdNa5zQTMHkS9gudQ3Zuy2EISqXb8csR6PFYAiEA
jgbYxzcgiS+8SKTXZD/tKlzY9xUHVSFrrngpIlLK+Mg=
-----END CERTIFICATE-----
`;

const router = choose([
  get("/", (request) =>
    Response.json({
      url: request.url.href,
      host: request.header("host"),
      names: [...request.headers].map(([name]) => name),
    })
      .withCookie({ name: "a", value: "1" })
      .withCookie({ name: "b", value: "2" }),
  ),
  post("/length", async (request) => Response.text(String((await request.bytes()).length))),
  post("/upload", (request) => request.upload(({ file }) => Response.text(String(file("f")?.size)), { fileSize: 500 })),
  post("/ignore", () => Response.text("ignored")),
  get("/stream", () => Response.stream(["a", "b"])),
]);

describe("with a certificate and its key", () => {
  let folder: string;
  let settings: readonly (readonly [string, string])[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "limmat-"));
    settings = [
      ["TLS_CERT", join(folder, "cert.pem")],
      ["TLS_KEY", join(folder, "key.pem")],
    ];
    await writeFile(join(folder, "cert.pem"), certificate);
    await writeFile(join(folder, "key.pem"), key);
  });
  after(() => rm(folder, { recursive: true }));

  const noHttp2 = notOnBun("Bun.serve speaks HTTP/1.1 alone");
  test("HTTP/2 is spoken", noHttp2, async () => {
    await using server = await live({ router, limits: { bodySize: 1000 } }, settings);
    const session = connectHttp2(`https://localhost:${server.port}`, { ca: certificate });
    const ask = async (
      path: string,
      method = "GET",
      body?: Buffer,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<{ headers: IncomingHttpHeaders; text: string }> => {
      const stream = session.request({ ":path": path, ":method": method, ...headers });
      stream.on("error", () => {});
      stream.end(body);
      const [answered] = (await once(stream, "response")) as [IncomingHttpHeaders];
      let text = "";
      for await (const chunk of stream.setEncoding("utf8")) text += String(chunk);
      return { headers: answered, text };
    };
    const upload = (size: number): ReturnType<typeof ask> => {
      const head = '--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n';
      const form = Buffer.concat([Buffer.from(head), Buffer.alloc(size), Buffer.from("\r\n--x--\r\n")]);
      return ask("/upload", "POST", form, { "content-type": "multipart/form-data; boundary=x" });
    };
    const home = await ask("/");
    assert.equal(home.headers[":status"], 200);
    assert.equal(home.headers["set-cookie"]?.length, 2);
    assert.deepEqual(JSON.parse(home.text), {
      url: `https://localhost:${server.port}/`,
      host: `localhost:${server.port}`,
      names: ["host"],
    });
    assert.equal((await ask("/", "HEAD")).headers["content-length"], home.headers["content-length"]);
    assert.equal((await ask("/stream")).text, "ab");
    assert.equal((await ask("/length", "POST", Buffer.alloc(1000))).text, "1000");
    assert.equal((await ask("/length", "POST", Buffer.alloc(1001))).headers[":status"], 413);
    assert.equal((await upload(500)).text, "500");
    assert.equal((await upload(501)).headers[":status"], 413);
    assert.equal((await upload(1000)).headers[":status"], 413);
    assert.equal((await ask("/%zz")).headers[":status"], 400);
    assert.equal((await ask("/nothing")).headers[":status"], 404);
    session.close();
  });

  test("HTTP/1.1 is spoken with those who know nothing else", async () => {
    await using server = await live({ router }, settings);
    const request = httpsRequest({ port: server.port, host: "localhost", ca: certificate, agent: false }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    assert.deepEqual([response.statusCode, response.httpVersion], [200, "1.1"]);
    response.resume();
  });

  // CVE-2026-21637 (Node): a server name that throws ended the process.
  test("server names of all kinds in the handshake end no process", async () => {
    await using server = await live({ router }, settings);
    const names = ["localhost", "LOCALHOST.", "__proto__", "a".repeat(255), "..", "*", "-", "xn--", "a b", "a/b", "é"];
    for (const servername of names) {
      const socket = connectTls({ port: server.port, host: "127.0.0.1", servername, rejectUnauthorized: false });
      socket.on("error", () => {});
      socket.on("secureConnect", () => socket.end("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
      socket.resume();
      await once(socket, "close");
    }
    const request = httpsRequest({ port: server.port, host: "localhost", ca: certificate, agent: false }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    response.resume();
    assert.deepEqual(
      server.logged.filter((line) => !line.startsWith("Listening")),
      [],
    );
  });

  test("stopping ends HTTP/2 connections in good order", noHttp2, async () => {
    const server = await live({ router }, settings);
    const session = connectHttp2(`https://localhost:${server.port}`, { ca: certificate });
    await once(session, "connect");
    const closed = once(session, "close");
    await server[Symbol.asyncDispose]();
    await closed;
  });

  test("what is wrong with them ends the start", async () => {
    const start = (changes: readonly (readonly [string, string])[]): Promise<unknown> =>
      live({ router }, [...settings, ...changes]);
    await assert.rejects(start([["TLS_KEY", ""]]), { code: "E_TLS" });
    await assert.rejects(start([["TLS_KEY", join(folder, "none.pem")]]), { code: "E_TLS" });
    await assert.rejects(start([["TLS_CERT", join(folder, "key.pem")]]), { code: "E_TLS" });
  });
});
