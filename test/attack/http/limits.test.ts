// RFC 9110 §7.8, §10.1.1, §15.5.14: expectations, upgrades, and bodies that are larger than the limit.
import { type Case, conform, getWith, host, last, postWith, refused, served } from "./conformance.ts";

const limit = 4096;
const body = (size: number): string => "x".repeat(size);
const sized = (size: number, target?: string): string => postWith(`Content-Length: ${size}\r\n`, body(size), target);
const chunked = (size: number, target?: string): string =>
  postWith("Transfer-Encoding: chunked\r\n", `${size.toString(16)}\r\n${body(size)}\r\n0\r\n\r\n`, target);
const inPieces = (size: number, target?: string): string =>
  postWith("Transfer-Encoding: chunked\r\n", `${"1\r\nx\r\n".repeat(size)}0\r\n\r\n`, target);
const expecting = (value: string, target?: string): string =>
  postWith(`Expect:${value}\r\nContent-Length: 2\r\n`, "hi", target);
const upgrade = (fields: string): string => getWith(`${host}${fields}`);

const bodies: readonly Case[] = [
  ["a body below the limit is read", sized(limit - 1), served(200, { body: body(limit - 1) })],
  ["a body of the limit is read", sized(limit), served(200, { body: body(limit) })],
  ["a body beyond the limit is refused", sized(limit + 1), refused(413)],
  ["chunks below the limit are read", chunked(limit - 1), served(200, { body: body(limit - 1) })],
  ["chunks of the limit are read", chunked(limit), served(200, { body: body(limit) })],
  ["chunks beyond the limit are refused", chunked(limit + 1), refused(413)],
  ["chunks of one byte up to the limit are read", inPieces(limit), served(200, { body: body(limit) })],
  ["chunks of one byte beyond the limit are refused", inPieces(limit + 1), refused(413)],
  ["a stream of the limit is read", sized(limit, "/api/stream"), served(200, { body: "4096" })],
  ["a stream beyond the limit is refused", sized(limit + 1, "/api/stream"), refused(413)],
  ["a stream of chunks of the limit is read", chunked(limit, "/api/stream"), served(200, { body: "4096" })],
  ["a stream of chunks beyond the limit is refused", chunked(limit + 1, "/api/stream"), refused(413)],
  ["a stream of small chunks beyond the limit is refused", inPieces(limit + 1, "/api/stream"), refused(413)],
  ["a body of the limit that nobody reads does no harm", sized(limit, "/api/ignore"), served(200, { body: "ignored" })],
  ["a body beyond the limit that nobody reads ends the connection", sized(limit + 1, "/api/ignore"), last()],
  ["chunks that nobody reads end the connection", chunked(limit + 1, "/api/ignore"), last()],
  ["a body for an address that does not exist does no harm", sized(limit, "/nowhere"), served(404)],
  ["a large body for an address that does not exist ends the connection", sized(limit + 1, "/nowhere"), last(404)],
  [
    "a form beyond the limit is refused",
    postWith(
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n`,
      `a=${body(4998)}`,
      "/api/form",
    ),
    refused(413),
  ],
  [
    "a length that is claimed and not kept is refused at once",
    postWith("Content-Length: 99999999\r\n", "x"),
    refused(413),
  ],
  ["a compressed body is not unpacked", postWith("Content-Encoding: gzip\r\nContent-Length: 2\r\n", "hi"), served(415)],
  [
    "a body in two codings is not unpacked",
    postWith("Content-Encoding: gzip, br\r\nContent-Length: 2\r\n", "hi"),
    served(415),
  ],
  [
    "identity is no coding",
    postWith("Content-Encoding: identity\r\nContent-Length: 2\r\n", "hi"),
    served(200, { body: "hi" }),
  ],
];

const expectations: readonly Case[] = [
  ["100-continue is answered before the body", expecting(" 100-continue"), served(200, { body: "hi" })],
  ["100-continue has no letter case", expecting(" 100-Continue"), served(200, { body: "hi" })],
  [
    "100-continue in HTTP/1.0 is ignored",
    `POST /api/echo HTTP/1.0\r\n${host}Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi`,
    last(200, { body: "hi" }),
  ],
  ["an unknown expectation is refused", expecting(" x"), refused(417)],
  ["an unknown expectation for a GET is refused", getWith(`${host}Expect: x\r\n`), refused(417)],
  [
    "an answer without the body ends the connection",
    expecting(" 100-continue", "/api/ignore"),
    last(200, { body: "ignored" }),
  ],
  ["a GET that expects to continue ends the connection", getWith(`${host}Expect: 100-continue\r\n`), last()],
  [
    "a body that is too large is refused before it is sent",
    postWith("Expect: 100-continue\r\nContent-Length: 4097\r\n", ""),
    refused(413),
  ],
  [
    "a malformed request is refused before its body is sent",
    `POST // HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
    refused(),
  ],
];

const upgrades: readonly Case[] = [
  [
    "a WebSocket is not opened",
    upgrade(
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
    ),
    last(),
  ],
  [
    "HTTP/2 in clear text is not spoken",
    upgrade("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"),
    last(),
  ],
  [
    "an upgrade with a body is an ordinary request",
    postWith("Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n", "hi"),
    last(200, { body: "hi" }),
  ],
  [
    "an upgrade in a list is an ordinary request",
    upgrade("Connection: keep-alive, Upgrade\r\nUpgrade: TLS/1.3, h2c\r\n"),
    last(),
  ],
  ["an Upgrade without a Connection is an ordinary request", upgrade("Upgrade: h2c\r\n"), last()],
  ["a Connection without an Upgrade is an ordinary request", upgrade("Connection: Upgrade\r\n"), served()],
];

conform("limits, expectations and upgrades", [...bodies, ...expectations, ...upgrades], {
  limits: { maxBodyBytes: limit },
});
