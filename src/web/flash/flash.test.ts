import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isError } from "../../core/index.ts";
import { Configuration } from "../../config/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import { Browser, isolate, serve } from "../application/fetch.test.ts";
import type { Handler } from "../../http/router/handler.ts";
import { etag } from "../middleware/etag.ts";
import { flash, type FlashOptions } from "../middleware/flash.ts";
import { session } from "../middleware/session.ts";
import type { Request } from "../../http/message/request.ts";
import { Response } from "../../http/message/response.ts";
import * as Flash from "./flash.ts";
import { FlashState, requireFlash } from "./flash-state.ts";

const log = isolate();

const handler: Handler = (request) => {
  const text = request.query.get("text") ?? "";
  if (request.path === "/notice") return Flash.setNotice(text, Response.redirect("/"));
  if (request.path === "/alert") return Flash.setAlert(text, Response.redirect("/"));
  if (request.path === "/custom") return Flash.set([...request.query], Response.redirect("/"));
  if (request.path === "/both") return Flash.setAlert("bad", Flash.setNotice("good", Response.redirect("/")));
  if (request.path === "/now") FlashState.of(request).add([["name", text]]);
  if (request.path === "/background") return Response.json({});
  if (request.path === "/broken") throw new Error(`broken after ${Flash.notice(request)}`);
  if (request.path === "/show-and-set") return Flash.setNotice("next", Response.json(Flash.notice(request) ?? null));
  return Response.json([
    Flash.notice(request) ?? null,
    Flash.alert(request) ?? null,
    Flash.find("name", request) ?? null,
  ]);
};

function browse(options?: FlashOptions): Browser {
  return new Browser(serve([etag(), session(), flash(options)], handler));
}

async function shown(browser: Browser): Promise<unknown> {
  return await (await browser.get("/")).json();
}

describe("a flash message", () => {
  test("is shown on the next page, and never again", async () => {
    const browser = browse();
    await browser.get("/notice?text=Saved");
    assert.deepEqual(await shown(browser), ["Saved", null, null]);
    assert.deepEqual(await shown(browser), [null, null, null]);
    assert.equal(browser.cookies.size, 0);
  });

  test("may be a notice, an alert, a custom one, or several", async () => {
    const browser = browse();
    await browser.get("/alert?text=Refused");
    assert.deepEqual(await shown(browser), [null, "Refused", null]);
    await browser.get("/custom?name=value");
    assert.deepEqual(await shown(browser), [null, null, "value"]);
    await browser.get("/both");
    assert.deepEqual(await shown(browser), ["good", "bad", null]);
  });

  test("may be for the page that answers, in addition to those of the request", async () => {
    const browser = browse();
    await browser.get("/notice?text=Saved");
    assert.deepEqual(await (await browser.get("/now?text=ours")).json(), ["Saved", null, "ours"]);
    assert.deepEqual(await shown(browser), [null, null, null]);
  });

  test("survives requests that do not show it, including a redirect", async () => {
    const browser = browse();
    await browser.get("/notice?text=Saved");
    for (let round = 0; round < 3; round++) {
      assert.equal((await browser.get("/background")).headers.get("set-cookie"), null);
    }
    assert.deepEqual(await shown(browser), ["Saved", null, null]);
  });

  test("survives a HEAD request, which shows no page", async () => {
    const browser = browse();
    await browser.get("/notice?text=Saved");
    await browser.send("/", { method: "HEAD" });
    assert.deepEqual(await shown(browser), ["Saved", null, null]);
  });

  test("survives a page that fails", async () => {
    const browser = browse();
    await browser.get("/notice?text=Saved");
    assert.equal((await browser.get("/broken")).status, 500);
    assert.deepEqual(await shown(browser), ["Saved", null, null]);
  });

  test("equal to the previous one is shown as well, once", async () => {
    const browser = browse();
    await browser.get("/notice?text=next");
    assert.equal(await (await browser.get("/show-and-set")).json(), "next");
    assert.deepEqual(await shown(browser), ["next", null, null]);
    assert.deepEqual(await shown(browser), [null, null, null]);
  });

  test("replaces unread ones", async () => {
    const browser = browse();
    await browser.get("/alert?text=first");
    await browser.get("/notice?text=second");
    assert.deepEqual(await shown(browser), ["second", null, null]);
  });

  test("may be any text", async () => {
    const browser = browse();
    for (const text of ["a; b=c", 'with "quotes", commas', "Ž日本👩‍👩‍👧", "<script>", "\r\nset-cookie: a=b", ""]) {
      await browser.get(`/notice?text=${encodeURIComponent(text)}`);
      assert.deepEqual(await shown(browser), [text, null, null]);
    }
    await browser.get("/custom?__proto__=x&name=y");
    assert.deepEqual(await shown(browser), [null, null, "y"]);
  });

  test("is never answered from a cache", async () => {
    const browser = browse();
    const plain = await browser.get("/");
    const tag = plain.headers.get("etag") ?? "";
    await browser.get("/notice?text=Saved");
    const response = await browser.get("/", { "if-none-match": tag });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.equal((await browser.get("/", { "if-none-match": tag })).status, 304);
  });

  test("expires unread after ten minutes, or the configured time", async (context) => {
    const clock = TimeInternals.fakeClock();
    context.after(TimeInternals.useClock(clock));
    for (const [options, minutes] of [
      [undefined, 10],
      [{ maxAgeMs: Time.minutes(1) }, 1],
    ] as const) {
      const browser = browse(options);
      const response = await browser.get("/notice?text=Saved");
      const cookie = `_flash=${browser.cookies.get("_flash")}`;
      const late = async (): Promise<unknown> => await (await browse(options).get("/", { cookie })).json();
      assert.ok(response.headers.get("set-cookie")?.includes(`Max-Age=${minutes * 60};`));
      await clock.advance(Time.minutes(minutes));
      assert.deepEqual(await late(), ["Saved", null, null]);
      await clock.advance(1);
      assert.deepEqual(await late(), [null, null, null]);
    }
  });

  test("that is too long fails, and keeps the previous one", async () => {
    const browser = browse();
    await browser.get("/notice?text=before");
    assert.equal((await browser.get(`/notice?text=${"x".repeat(4000)}`)).status, 500);
    assert.ok(isError(log.entries.at(-1)?.error, "E_FLASH_TOO_LARGE"));
    assert.deepEqual(await shown(browser), ["before", null, null]);
  });
});

