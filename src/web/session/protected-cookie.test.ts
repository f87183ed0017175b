import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { Configuration, Secret, Time, Web } from "limmat";
import { anyCharacter } from "../../../test/any-character.ts";
import { TimeInternals } from "../../time/index.ts";
import { isolate } from "../application/fetch.test.ts";

const [first, second] = ["first-first-first-first-first-first", "second-second-second-second-second"];
const log = isolate([["FRAMEWORK_SECRET", first]]);

/** Returns a request that sends these cookies. */
function requestWith(...cookies: readonly Pick<Web.Cookie, "name" | "value">[]): Web.Request {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  return Web.Request.from(new Request("http://localhost/", { headers: { cookie } }));
}

for (const [kind, declare] of [
  ["signed", Web.signedCookie],
  ["sealed", Web.sealedCookie],
] as const) {
  describe(`a ${kind} cookie`, () => {
    test("returns any text that was set", () => {
      const theme = declare("theme");
      fc.assert(
        fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
          assert.equal(theme.find(requestWith(theme.cookie(text))), text);
        }),
      );
      assert.equal(theme.find(requestWith()), undefined);
    });

    test("has safe attributes, in production with Secure and __Host-", () => {
      const headerOf = (cookie: Web.Cookie): string | undefined =>
        Web.Response.text("").withCookie(cookie).header("set-cookie");
      const attributes = "; HttpOnly; SameSite=Lax";
      const header = headerOf(declare("theme").cookie("dark")) ?? "";
      assert.match(header, /^theme=/);
      assert.ok(header.endsWith(`; Path=/${attributes}`), header);
      const month = headerOf(declare("theme", { maxAgeMs: Time.days(30) }).cookie("dark")) ?? "";
      assert.ok(month.endsWith(`; Path=/; Max-Age=2592000${attributes}`), month);
      assert.equal(headerOf(declare("theme").cookie(undefined)), `theme=; Path=/; Max-Age=0${attributes}`);
      Configuration.store([["FRAMEWORK_ENV", "production"]]);
      const secure = headerOf(declare("theme").cookie("dark")) ?? "";
      assert.match(secure, /^__Host-theme=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    });

    test("is refused under another name, and as another kind", () => {
      const { value } = declare("role").cookie("admin");
      const other = kind === "signed" ? Web.sealedCookie : Web.signedCookie;
      assert.equal(declare("role").find(requestWith({ name: "role", value })), "admin");
      assert.equal(declare("name").find(requestWith({ name: "name", value })), undefined);
      assert.equal(other("role").find(requestWith({ name: "role", value })), undefined);
      const secure = declare("role", { secure: true });
      assert.equal(secure.find(requestWith({ name: "__Host-role", value })), undefined);
    });

    test("is refused after a change, and if it is sent twice, with a note in the log", () => {
      const theme = declare("theme");
      const cookie = theme.cookie("dark");
      for (let at = 0; at < cookie.value.length; at++) {
        const character = cookie.value[at] === "A" ? "B" : "A";
        const value = cookie.value.slice(0, at) + character + cookie.value.slice(at + 1);
        assert.equal(theme.find(requestWith({ ...cookie, value })), undefined);
      }
      assert.equal(theme.find(requestWith(cookie, cookie)), undefined);
      assert.match(log.entries[0]?.message ?? "", new RegExp(`^A ${kind} cookie `));
    });

    test("ends with its maximum age, also a copy; by default after 30 days", (context) => {
      const clock = TimeInternals.fakeClock(new Date(0));
      context.after(TimeInternals.useClock(clock));
      for (const [cookie, lifetimeMs] of [
        [declare("theme"), Time.days(30)],
        [declare("theme", { maxAgeMs: 1000 }), 1000],
      ] as const) {
        clock.set(new Date(0));
        const request = requestWith(cookie.cookie("dark"));
        clock.set(new Date(lifetimeMs - 1));
        assert.equal(cookie.find(request), "dark");
        clock.set(new Date(lifetimeMs));
        assert.equal(cookie.find(request), undefined);
      }
      const endless = declare("theme", { maxAgeMs: Infinity });
      const { maxAge, ...cookie } = endless.cookie("dark");
      assert.equal(maxAge, undefined);
      clock.set(new Date(Time.days(10_000)));
      assert.equal(endless.find(requestWith(cookie)), "dark");
    });

    test("is accepted with a former secret, and not without it", () => {
      const theme = declare("theme");
      const request = requestWith(theme.cookie("dark"));
      Configuration.store([
        ["FRAMEWORK_SECRET", second],
        ["FRAMEWORK_SECRET_OLD", first],
      ]);
      assert.equal(theme.find(request), "dark");
      Configuration.store([["FRAMEWORK_SECRET_OLD", ""]]);
      assert.equal(theme.find(request), undefined);
    });

    test("fits 3,000 bytes, and fails with more than the cookie holds", () => {
      const theme = declare("theme");
      assert.equal(theme.find(requestWith(theme.cookie("x".repeat(3000))))?.length, 3000);
      assert.throws(() => theme.cookie("x".repeat(3100)), { code: "E_COOKIE_TOO_LARGE" });
    });
  });
}

test("only a sealed cookie hides its text", () => {
  const decoded = (value: string): string =>
    value
      .split(".")
      .map((part) => Buffer.from(part, "base64url").toString())
      .join();
  assert.ok(decoded(Web.signedCookie("theme").cookie("dark").value).includes("dark"));
  assert.ok(!decoded(Web.sealedCookie("theme").cookie("dark").value).includes("dark"));
  assert.equal(Secret.open(Web.sealedCookie("theme").cookie("dark").value, { purpose: "theme" }), undefined);
});
