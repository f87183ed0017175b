import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isError } from "../../../core/index.ts";
import { AllowedHosts } from "../allowed-hosts.ts";
import { type MessageReceiver, type ParserRules, RequestParser } from "./parser.ts";
import type { RequestHead } from "./request-head.ts";

const rules: ParserRules = {
  maxHeaderBytes: 1000,
  maxHeaders: 10,
  allowedHosts: new AllowedHosts((name) => name !== "forbidden"),
};

/** Calls of a parser, and its state after the last byte. */
interface Outcome {
  readonly heads: readonly RequestHead[];
  readonly bodies: readonly string[];
  readonly endCount: number;
  /** Status of the refusal, or code of the rejection. */
  readonly refusal: number | string | undefined;
  readonly state: RequestParser["state"];
  /** Number of bytes that were not consumed. */
  readonly restBytes: number;
}

/** Parses a text, in pieces of this size. */
function parse(text: string, pieceBytes = text.length, parserRules: ParserRules = rules): Outcome {
  const heads: RequestHead[] = [];
  const bodies: string[] = [];
  let endCount = 0;
  let refusal: number | string | undefined;
  const parser = new RequestParser(parserRules, {
    onHead: (head) => {
      heads.push(head);
      if (head.rejection !== undefined) refusal = isError(head.rejection) ? head.rejection.code : "other";
      bodies.push("");
    },
    onBody: (bytes, start, end) => (bodies[bodies.length - 1] += bytes.toString("latin1", start, end)),
    onEnd: () => (endCount += 1),
    onRefused: ({ status }) => (refusal = status),
  });
  let rest = "";
  for (let index = 0; index < text.length; index += pieceBytes) {
    rest += text.slice(index, index + pieceBytes);
    rest = rest.slice(parseAll(parser, Buffer.from(rest, "latin1")));
  }
  return { heads, bodies, endCount, refusal, state: parser.state, restBytes: rest.length };
}

/** Parses all requests in these bytes. Returns the position after the last consumed one. */
function parseAll(parser: RequestParser, bytes: Buffer): number {
  let at = 0;
  for (let next = -1; at < bytes.length && next !== at;) {
    next = at;
    at = parser.parse(bytes, at, bytes.length);
  }
  return at;
}

