import assert from "node:assert/strict";
import { test } from "node:test";
import { Language } from "../../language/index.ts";
import { html } from "../../html/index.ts";
import { Response } from "../../http/message/index.ts";
import { choose, get, link, put } from "../../http/router/index.ts";
import type { Handler, Middleware } from "../../http/router/index.ts";
import { alternateLinks, languageMenu } from "../components/language-menu.ts";
import { isolate } from "../application/fetch.test.ts";
import { service } from "../application/service.ts";
import { failure } from "../errors/failure.ts";
import { language } from "./language.ts";

isolate([["APP_URL", "https://example.com"]]);

const languages = Language.make("en", {
  en: { hello: "Hello" },
  de: { hello: "Grüezi" },
  ar: { hello: "مرحبا" },
} as const);

const hello: Handler = async () => {
  await Promise.resolve();
  return Response.text(`${languages.text.hello} ${Language.timeZone() ?? ""}`.trim());
};
/** Sends a request to an application with the middleware. */
function ask(
  middleware: Middleware,
  headers: Readonly<Record<string, string>>,
  path = "/list",
  handler = hello,
): Promise<globalThis.Response> {
  const router = choose([get("/list", handler, { name: "list" }), get("/", handler)]);
  const { fetch } = service({ router, middlewares: [middleware] });
  return fetch(new globalThis.Request(`http://localhost${path}`, { headers }));
}

test("the best language of Accept-Language, else the base language", async () => {
  for (const [header, expected] of [
    ["de", "Grüezi"],
    ["de-CH, en;q=0.9", "Grüezi"],
    ["en;q=0.5, de;q=0.8", "Grüezi"],
    ["fr, *;q=0.5", "Hello"],
    ["de;q=0, ar;q=0.1", "مرحبا"],
    ["de;q=2, ar", "مرحبا"],
    ["; , =,,de-", "Hello"],
    ["", "Hello"],
  ] as const) {
    const response = await ask(language(languages), header === "" ? {} : { "accept-language": header });
    assert.equal(await response.text(), expected, header);
    assert.equal(response.headers.get("vary"), "cookie, accept-language");
  }
  const response = await ask(language(languages), { "accept-language": "de-AT" });
  assert.equal(response.headers.get("content-language"), "de");
});

test("account, cookie and browser, in this order", async () => {
  const middleware = language(languages, {
    account: (request) => request.header("x-account"),
    timeZone: () => "Europe/Zurich",
  });
  const browser = { "accept-language": "ar" };
  assert.equal(await (await ask(middleware, browser)).text(), "مرحبا Europe/Zurich");
  const cookie = { ...browser, cookie: "language=de" };
  assert.equal(await (await ask(middleware, cookie)).text(), "Grüezi Europe/Zurich");
  assert.equal(await (await ask(middleware, { ...cookie, "x-account": "en-GB" })).text(), "Hello Europe/Zurich");
  assert.equal(await (await ask(middleware, { ...cookie, "x-account": "fr" })).text(), "Grüezi Europe/Zurich");
  assert.equal(await (await ask(middleware, { cookie: "language=../x" })).text(), "Hello Europe/Zurich");
});

test("an unknown time zone of an account counts as none", async () => {
  const middleware = language(languages, { timeZone: (request) => request.header("x-zone") });
  for (const [zone, expected] of [
    ["Europe/Zurich", "Hello Europe/Zurich"],
    ["Moon/Crater", "Hello"],
    ["", "Hello"],
  ] as const) {
    assert.equal(await (await ask(middleware, { "x-zone": zone })).text(), expected);
    assert.equal(
      languages.run("en", () => Language.timeZone(), { timeZone: zone }),
      expected.split(" ")[1],
    );
  }
});

test("a link with the query `language` sets the cookie and goes back to the page", async () => {
  const response = await ask(language(languages), {}, "/list?page=2&language=de&x=%26");
  assert.deepEqual([response.status, response.headers.get("location")], [303, "/list?page=2&x=%26"]);
  assert.match(response.headers.get("set-cookie") ?? "", /^language=de; Path=\/; .*SameSite=Lax/);
  const unknown = await ask(language(languages), {}, "/list?language=fr");
  assert.equal(unknown.status, 200);
  const hostile = await ask(language(languages), {}, "//evil.example?language=de");
  assert.doesNotMatch(hostile.headers.get("location") ?? "", /evil/);
});

test("two requests in two languages at the same time do not mix", async () => {
  const slow: Handler = async () => {
    const texts: string[] = [];
    for (let turn = 0; turn < 10; turn++) {
      await new Promise((resolve) => void setImmediate(resolve));
      texts.push(languages.text.hello);
    }
    return Response.text([...new Set(texts)].join());
  };
  const asked = ["de", "en", "ar", "de"].map((name) =>
    ask(language(languages), { "accept-language": name }, "/list", slow),
  );
  const answers = await Promise.all((await Promise.all(asked)).map((response) => response.text()));
  assert.deepEqual(answers, ["Grüezi", "Hello", "مرحبا", "Grüezi"]);
});

test("the language in the path, which links keep", async () => {
  const page: Handler = (request) =>
    Response.html(
      html`${languages.text.hello} ${link(request, "list")} ${languageMenu(request)}${alternateLinks(request)}`,
    );
  const inPath = language(languages, { inPath: true });
  const german = (await (await ask(inPath, { "accept-language": "ar" }, "/de/list?q=1", page)).text()).replaceAll(
    /\s+/g,
    " ",
  );
  assert.match(german, /^Grüezi \/de\/list /);
  assert.match(german, /<a href="\/list\?q=1" lang="en" dir="ltr" hreflang="en" >English<\/a/);
  assert.match(german, /<a href="\/de\/list\?q=1" lang="de" dir="ltr" hreflang="de" aria-current="true" >Deutsch<\/a/);
  assert.match(german, /<link rel="alternate" hreflang="ar" href="https:\/\/example\.com\/ar\/list\?q=1"/);
  const english = await ask(inPath, {}, "/list", page);
  assert.equal(english.headers.get("vary"), null);
  assert.match(
    await english.text(),
    /^Hello \/list .*<a href="\/ar\/list" lang="ar" dir="rtl" hreflang="ar"\s+>العربية<\/a/s,
  );
  assert.match(await (await ask(inPath, {}, "/ar", page)).text(), /^مرحبا \/ar\/list /);
  assert.equal((await ask(inPath, {}, "/en/list", page)).status, 404);
  assert.equal((await ask(inPath, {}, "/dex/list", page)).status, 404);
});

test("an error page of the application is in the language, also if the method of a form was read first", async () => {
  const fail: Handler = async () => {
    await Promise.resolve();
    throw failure(400);
  };
  const router = choose([get("/list", fail), put("/list", fail)]);
  const errorPage = (_request: unknown, { status }: { readonly status: number }): Response =>
    Response.text(`${languages.text.hello} ${status}`);
  const { fetch } = service({ router, middlewares: [language(languages)], errorPage });
  for (const body of [undefined, new URLSearchParams({ _method: "PUT" })]) {
    const method = body === undefined ? "GET" : "POST";
    const headers = { "accept-language": "de", cookie: "a=b", "sec-fetch-site": "same-origin" };
    const request = new globalThis.Request("http://localhost/list", { method, headers, ...(body && { body }) });
    assert.equal(await (await fetch(request)).text(), "Grüezi 400");
  }
});
