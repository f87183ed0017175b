import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { html } from "../../html/index.ts";
import * as Htmx from "./htmx.ts";
import { Request } from "../../http/message/request.ts";
import { Response } from "../../http/message/response.ts";

const asked = (headers: Record<string, string>): Request =>
  Request.from(new globalThis.Request("http://localhost/", { headers }));

describe("a request of HTMX", () => {
  test("expects a fragment, unless it is boosted or restores the history", () => {
    const cases = [
      [{}, false, false],
      [{ "hx-request": "true" }, true, true],
      [{ "hx-request": "true", "hx-boosted": "true" }, true, false],
      [{ "hx-request": "true", "hx-history-restore-request": "true" }, true, false],
      [{ "hx-boosted": "true" }, false, false],
    ] as const;
    for (const [headers, isHtmx, isFragment] of cases) {
      assert.deepEqual([Htmx.isHtmx(asked(headers)), Htmx.wantsFragment(asked(headers))], [isHtmx, isFragment]);
    }
  });

  test("of HTMX 4 says itself whether it expects a fragment", () => {
    const cases = [
      [{ "hx-request": "true", "hx-request-type": "partial" }, true],
      [{ "hx-request": "true", "hx-request-type": "full" }, false],
      [{ "hx-request": "true", "hx-request-type": "partial", "hx-boosted": "true" }, true],
      [{ "hx-request": "true", "hx-request-type": "full", "hx-history-restore-request": "true" }, false],
      [{ "hx-request-type": "partial" }, false],
    ] as const;
    for (const [headers, isFragment] of cases) assert.equal(Htmx.wantsFragment(asked(headers)), isFragment);
  });

  test("has target, trigger, prompt and URL, decoded if HTMX has encoded them", () => {
    const request = asked({
      "hx-target": "list",
      "hx-trigger": "%E6%97%A5",
      "hx-trigger-uri-autoencoded": "true",
      "hx-prompt": "%E6%97",
      "hx-prompt-uri-autoencoded": "true",
      "hx-current-url": "http://localhost/%E6",
    });
    assert.deepEqual([Htmx.target(request), Htmx.trigger(request)], ["list", "日"]);
    assert.deepEqual([Htmx.prompt(request), Htmx.currentUrl(request)], ["%E6%97", "http://localhost/%E6"]);
    assert.equal(Htmx.target(asked({})), undefined);
    const marked = asked({ "hx-target": "a#b", "hx-trigger": "100%25", "hx-prompt": "100%25" });
    assert.deepEqual([Htmx.target(marked), Htmx.trigger(marked), Htmx.prompt(marked)], ["a#b", "100%25", "100%25"]);
  });

  test("of HTMX 4 has target and source as tag#id, and an encoded prompt", () => {
    const request = asked({
      "hx-request": "true",
      "hx-request-type": "partial",
      "hx-source": "button#%E6%97%A5#b",
      "hx-target": "ul#list",
      "hx-prompt": "100%25 %E6%97%A5",
    });
    assert.deepEqual([Htmx.target(request), Htmx.trigger(request), Htmx.prompt(request)], ["list", "日#b", "100% 日"]);
    const anonymous = asked({ "hx-request-type": "partial", "hx-source": "li", "hx-target": "ul" });
    assert.deepEqual([Htmx.target(anonymous), Htmx.trigger(anonymous)], [undefined, undefined]);
    const targetOnly = asked({ "hx-request-type": "partial", "hx-target": "ul#list" });
    assert.deepEqual([Htmx.target(targetOnly), Htmx.trigger(targetOnly)], ["list", undefined]);
    assert.equal(Htmx.prompt(asked({ "hx-source": "a" })), undefined);
    const broken = asked({ "hx-source": "li#%E6", "hx-target": "ul#", "hx-prompt": "%" });
    assert.deepEqual([Htmx.target(broken), Htmx.trigger(broken), Htmx.prompt(broken)], [undefined, "%E6", "%"]);
  });

  test("gets the content alone, other clients the full page, with Vary for all that decides", () => {
    const answer = (headers: Record<string, string>): unknown => {
      const response = Htmx.page(asked(headers), html`<p></p>`, (content) => html`<main>${content}</main>`, {
        status: 422,
      });
      return [response.status, response.body, response.header("vary")];
    };
    const vary = "hx-request, hx-request-type, hx-boosted, hx-history-restore-request";
    assert.deepEqual(answer({ "hx-request": "true" }), [422, "<p></p>", vary]);
    assert.deepEqual(answer({}), [422, "<main><p></p></main>", vary]);
    assert.deepEqual(answer({ "hx-request": "true", "hx-request-type": "full" }), [422, "<main><p></p></main>", vary]);
  });
});

describe("a response for HTMX", () => {
  test("redirects within this site only", () => {
    assert.deepEqual(Htmx.redirect("/todos/日").headers.flat, ["hx-redirect", "/todos/%E6%97%A5"]);
    assert.deepEqual(Htmx.refresh().headers.flat, ["hx-refresh", "true"]);
    for (const to of ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]) {
      assert.throws(() => Htmx.redirect(to), { code: "E_REDIRECT_EXTERNAL" });
      assert.throws(() => Htmx.instruct(Response.empty(), { pushUrl: to }), { code: "E_REDIRECT_EXTERNAL" });
      assert.throws(() => Htmx.instruct(Response.empty(), { replaceUrl: to }), { code: "E_REDIRECT_EXTERNAL" });
    }
  });

  test("carries instructions, with events as ASCII JSON", () => {
    const response = Htmx.instruct(Response.html(html`<p></p>`), {
      pushUrl: "/todos?limit=5",
      replaceUrl: "/",
      retarget: "#todos",
      reswap: "beforeend",
      reselect: "p",
      trigger: { added: "日👍\r\n" },
      triggerAfterSwap: { a: null },
      triggerAfterSettle: { b: { c: 1 } },
    });
    assert.deepEqual(response.headers.flat.slice(2), [
      "hx-push-url",
      "/todos?limit=5",
      "hx-replace-url",
      "/",
      "hx-retarget",
      "#todos",
      "hx-reswap",
      "beforeend",
      "hx-reselect",
      "p",
      "hx-trigger",
      '{"added":"\\u65e5\\ud83d\\udc4d\\r\\n"}',
      "hx-trigger-after-swap",
      '{"a":null}',
      "hx-trigger-after-settle",
      '{"b":{"c":1}}',
    ]);
    assert.deepEqual(Htmx.instruct(Response.empty(), {}).headers.flat, []);
    assert.throws(() => Htmx.instruct(Response.empty(), { retarget: "#a\r\nset-cookie: b" }), {
      code: "E_HEADER_INVALID",
    });
  });
});