const ignored: MessageReceiver = { onHead: () => {}, onBody: () => {}, onEnd: () => {}, onRefused: () => {} };
const get = (fields = "", line = "GET / HTTP/1.1"): string => `${line}\r\nHost: a\r\n${fields}\r\n`;
const chunked = (body: string): string => `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;
const firstHead = (text: string): RequestHead => parse(text).heads[0] as RequestHead;

describe("a head", () => {
  test("has a method, a target with path and query, a version and a host", () => {
    const head = firstHead("PATCH /a%20b/?c=%20d HTTP/1.0\r\nHost: example.test:80\r\n\r\n");
    assert.deepEqual(
      [head.method, head.target, head.path, head.query, head.minorVersion, head.host],
      ["PATCH", "/a%20b/?c=%20d", "/a b", "c=%20d", 0, "example.test:80"],
    );
    assert.deepEqual(
      [firstHead("POST http://a/b HTTP/1.1\r\nHost: a\r\n\r\n").path, firstHead(get()).method],
      ["/b", "GET"],
    );
  });

  test("has fields without the blanks around them, in the order and the spelling in which they were sent", () => {
    const { headers } = firstHead(get("X-Empty:\r\nx-y: \t a b\t \r\nCookie: a=b\r\nX-Y:c\r\ncookie: d=e\r\n"));
    assert.deepEqual(
      [...headers.flat],
      ["Host", "a", "X-Empty", "", "x-y", "a b", "Cookie", "a=b", "X-Y", "c", "cookie", "d=e"],
    );
  });

  test("returns a field by its name in lower case; repeated ones are joined", () => {
    const head = firstHead(
      get("X-Y: a\r\nX-YZ: b\r\nX_Y: c\r\nx-y: d\r\nCookie: a=b\r\nCOOKIE: c=d\r\nX-~: e\r\nX-^: f\r\nX-Zz: g\r\n"),
    );
    for (const source of [head.headers.get.bind(head.headers), head.header.bind(head)]) {
      assert.equal(source("x-y"), "a, d");
      assert.equal(source("x_y"), "c");
      assert.equal(source("cookie"), "a=b; c=d");
      assert.equal(source("x-~"), "e");
      assert.equal(source("x-^"), "f");
      assert.equal(source("x-zz"), "g");
      assert.equal(source("x"), undefined);
    }
    assert.deepEqual([...head.headers].at(-1), ["x-zz", "g"]);
    assert.equal(head.headers.get("x-y"), "a, d");
  });

  for (const [fields, line, expected] of [
    ["", "GET / HTTP/1.1", true],
    ["", "GET / HTTP/1.0", false],
    ["Connection: keep-alive\r\n", "GET / HTTP/1.0", true],
    ["Connection: x, Keep-Alive\r\n", "GET / HTTP/1.0", true],
    ["Connection: keep-alive, close\r\n", "GET / HTTP/1.0", false],
    ["Connection: keep-alive\r\n", "GET / HTTP/1.1", true],
    ["Connection: Close\r\n", "GET / HTTP/1.1", false],
    ["Connection: te\t,\tclose\r\n", "GET / HTTP/1.1", false],
    ["Connection: te\r\nConnection: close\r\n", "GET / HTTP/1.1", false],
    ["Connection: closed\r\n", "GET / HTTP/1.1", true],
    ["Connection: upgrade\r\nUpgrade: h2c\r\n", "GET / HTTP/1.1", false],
    ["Upgrade: h2c\r\n", "GET / HTTP/1.1", false],
  ] as const) {
    test(`${JSON.stringify(`${line} ${fields}`)} ${expected ? "keeps" : "closes"} the connection`, () => {
      const { heads, endCount, state } = parse(get(fields, line) + get());
      assert.equal(heads[0]?.keepsAlive, expected);
      assert.deepEqual([endCount, state], expected ? [2, "idle"] : [1, "closed"]);
    });
  }

  test("tells the length of the body, and the fields that a server acts on", () => {
    const head = firstHead(get("Content-Length: 12\r\nExpect: 100-Continue\r\nX-Forwarded-For: b\r\nUpgrade: h2c\r\n"));
    assert.deepEqual(
      [head.declaredBytes, head.expectsContinue, head.isForwarded, head.isUpgrade],
      [12, true, true, true],
    );
    const plain = firstHead(
      get("Content-Length: 0\r\nContent-Type: a/b\r\nX-Forwarded-Fox: b\r\nAccept-Encoding: gzip\r\n"),
    );
    assert.deepEqual(
      [plain.declaredBytes, plain.expectsContinue, plain.isForwarded, plain.isUpgrade],
      [0, false, false, false],
    );
    assert.equal(firstHead(get("Transfer-Encoding: Chunked\r\n")).declaredBytes, -1);
    assert.equal(firstHead(get("Expect: 100-continue\r\n", "GET / HTTP/1.0")).expectsContinue, false);
  });
});

describe("a rejected head", () => {
  const codes: Readonly<Record<string, string>> = {
    "GET / HTTP/1.1\r\n\r\n": "E_REQUEST_MALFORMED",
    [get("Host: a\r\n")]: "E_REQUEST_MALFORMED",
    [get("", "GET http://b/ HTTP/1.1")]: "E_REQUEST_MALFORMED",
    "GET / HTTP/1.1\r\nHost: forbidden\r\n\r\n": "E_HOST_NOT_ALLOWED",
    "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n": "E_REQUEST_MALFORMED",
    [get("Content-Type: a/b\r\nContent-Type: a/b\r\n")]: "E_REQUEST_MALFORMED",
    [get("Content-Length: 3\r\nContent-Length: 3\r\n")]: "E_REQUEST_MALFORMED",
    [get("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n")]: "E_REQUEST_MALFORMED",
    [get("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n")]: "E_REQUEST_MALFORMED",
    [get("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")]: "E_REQUEST_MALFORMED",
    [get("Transfer-Encoding: chunked\r\n", "POST / HTTP/1.0")]: "E_REQUEST_MALFORMED",
    [get("Transfer-Encoding: gzip, chunked\r\n")]: "E_REQUEST_MALFORMED",
    [get("Transfer-Encoding:\r\n")]: "E_REQUEST_MALFORMED",
    [get("Content_Length: 3\r\n")]: "E_REQUEST_MALFORMED",
    [get("Transfer_Encoding: chunked\r\n")]: "E_REQUEST_MALFORMED",
    ...Object.fromEntries(
      ["", "+3", "-3", "3,3", "3 3", "0x3", "3.0", "03", "00", "1".repeat(16), "\xb2"].map((length) => [
        get(`Content-Length: ${length}\r\n`),
        "E_REQUEST_MALFORMED",
      ]),
    ),
    [get("Expect: 200-ok\r\n")]: "E_EXPECTATION",
    [get("", "GET * HTTP/1.1")]: "E_TARGET_MALFORMED",
    [get("", "GET /% HTTP/1.1")]: "E_TARGET_MALFORMED",
    [get("", "GET a HTTP/1.1")]: "E_TARGET_MALFORMED",
    [get("", "TRACE / HTTP/1.1")]: "E_METHOD_UNKNOWN",
    [get("", "CONNECT a:80 HTTP/1.1")]: "E_METHOD_UNKNOWN",
    [get("", "FOO / HTTP/1.1")]: "E_METHOD_UNKNOWN",
    [get("", "get / HTTP/1.1")]: "E_METHOD_UNKNOWN",
  };
  for (const [text, code] of Object.entries(codes)) {
    test(`${JSON.stringify(text)} is ${code}, and nothing behind it is read`, () => {
      const { heads, bodies, endCount, refusal, state, restBytes } = parse(`${text}abc${get()}`);
      assert.deepEqual([heads.length, refusal, endCount, state, restBytes], [1, code, 0, "closed", 0]);
      assert.deepEqual(bodies, [""]);
      assert.deepEqual([heads[0]?.path, heads[0]?.query], ["/", ""]);
    });
  }
});

describe("malformed input", () => {
  const statuses: Readonly<Record<string, number>> = {
    "\n": 400,
    " ": 400,
    "\r\r": 400,
    "\r\n\r": 400,
    "GE(": 400,
    "GET\t": 400,
    "GET  ": 400,
    "GET /\r": 400,
    "GET / \r": 400,
    "GET /\x7f": 400,
    "GET / HTTP\r": 400,
    "GET / h": 400,
    "GET / HTTP/x": 400,
    "GET / HTTP/1.x": 400,
    "GET / HTTP/1.1 ": 400,
    "GET / HTTP/1.10": 400,
    "GET / HTTP/1.1\n": 400,
    "GET / HTTP/1.2": 505,
    "GET / HTTP/0.9": 505,
    "GET / HTTP/2.0": 505,
    "PRI * HTTP/2.0": 400,
    "PRX * HTTP/2.0": 505,
    "GET / HTTP/1.1\r\n ": 400,
    "GET / HTTP/1.1\r\n:": 400,
    "GET / HTTP/1.1\r\nX ": 400,
    "GET / HTTP/1.1\r\nX\r": 400,
    "GET / HTTP/1.1\r\n\xff": 400,
    "GET / HTTP/1.1\r\nX: a\n": 400,
    "GET / HTTP/1.1\r\nX: a\r\r": 400,
    "GET / HTTP/1.1\r\nX: \0": 400,
    "GET / HTTP/1.1\r\nX: \x7f": 400,
    "GET / HTTP/1.1\r\nX: a\r\n ": 400,
    "GET / HTTP/1.1\r\nX: a\r\n\n": 400,
    "GET / HTTP/1.1\r\nX: a\r\n\ra": 400,
    [chunked("g")]: 400,
    [chunked("\r")]: 400,
    [chunked(";")]: 400,
    [chunked("3 ")]: 400,
    [chunked("3\n")]: 400,
    [chunked("3\r\r")]: 400,
    [chunked("123456789")]: 400,
    [chunked("1\r\na\r\n\r")]: 400,
    [chunked("3;;")]: 400,
    [chunked("3;\r")]: 400,
    [chunked("3; ")]: 400,
    [chunked("3;=")]: 400,
    [chunked("3;a=\r")]: 400,
    [chunked("3;a==")]: 400,
    [chunked('3;a=""b')]: 400,
    [chunked('3;a=b"')]: 400,
    [chunked('3;a="\r')]: 400,
    [chunked('3;a="\\\r')]: 400,
    [chunked('3;"')]: 400,
    [chunked("3\r\nabcd")]: 400,
    [chunked("3\r\nabc\ra")]: 400,
    [chunked("0\r\n\n")]: 400,
    [chunked("0\r\n ")]: 400,
    [chunked("0\r\nT ")]: 400,
    [chunked("0\r\nT: \x01")]: 400,
    ...Object.fromEntries(
      [
        "Host",
        "Content-Length",
        "content_length",
        "Transfer-Encoding",
        "Transfer_Encoding",
        "Connection",
        "Upgrade",
      ].map((name) => [chunked(`0\r\nT: v\r\n${name}: 0\r\n\r\n`), 400]),
    ),
  };
  for (const [text, status] of Object.entries(statuses)) {
    test(`${JSON.stringify(text)} is ${status} at its last byte, however it is cut`, () => {
      for (const size of [text.length + 9, 1, 2, 3]) {
        const { refusal, endCount, state, restBytes } = parse(`${text}${size > text.length ? get() : ""}`, size);
        assert.deepEqual([refusal, endCount, state, restBytes], [status, 0, "closed", 0], `in pieces of ${size}`);
      }
      const before = parse(text.slice(0, -1));
      assert.deepEqual([before.refusal, before.state === "closed"], [undefined, false], "before its last byte");
    });
  }
});

describe("a body", () => {
  const body = `3;a;b=c;d="e \\" \\\\ \xff"\r\nabc\r\n0A\r\n0123456789\r\n1f\r\n${"x".repeat(31)}\r\n000;x\r\nX-Host: v\r\nHosts: v\r\nU:\r\n\r\n`;
  for (const size of [1000, 1, 2, 7]) {
    test(`is read by its length or by chunks, and the next request behind it, in pieces of ${size}`, () => {
      const text = `\r\n${get("Content-Length: 3\r\n")}abc\r\n${chunked(body)}${get()}${get("Content-Length: 0\r\n")}`;
      const { heads, bodies, endCount, refusal, state } = parse(text, size);
      assert.deepEqual(bodies, ["abc", `abc0123456789${"x".repeat(31)}`, "", ""]);
      assert.deepEqual([heads.length, endCount, refusal, state], [4, 4, undefined, "idle"]);
      assert.deepEqual(heads[1]?.headers.flat, ["Host", "a", "Transfer-Encoding", "chunked"]);
    });
  }

  test("ends with its request: `parse` returns behind it", () => {
    const first = `${get("Content-Length: 3\r\n")}abc`;
    const parser = new RequestParser(rules, ignored);
    const bytes = Buffer.from(first + get());
    assert.equal(parser.parse(bytes, 0, bytes.length), first.length);
    assert.equal(parser.parse(bytes, first.length, bytes.length), bytes.length);
    const bodiless = Buffer.from(get() + first);
    assert.equal(new RequestParser(rules, ignored).parse(bodiless, 0, bodiless.length), get().length);
  });

  test("is behind the state `head`, and before the state `idle`", () => {
    const states = (text: string): readonly string[] => {
      const parser = new RequestParser(rules, ignored);
      let start = 0;
      return Array.from(text, (_, index) => {
        start = parser.parse(Buffer.from(text), start, index + 1);
        return parser.state;
      });
    };
    const head = get("Content-Length: 2\r\n");
    const expected = [...Array(head.length - 1).fill("head"), "body", "body", "idle"] as string[];
    assert.deepEqual(states(`${head}ab`), expected);
    assert.deepEqual(states("\r\nG"), ["idle", "idle", "head"]);
    assert.deepEqual(states(chunked("0\r\nT:\r\n\r\n")).slice(-9), [...Array(8).fill("body"), "idle"]);
  });
});

