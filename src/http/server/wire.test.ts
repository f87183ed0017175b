import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { choose, get, post } from "../router/route.ts";
import { Response } from "../message/response.ts";
import { countOf, isBun, type Live, live, notOnBun, statusOf, timersOf, wire } from "./live.test.ts";

const ran: string[] = [];
const router = choose([
  get("/", () => Response.text("home")),
  get("/path/:part", (request) => Response.json(request.params)),
  get("/ran", (request) => {
    ran.push(request.query.get("by") ?? "");
    return Response.text("ran");
  }),
  get("/header/:name/:value", ({ params: { name, value } }) => Response.text("", { headers: { [name]: value } })),
  post("/text", async (request) => Response.text(String((await request.text()).length))),
  post("/ignore", () => Response.text("ignored")),
]);

describe("on the wire", () => {
  let server: Live;
  before(async () => {
    server = await live({ router, limits: { maxBodyBytes: 1000 } });
  });
  after(() => server[Symbol.asyncDispose]());
  const status = async (...parts: string[]): Promise<number> => statusOf(await server.talk(...parts));

  test("a request is answered with status, length and date", async () => {
    const answer = await server.talk(wire("GET", "/"));
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(answer, /\r\ncontent-length: 4\r\n/i);
    assert.match(answer, /\r\nDate: \w{3}, /);
    assert.equal((await server.talk(wire("HEAD", "/"))).match(/\r\nDate: \w{3}, /gi)?.length, 1);
    assert.match(answer, /\r\n\r\nhome$/);
  });

  const hosts: Record<string, string> = {
    "two that are the same": "Host: localhost\r\nHost: localhost",
    "two that differ": "Host: localhost\r\nHost: b",
    empty: "Host: ",
    "with a path": "Host: a/b",
    "with a user": "Host: user@a",
    "as a list": "Host: a, b",
    "with a bad port": "Host: a:port",
    "with a blank": "Host: a b",
    absent: "X-Host: a",
    "that is only a port": "Host: :80",
    "with an open bracket": "Host: [::1",
  };
  for (const [name, line] of Object.entries(hosts)) {
    test(`a Host ${name} is refused with 400 and the connection closed`, async () => {
      assert.equal(await status(`GET / HTTP/1.1\r\n${line}\r\n\r\n`), 400);
    });
  }

  for (const host of ["localhost", "localhost:3000", "127.0.0.1:80", "[::1]:3000", "app.localhost.", "a_b.localhost"]) {
    test(`the Host ${host} is accepted`, async () => {
      assert.equal(await status(wire("GET", "/", { host })), 200);
    });
  }

  test("of an absolute target, the path is used", async () => {
    assert.equal(await status(wire("GET", "http://localhost/path/a", { host: "localhost" })), 200);
    assert.equal(await status(wire("GET", "http://localhost", { host: "localhost" })), 200);
  });

  const targetHidden = notOnBun("Bun shows the path of an absolute target only");
  test(
    "an absolute target is refused if its host is not the Host, or its scheme is not http",
    targetHidden,
    async () => {
      assert.equal(await status("GET http://evil.test/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400);
      assert.equal(await status("GET ftp://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400);
    },
  );

  test("OPTIONS * is answered with the methods of the server", notOnBun("Bun refuses it"), async () => {
    const answer = await server.talk(wire("OPTIONS", "*"));
    assert.equal(statusOf(answer), 204);
    assert.match(answer, /\r\nallow: GET, HEAD, /);
  });

  test("* is refused for all methods but OPTIONS", async () => {
    assert.equal(await status("GET * HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400);
  });

  const targets = [
    "/%",
    "/%zz",
    "/%ff",
    "/%c0%af",
    "/%00",
    "/a\\b",
    "/a%5cb",
    "/a%2fb",
    "/#x",
    "/a//b",
    "//",
    "/./a",
    "/../a",
    "/a/..",
    "/%2e%2e/a",
    "/%2e/",
    "/a%0ab",
    "/\xff",
    "/?a=\x7f",
    "/?filter=%ff",
    "/?filter=%",
    "/?a=%zz",
    "/path/%ed%a0%80",
    "/path/%F0%28%8C%BC",
  ];
  const resolvedByBun = new Set(["/a\\b", "/./a", "/../a", "/a/..", "/%2e%2e/a", "/%2e/", "/\xff", "/?a=\x7f"]);
  for (const target of targets) {
    const hidden = resolvedByBun.has(target) ? notOnBun("Bun resolves it as browsers do and shows the result") : {};
    test(`the target ${JSON.stringify(target)} is refused with 400 and the connection closed`, hidden, async () => {
      assert.equal(await status(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`), 400);
    });
  }

  for (const target of [
    "/?=x",
    "/?&&&",
    "/?a;b",
    "/?",
    "/??",
    "/?a=\\",
    "/path/a;b=c",
    "/path/%E6%97%A5",
    "/path/a%20b/",
    "/path/%2525",
  ]) {
    test(`the target ${target} is accepted`, async () => {
      assert.equal(await status(wire("GET", target)), 200);
    });
  }

  test("a path of 8 kB is answered, one beyond the header limit with 431", async () => {
    assert.equal(await status(wire("GET", `/path/${"a".repeat(8192)}`)), 200);
    assert.equal(await status(wire("GET", `/path/${"a".repeat(17_000)}`)), 431);
  });

  test("100 header lines are accepted and 101 refused with 431", async () => {
    const lines = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "1"]));
    assert.equal(await status(wire("GET", "/", lines(98))), 200);
    assert.equal(await status(wire("GET", "/", lines(99))), 431);
  });

  test("two Content-Type lines are refused, and length together with chunks", async () => {
    assert.equal(
      await status(
        "POST /text HTTP/1.1\r\nHost: localhost\r\nContent-Type: a/b\r\nContent-Type: a/b\r\nContent-Length: 0\r\n\r\n",
      ),
      400,
    );
    assert.equal(
      await status(
        "POST /text HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      ),
      400,
    );
    assert.equal(
      await status("POST /text HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde"),
      400,
    );
    assert.equal(await status("POST /text HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n"), 400);
  });

  for (const line of [
    "Content-Length: 005",
    "Content-Length: 00",
    "Content_Length: 5",
    "content_length: 5",
    "Transfer_Encoding: chunked",
  ]) {
    test(`the header ${line} is refused, because other parsers read it differently`, async () => {
      for (const method of ["GET", "POST"]) {
        assert.equal(await status(`${method} / HTTP/1.1\r\nHost: localhost\r\n${line}\r\n\r\n12345`), 400, method);
      }
    });
  }

  test("an unknown method is refused with 501 or by closing the connection", async () => {
    assert.equal(await status("FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n"), isBun ? 0 : 501);
  });

  test("TRACE and CONNECT are 501", async () => {
    assert.equal(await status("TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n"), 501);
    assert.equal(await status("CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"), 501);
    assert.equal(await status(wire("PROPFIND", "/")), 405);
  });

  test("what has no request line is refused with 400, not as an unknown method", async () => {
    // Bun's parser refuses them itself.
    const refusals = isBun ? [0, 400, 505] : [400];
    const greeting = "\x16\x03\x01\x02\x00\x01\xfc\r\n\r\n";
    for (const bytes of [greeting, '{"b":1}\r\n\r\n', "   \r\n\r\n", wire("GET\t", "/"), wire("GE(T", "/")]) {
      assert.ok(refusals.includes(await status(bytes)), JSON.stringify(bytes));
    }
  });

  test(
    "a malformed request line has one status, wherever the network cuts it",
    notOnBun("Bun refuses it"),
    async () => {
      const rest = "\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      const lines: readonly (readonly [line: string, expected: number])[] = [
        ["FOO / HTTP/1.1", 501],
        ["GE / HTTP/1.1", 501],
        ["GETX /a?b HTTP/1.0", 501],
        ["M-XEARCH / HTTP/1.1", 501],
        ["get / HTTP/1.1", 501],
        ["DESCRIBE / HTTP/1.1", 501],
        ["DESCRIBE / HTTP/x.1", 400],
        ["FOO / HTTP/1.x", 400],
        ["FOO /", 400],
        ["hello", 400],
        ["GE(T / HTTP/1.1", 400],
        ["GET\t/ HTTP/1.1", 400],
        ["GET / HTXP/1.1", 400],
        ["GET / http/1.1", 400],
        ['{"b":1}', 400],
        ["\x16\x03\x01\x02\x00\x01", 400],
        ["PRI * HTTP/2.0", 400],
      ];
      for (const [line, expected] of lines) {
        assert.equal(await status(line + rest), expected, line);
        for (let cut = 1; cut < line.length; cut++) {
          const parts = [line.slice(0, cut), line.slice(cut) + rest];
          assert.equal(await status(...parts), expected, JSON.stringify(parts));
        }
        assert.equal(await status(...line.split(""), rest), expected, `${line}, byte by byte`);
      }
    },
  );

  test("a malformed request line that does not end is refused", notOnBun("Bun refuses it"), async () => {
    assert.equal(await status("F", "O".repeat(5000), "O".repeat(5000), "O"), 400);
  });

  test("other protocols are refused", async () => {
    for (const first of [
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "GET /\r\n\r\n",
      "GET / HTTP/3.0\r\nHost: localhost\r\n\r\n",
      "\x16\x03\x01\x02\x00\x01\r\n\r\n",
    ]) {
      const answer = await server.talk(first);
      assert.ok([400, 505].includes(statusOf(answer)), `${JSON.stringify(first)} gave ${answer}`);
    }
  });

  test("an upgrade is ignored, and the request answered as usual", async () => {
    assert.equal(await status(wire("GET", "/", { connection: "upgrade, close", upgrade: "websocket" })), 200);
    assert.equal(
      await status(
        wire("GET", "/", { connection: "upgrade, http2-settings, close", upgrade: "h2c", "http2-settings": "" }),
      ),
      200,
    );
  });

  test("Expect: 100-continue is answered when the body is read, and any other expectation is 417", async () => {
    const granted = await server.talk(wire("POST", "/text", { expect: "100-continue", "content-length": "3" }, "abc"));
    assert.match(granted, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
    assert.equal(await status(wire("POST", "/text", { expect: "something", "content-length": "0" })), 417);
  });

  test("a body that is too large is refused without 100 Continue", notOnBun("Bun asks for every body"), async () => {
    assert.equal(await status(wire("POST", "/text", { expect: "100-continue", "content-length": "1001" })), 413);
  });

  const chunked = (size: number): string => `${size.toString(16)}\r\n${"a".repeat(size)}\r\n0\r\n\r\n`;
  for (const [size, expected] of [
    [999, 200],
    [1000, 200],
    [1001, 413],
  ] as const) {
    test(`a body of ${size} bytes is answered with ${expected} at a limit of 1000, counted or in chunks`, async () => {
      assert.equal(await status(wire("POST", "/text", { "content-length": String(size) }, "a".repeat(size))), expected);
      assert.equal(await status(wire("POST", "/text", { "transfer-encoding": "chunked" }, chunked(size))), expected);
    });
  }

  test("a declared body beyond the limit is refused without waiting for it, and the connection closed", async () => {
    const answer = await server.talk("POST /text HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\nabc");
    assert.equal(statusOf(answer), 413);
    assert.match(answer, /\r\nconnection: close\r\n/i);
  });

  test("a body that the handler ignores does not affect the next request", async () => {
    const answers = await server.talk(
      "POST /ignore HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello",
      wire("GET", "/"),
    );
    assert.deepEqual([countOf(answers), answers.endsWith("home")], [2, true]);
  });

  test("bodies are complete and answered in order, however the network splits them", async () => {
    const text = (size: number): string =>
      `POST /text HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${size}\r\n\r\n${"a".repeat(size)}`;
    const sent = `${text(7)}${text(900)}${text(0)}${text(1)}${wire("POST", "/text", { "content-length": "2" }, "aa")}`;
    for (let size = sent.length; size > 10; size = Math.floor(size / 1.5)) {
      const parts = Array.from({ length: Math.ceil(sent.length / size) }, (_, at) =>
        sent.slice(at * size, (at + 1) * size),
      );
      const answers = await server.talk(...parts);
      assert.deepEqual(
        answers
          .matchAll(/\r\n\r\n(\d)(?=HTTP|$)|\r\n\r\n(900)/g)
          .map(([, small, large]) => small ?? large)
          .toArray(),
        ["7", "900", "0", "1", "2"],
        `in pieces of ${size}`,
      );
    }
  });

  test("a body that arrives together with its head is read without a timer", notOnBun("Bun reads"), async () => {
    const timers = await timersOf(async () => {
      const answers = await server.talk(
        `POST /text HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n${"a".repeat(9)}`,
        wire("GET", "/"),
      );
      assert.equal(countOf(answers), 2);
    });
    // The timers of the load shedder are shorter, and connections are checked every second. The body would have 10 s.
    assert.deepEqual(
      timers.filter((ms) => ms > 1000),
      [],
    );
  });

  test("bytes beyond the declared length are neither part of the body nor a request", async () => {
    const answers = await server.talk(
      `POST /text HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabcdef\r\n\r\n`,
    );
    assert.match(answers, /^HTTP\/1\.1 200 [^]*\r\n\r\n3(?:HTTP\/1\.1 (?:400|501) [^]*)?$/);
  });

  test("a compressed body is refused with 415", async () => {
    assert.equal(
      await status(wire("POST", "/text", { "content-encoding": "gzip", "content-length": "3" }, "abc")),
      415,
    );
  });

  test("chunk extensions without end are refused", async () => {
    const extension = `1;${"a".repeat(20_000)}\r\na\r\n0\r\n\r\n`;
    assert.equal(
      await status("POST /text HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", extension),
      413,
    );
  });

  test("requests after a malformed request on its connection are neither handled nor answered", async () => {
    const bad = [
      "GET /% HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n",
      "GE\x01T / HTTP/1.1\r\n\r\n",
      "TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ];
    for (const [at, first] of bad.entries()) {
      const answers = await server.talk(first + wire("GET", `/ran?by=${at}`));
      assert.equal(countOf(answers), 1, first);
    }
    assert.deepEqual(ran, []);
  });

  test("a request before a malformed one is answered, and the malformed one closes the connection", async () => {
    const answers = await server.talk(
      `GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGE\x01T / HTTP/1.1\r\n\r\n${wire("GET", "/ran?by=last")}`,
    );
    assert.equal(statusOf(answers), 200);
    assert.ok(countOf(answers) <= 2);
    assert.deepEqual(ran, []);
  });

  test("headers named __proto__ and constructor are ordinary headers", async () => {
    assert.equal(await status(wire("GET", "/", { ["__proto__x"]: "1", constructor: "1" })), 200);
    assert.equal(
      await status("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n__proto__: x\r\nconstructor: y\r\n\r\n"),
      200,
    );
  });

  test("the headers of one response are never sent with another one", async () => {
    const names = ["x-a", "x-a", "x-a", "set-cookie", "set-cookie", "x-a", "x-b", "x-b", "x-b", "x-request-id", "x-a"];
    const ids = new Set<string>();
    for (const [index, name] of names.entries()) {
      const answer = await server.talk(wire("GET", `/header/${name}/v${index}`));
      const own = answer.match(/^(?:x-[ab]|set-cookie): .*$/gim)?.map((line) => line.trim().toLowerCase()) ?? [];
      assert.deepEqual(own, name === "x-request-id" ? [] : [`${name}: v${index}`]);
      const sent = answer.match(/^x-request-id: .*$/gim) ?? [];
      assert.equal(sent.length, 1);
      ids.add(sent[0] ?? "");
    }
    assert.equal(ids.size, names.length);
  });

  test("HTTP/1.0 without a Host is answered and the connection closed", async () => {
    assert.equal(await status("GET / HTTP/1.0\r\n\r\n"), 200);
  });

  test("a client that disconnects within its body leaves no resources behind", async () => {
    const socket = connect(server.port, "127.0.0.1");
    socket.write("POST /text HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\nabc");
    await once(socket, "connect");
    socket.destroy();
    await once(socket, "close");
    assert.equal(await status(wire("GET", "/")), 200);
    assert.deepEqual(
      server.logged.filter((line) => !line.startsWith("Listening")),
      [],
    );
  });
});
