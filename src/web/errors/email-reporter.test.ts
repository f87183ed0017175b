import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Time, TimeInternals } from "../../time/index.ts";
import { emailReporter, type ErrorEmail } from "./email-reporter.ts";
import { isolate, serve } from "../application/fetch.test.ts";
import { error } from "../middleware/error.ts";
import { notOnBun } from "../../http/server/live.test.ts";

const log = isolate([["TRUSTED_PROXIES", "127.0.0.1"]]);

function mailbox(): { readonly mails: ErrorEmail[]; readonly reporter: ReturnType<typeof emailReporter> } {
  const mails: ErrorEmail[] = [];
  const send = (email: ErrorEmail): Promise<void> => {
    mails.push(email);
    return Promise.resolve();
  };
  return { mails, reporter: emailReporter({ sender: "app@example.com", recipient: "ops@example.com", send }) };
}

const reportOf = (thrown: unknown): Parameters<ReturnType<typeof emailReporter>>[0] => ({
  error: thrown,
  requestId: "id-1",
  method: "GET",
  path: "/todos",
});

describe("an email about an error", () => {
  test("holds the error with its causes, and the request's id, method and path", async () => {
    const { mails, reporter } = mailbox();
    const ask = serve([error({ reporters: [reporter] })], () => {
      throw new Error("outer", { cause: new TypeError("inner") });
    });
    await ask("/todos?token=s3cr3t", { headers: { "x-request-id": "id-1", cookie: "a=s3cr3t" } });
    const [mail] = mails;
    assert.equal(mail?.subject, "[error] Error: outer");
    assert.equal(mail.sender, "app@example.com");
    assert.equal(mail.recipient, "ops@example.com");
    assert.match(mail.text, /^GET \/todos\nRequest id-1\n/);
    assert.match(mail.text, /Error: outer\n {4}at [^]*Caused by:\nTypeError: inner\n {4}at /);
    assert.doesNotMatch(mail.text, /s3cr3t/);
  });

  const otherPlaces = notOnBun("a stack there begins with the caller of a function that only makes an error");
  test(
    "is sent once per interval for errors of one kind, with the number of suppressed ones",
    otherPlaces,
    async (context) => {
      const clock = TimeInternals.fakeClock();
      context.after(TimeInternals.useClock(clock));
      const { mails, reporter } = mailbox();
      const fail = (id: number): Error => new Error(`no todo ${id}`);
      for (let id = 0; id < 50; id++) await reporter(reportOf(fail(id)));
      assert.equal(mails.length, 1);
      await reporter(reportOf(new TypeError("another kind")));
      assert.equal(mails.length, 2);
      await clock.advance(Time.minutes(10));
      await reporter(reportOf(fail(51)));
      assert.match(mails[2]?.text ?? "", /49 more of this kind/);
    },
  );

  test("has a subject of one line, with any message", async () => {
    const { mails, reporter } = mailbox();
    await reporter(reportOf(new Error(`x\r\nBcc: all@example.com\u2028${"y".repeat(1000)}`)));
    assert.ok(mails[0] !== undefined && !/[\r\n\u2028]/.test(mails[0].subject) && mails[0].subject.length < 140);
  });

  test("has a subject of whole characters", async () => {
    const { mails, reporter } = mailbox();
    await reporter(reportOf(new Error(`${"x".repeat(112)}🎉`)));
    assert.ok(mails[0]?.subject.isWellFormed());
  });

  test("is sent for any thrown value", async () => {
    for (const thrown of ["a text", undefined, null, {}, Object.assign(new Error("x"), { stack: undefined })]) {
      const { mails, reporter } = mailbox();
      await reporter(reportOf(thrown));
      assert.equal(mails.length, 1);
    }
  });

  test("that cannot be sent is logged", async () => {
    const reporter = emailReporter({ sender: "a", recipient: "b", send: () => Promise.reject(new Error("no server")) });
    await serve([error({ reporters: [reporter] })], () => {
      throw new Error("x");
    })("/");
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(log.entries.some(({ message }) => message === "An error reporter failed"));
  });
});