describe("a limit", () => {
  const headOf = (bytes: number): string => {
    const empty = get("X: \r\n").length;
    return get(`X: ${"x".repeat(bytes - empty)}\r\n`);
  };
  const lines = (count: number): string => Array.from({ length: count }, (_, index) => `x${index}: y\r\n`).join("");
  const cases: readonly (readonly [name: string, limit: number, textOf: (size: number) => string, refusal: unknown])[] =
    [
      ["the bytes of a head", 1000, headOf, 431],
      ["the bytes of a request line", 1000, (size) => get("", `GET /${"x".repeat(size - get().length)} HTTP/1.1`), 431],
      ["the number of header lines", 10, (size) => get(lines(size - 1)), "E_HEADERS_TOO_MANY"],
      ["the bytes of a method", 64, (size) => get("", `${"M".repeat(size)} / HTTP/1.1`), 400],
      ["the bytes of trailers", 1000, (size) => chunked(`0\r\nT: ${"x".repeat(size - 7)}\r\n\r\n`), 431],
      ["the number of trailers", 10, (size) => chunked(`0\r\n${lines(size)}\r\n`), 431],
      ["the bytes of chunk extensions", 16_384, (size) => chunked(`0;${"x".repeat(size - 1)}\r\n\r\n`), 413],
      ["the digits of a chunk size", 8, (size) => chunked(`1\r\na\r\n${"0".repeat(size)}\r\n\r\n`), 400],
    ];
  for (const [name, limit, textOf, refusal] of cases) {
    test(`of ${name} is inclusive, however they are cut`, () => {
      const accepted = name.endsWith("method") ? "E_METHOD_UNKNOWN" : undefined;
      for (const pieceBytes of [20_000, 1, 33]) {
        assert.equal(parse(textOf(limit - 1), pieceBytes).refusal, accepted);
        assert.equal(parse(textOf(limit), pieceBytes).refusal, accepted);
        assert.equal(parse(textOf(limit + 1), pieceBytes).refusal, refusal);
      }
    });
  }

  test("of chunk extensions counts all of a body, and starts again with the next one", () => {
    const half = `1;${"x".repeat(8100)}\r\na\r\n`;
    assert.equal(parse(chunked(`${half}${half}0\r\n\r\n`).repeat(2)).endCount, 2);
    assert.equal(parse(chunked(`${half}${half}${half}0\r\n\r\n`)).refusal, 413);
  });

  test("of a head is refused as soon as it is reached", () => {
    assert.equal(parse(headOf(1001).slice(0, 999)).refusal, undefined);
    assert.equal(parse(headOf(1001).slice(0, 1000)).refusal, 431);
  });
});