describe("a flash cookie", () => {
  test("is HttpOnly, and bound to this host over https in production", async () => {
    const plain = await browse().get("/notice?text=a");
    assert.match(
      plain.headers.get("set-cookie") ?? "",
      /^_flash=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    Configuration.store([
      ["FRAMEWORK_ENV", "production"],
      ["FRAMEWORK_SECRET", "a-secret-of-production-that-is-long-enough"],
    ]);
    const secure = await browse().get("/notice?text=a");
    assert.match(secure.headers.get("set-cookie") ?? "", /^__Host-_flash=.*; HttpOnly; Secure; SameSite=Lax$/);
  });

  test("that was changed, or belongs to a session, shows nothing", async () => {
    const browser = browse();
    await browser.get("/notice?text=Saved");
    const cookie = browser.cookies.get("_flash") ?? "";
    for (const changed of [
      `${cookie}a`,
      cookie.slice(1),
      cookie.slice(0, -1),
      "",
      "a.b.c",
      cookie.replace(".", "-."),
    ]) {
      const response = await browse().get("/", { cookie: `_flash=${changed}` });
      assert.deepEqual(await response.json(), [null, null, null]);
    }
    const swapped = await browse().get("/", { cookie: `_session=${cookie}; _flash=${cookie}` });
    assert.deepEqual(await swapped.json(), ["Saved", null, null]);
  });
});

test("fails without the middleware, instead of losing messages silently", async () => {
  assert.equal((await serve([], handler)("/notice?text=a")).status, 500);
  assert.ok(isError(log.entries.at(-1)?.error, "E_FLASH_MISSING"));
  assert.equal((await serve([], handler)("/")).status, 500);
  assert.ok(isError(log.entries.at(-1)?.error, "E_FLASH_MISSING"));
});

test("a handler can check for the middleware before it changes anything", async () => {
  const working = (request: Request): Response => (requireFlash(request), Response.empty(204));
  assert.equal((await serve([flash()], working)("/")).status, 204);
  assert.equal((await serve([], working)("/")).status, 500);
  assert.ok(isError(log.entries.at(-1)?.error, "E_FLASH_MISSING"));
});
