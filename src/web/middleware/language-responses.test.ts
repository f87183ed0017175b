// Language of the responses that the framework makes, and of those that are streamed.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { Language } from "../../language/index.ts";
import { de } from "../../language/texts/de/index.ts";
import { html } from "../../html/index.ts";
import { Response } from "../../http/message/index.ts";
import { choose, get, post, type Router } from "../../http/router/index.ts";
import { isolate } from "../application/fetch.test.ts";
import { type HttpService, service } from "../application/service.ts";
import { failure } from "../errors/failure.ts";
import { language } from "./language.ts";

isolate([
  ["HOST", "127.0.0.1"],
  ["PORT", "0"],
]);

const { 404: notFound, 500: serverError } = de.responses.statuses;
const languages = Language.make("en", { en: { hello: "Hello" }, de: { hello: "Hallo" } } as const, {
  framework: { de },
});
const { text } = languages;

/** Failures that are made once, when no request has a language. */
const lateFailure = failure(403);

function makeService(router: Router): HttpService {
  return service({ router, middlewares: [language(languages)], limits: { maxBodyBytes: 10 } });
}

const router = choose([
  get("/", () => Response.text(text.hello)),
  get("/fails", async () => {
    await Promise.resolve();
    throw new Error("broken");
  }),
  get("/refuses", () => {
    throw lateFailure;
  }),
  post("/form", async (request) => Response.text(await request.text())),
]);

async function ask(path: string, init: RequestInit = {}, tag = "de"): Promise<globalThis.Response> {
  const headers = { "accept-language": tag, ...(init.headers as Record<string, string> | undefined) };
  return makeService(router).fetch(new globalThis.Request(`http://localhost${path}`, { ...init, headers }));
}

describe("a German request gets German", () => {
  for (const [name, path, init, status, expected] of [
    ["page for an error of a handler", "/fails", {}, 500, serverError?.[1]],
    ["page for a failure that was made before", "/refuses", {}, 403, de.responses.statuses[403]?.[1]],
    ["page without a route", "/nothing", {}, 404, de.errors.E_NOT_FOUND],
    ["page for another method", "/form", {}, 405, "Diese Adresse unterstützt GET nicht, nur POST, OPTIONS."],
    ["page for a malformed target", "/%zz", {}, 400, de.errors.E_TARGET_MALFORMED],
    ["page for a large body", "/form", { method: "POST", body: "x".repeat(11) }, 413, "größer als 10 Byte"],
  ] as const) {
    test(name, async () => {
      const response = await ask(path, init);
      const page = await response.text();
      assert.equal(response.status, status);
      const detail = typeof expected === "function" ? expected() : expected;
      assert.ok(typeof detail === "string" && page.includes(detail), page);
      assert.match(page, /<html lang="de" dir="ltr">[^]*Zur Startseite[^]*Anfrage <code>/);
      assert.equal(response.headers.get("content-language"), "de");
      assert.match(response.headers.get("vary") ?? "", /accept-language/);
    });
  }

  test("problem document, with the code of every language", async () => {
    const response = await ask("/nothing", { headers: { accept: "application/json" } });
    const { title, code, type } = (await response.json()) as Record<string, string>;
    assert.deepEqual([title, code, type], [notFound?.[0], "E_NOT_FOUND", "about:blank"]);
    assert.equal(response.headers.get("content-language"), "de");
  });
});

test("an English request gets the same pages in English", async () => {
  const page = await (await ask("/fails", {}, "en")).text();
  assert.match(page, /<html lang="en" dir="ltr">[^]*Go to the start page[^]*Request <code>/);
});

test("the language of a request does not reach its caller, nor that of the caller the request", async () => {
  assert.equal(await (await ask("/")).text(), "Hallo");
  assert.equal(Language.current(), "en");
  const { fetch } = service({ router });
  await languages.run("de", async () => {
    assert.equal(await (await fetch(new globalThis.Request("http://localhost/"))).text(), "Hello");
    assert.equal(text.hello, "Hallo");
  });
});

/** Returns a promise, and a function that resolves it. */
const gate = (): { promise: Promise<void>; resolve: () => void } => Promise.withResolvers<void>();

test("requests that wait for each other keep their languages", async () => {
  const [first, second] = [gate(), gate()];
  const { fetch } = makeService(
    get("/", async (request) => {
      const isFirst = request.header("accept-language") === "de";
      if (isFirst) await first.promise;
      else first.resolve();
      const before = text.hello;
      if (isFirst) second.resolve();
      else await second.promise;
      await Promise.resolve();
      return Response.text(`${before} ${text.hello}`);
    }),
  );
  const send = async (tag: string): Promise<string> =>
    (await fetch(new globalThis.Request("http://localhost/", { headers: { "accept-language": tag } }))).text();
  assert.deepEqual(await Promise.all([send("de"), send("en")]), ["Hallo Hallo", "Hello Hello"]);
});

test("streamed pages, bodies and events keep the language of their request", async () => {
  const chunks = async function* (): AsyncGenerator<string, void, undefined> {
    yield `${text.hello} `;
    await Promise.resolve();
    yield text.hello;
  };
  const events = async function* (): AsyncGenerator<{ data: string }, void, undefined> {
    for await (const data of chunks()) yield { data };
  };
  const { fetch } = makeService(
    choose([
      get("/page", () => Response.html(html.stream`${chunks()}`)),
      get("/stream", () => Response.stream(chunks())),
      get("/events", () => Response.events(events())),
    ]),
  );
  const open = async (path: string, tag: string): Promise<globalThis.Response> =>
    fetch(new globalThis.Request(`http://localhost${path}`, { headers: { "accept-language": tag } }));
  for (const path of ["/page", "/stream", "/events"]) {
    // Both are open before one is read.
    const [german, english] = [await open(path, "de"), await open(path, "en")];
    const [englishBody, germanBody] = await Promise.all([english.text(), german.text()]);
    assert.equal(germanBody.match(/Hallo/g)?.length, 2, path);
    assert.equal(englishBody.match(/Hello/g)?.length, 2, path);
  }
});

/** Sends requests over one connection, each after the page of the one before, and returns what was received. */
async function converse(port: number, [first = "", ...others]: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(first);
  let received = "";
  let pageCount = 0;
  for await (const chunk of socket) {
    received += String(chunk);
    const count = received.split("</html>").length - 1;
    if (count > others.length) break;
    for (; pageCount < count; pageCount++) socket.write(others[pageCount] as string);
  }
  return received;
}

for (const host of ["node", "net"]) {
  describe(`on a connection of the host ${host}`, () => {
    isolate([
      ["HOST", "127.0.0.1"],
      ["PORT", "0"],
      ["HTTP_SERVER", host],
    ]);
    for (const [name, status, refused] of [
      ["malformed target", 400, "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"],
      ["large body", 413, "POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n12345678901"],
      ["request without a route", 404, "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ] as const) {
      test(`a ${name} does not have the language of the request before`, async () => {
        const http = makeService(router);
        await http.start({ services: [] });
        try {
          const { port } = http.address() ?? { port: 0 };
          const german = "GET /fails HTTP/1.1\r\nHost: localhost\r\nAccept-Language: de\r\n\r\n";
          const pages = await converse(port, [german, refused]);
          assert.deepEqual(pages.match(/(?<=<html lang=")\w+|HTTP\/1.1 \d+/g), [
            "HTTP/1.1 500",
            "de",
            `HTTP/1.1 ${status}`,
            "en",
          ]);
        } finally {
          await http.stop();
        }
      });
    }
  });
}