describe("a stopped parser", () => {
  for (const method of ["onHead", "onBody", "onEnd"] as const) {
    test(`calls nothing after a stop in ${method}`, () => {
      const calls: string[] = [];
      const parser: RequestParser = new RequestParser(rules, {
        ...ignored,
        ...Object.fromEntries(
          ["onHead", "onBody", "onEnd", "onRefused"].map((name) => [
            name,
            () => {
              calls.push(name);
              if (name === method) parser.stop();
            },
          ]),
        ),
      });
      const bytes = Buffer.from(`${chunked("1\r\na\r\n1\r\nb\r\n0\r\n\r\n")}${get()}\0`);
      assert.equal(parseAll(parser, bytes), bytes.length);
      assert.equal(calls.indexOf(method), calls.length - 1);
      assert.equal(parser.state, "closed");
    });
  }

  test("calls nothing after a stop in the head of a request without a body, or in a counted body", () => {
    for (const method of ["onHead", "onBody"] as const) {
      const parser: RequestParser = new RequestParser(rules, {
        ...ignored,
        [method]: () => parser.stop(),
        onEnd: () => assert.fail(),
      });
      const bytes = Buffer.from(method === "onHead" ? get() : `${get("Content-Length: 1\r\n")}a`);
      assert.equal(parseAll(parser, bytes), bytes.length);
    }
  });
});
