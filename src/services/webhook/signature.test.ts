// Signatures of received webhooks, through an application with the documented route.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Configuration, Time, Web, Webhook } from "limmat";
import { capturedLog, fakeClock } from "limmat/testing";
import { ConfigurationInternals } from "../../config/index.ts";

const now = new Date("2030-01-01T00:00:00Z");
let clock: ReturnType<typeof fakeClock>;
let verified: Webhook.VerifiedWebhook[];

beforeEach(() => {
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["CHECK_CSRF", "true"],
  ]);
  clock = fakeClock(now);
  verified = [];
});
afterEach(() => {
  clock[Symbol.dispose]();
  ConfigurationInternals.reset();
});

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const otherSecret = Webhook.createSecret();
const body = '{"id":"evt_1","type":"order.paid","name":"Zoë"}';

/** Sends a webhook to an application that verifies it. Returns status and code of the response. */
async function post(
  options: Webhook.VerifyOptions,
  headers: Readonly<Record<string, string>>,
  sent: string | Uint8Array<ArrayBuffer> = body,
): Promise<readonly [status: number, code?: unknown]> {
  const router = Web.choose(
    [
      Web.post("/webhooks/payments", async (request) => {
        verified.push(await Webhook.verify(request, options));
        return Web.Response.empty(204);
      }),
    ],
    { middlewares: Web.Middleware.api() },
  );
  const { fetch } = Web.Http.service({ router });
  const request = new Request("http://localhost/webhooks/payments", { method: "POST", body: sent, headers });
  const response = await fetch(request);
  if (response.status === 204) return [204];
  const problem = (await response.json()) as { readonly code: string; readonly detail: string };
  assert.ok(!/time|secret|header|key/i.test(problem.detail), problem.detail);
  return [response.status, problem.code];
}

const refused = [401, "E_WEBHOOK_SIGNATURE"];

for (const form of ["standard", "stripe"] as const) {
  describe(`a signature in the form "${form}"`, () => {
    const secrets = [secret];
    const signed = (
      changes: Partial<Webhook.SignOptions> = {},
      of: string | Uint8Array<ArrayBuffer> = body,
    ): Readonly<Record<string, string>> => Webhook.sign(of, { id: "evt_1", secrets, form, ...changes });

    test("is accepted, and the content is returned", async () => {
      assert.deepEqual(await post({ secrets, form }, signed()), [204]);
      assert.deepEqual(verified, [{ id: "evt_1", sentAt: now, content: JSON.parse(body) }]);
    });

    test("is refused over another body, in any byte", async () => {
      for (const changed of [body.replace("paid", "PAID"), `${body} `, `\uFEFF${body}`, "", body.normalize("NFD")])
        assert.deepEqual(await post({ secrets, form }, signed(), changed), refused, changed);
    });

    test("is refused with another secret, and accepted with any of several", async () => {
      assert.deepEqual(await post({ secrets: [otherSecret], form }, signed()), refused);
      assert.deepEqual(await post({ secrets: [otherSecret, secret], form }, signed()), [204]);
      assert.deepEqual(await post({ secrets, form }, signed({ secrets: [otherSecret, secret] })), [204]);
    });

    test("is refused if it is older or newer than the tolerance", async () => {
      for (const [differenceMs, toleranceMs, isAccepted] of [
        [Time.minutes(5), undefined, true],
        [-Time.minutes(5), undefined, true],
        [Time.seconds(301), undefined, false],
        [-Time.seconds(301), undefined, false],
        [Time.seconds(11), Time.seconds(10), false],
      ] as const) {
        const headers = signed({ sentAt: new Date(now.getTime() + differenceMs) });
        const result = await post({ secrets, form, ...(toleranceMs !== undefined && { toleranceMs }) }, headers);
        assert.deepEqual(result, isAccepted ? [204] : refused, String(differenceMs));
      }
    });

    test("is refused if a part is missing or malformed", async () => {
      const headers = signed();
      for (const name of Object.keys(headers)) {
        const { [name]: value = "", ...others } = headers;
        for (const changed of ["", "v1,", "t=,v1=", value.slice(0, -1), value.slice(1), `${value}0`, "v2,x"])
          assert.deepEqual(
            await post({ secrets, form }, { ...others, [name]: changed }),
            refused,
            `${name}: ${changed}`,
          );
        assert.deepEqual(await post({ secrets, form }, others), refused, name);
      }
    });

    test("over a body that is no JSON is 400, and a body over the limit is 413", async () => {
      for (const content of ["{", "", Uint8Array.of(0x22, 0xff, 0x22)])
        assert.deepEqual(await post({ secrets, form }, signed({}, content), content), [400, "E_WEBHOOK_CONTENT"]);
      const large = "x".repeat(1_048_577);
      assert.deepEqual(await post({ secrets, form }, signed({}, large), large), [413, "E_BODY_TOO_LARGE"]);
    });

    test("needs a secret that is one", async () => {
      const shape = form === "standard" ? /whsec_ and at least 16 bytes/ : /16 characters or more/;
      for (const unusable of [[""], ["whsec_"], ["short"], [secret, ""]])
        assert.throws(() => signed({ secrets: unusable }), { code: "E_WEBHOOK_SECRET", message: shape });
      assert.throws(() => signed({ secrets: [] }), { code: "E_WEBHOOK_SECRET", message: /there is none/ });
      using log = capturedLog();
      assert.deepEqual((await post({ secrets: [""], form }, signed()))[0], 500);
      assert.ok(!JSON.stringify(log.entries).includes(secret));
    });
  });
}

describe("the form of Standard Webhooks", () => {
  test("is that of other implementations", async () => {
    // Published by Svix with their libraries.
    clock[Symbol.dispose]();
    clock = fakeClock(new Date(1_614_265_330_000));
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature":
        "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,x v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    assert.deepEqual(await post({ secrets: [secret] }, headers, '{"test": 2432232314}'), [204]);
    const { "webhook-signature": signature } = headers;
    const few = { ...headers, "webhook-signature": signature.replace(/ v1,g0hM.*/, "") };
    assert.deepEqual(await post({ secrets: [secret] }, few, '{"test": 2432232314}'), refused);
  });

  test("accepts no identifier with a dot, which could end where the time begins", async () => {
    const headers = Webhook.sign("7.{}", { id: "a", secrets: [secret] });
    const { "webhook-timestamp": timestamp = "" } = headers;
    const moved = { ...headers, "webhook-id": `a.${timestamp}`, "webhook-timestamp": "7" };
    assert.deepEqual(await post({ secrets: [secret], toleranceMs: Infinity }, moved, "{}"), refused);
  });

  test("has a time in digits", async () => {
    const timestamp = String(now.getTime() / 1000);
    for (const [written, isAccepted] of [
      [timestamp, true],
      [`00${timestamp}`, true],
      [`000${timestamp}`, false],
      [`+${timestamp}`, false],
      [`${timestamp}.0`, false],
      [`0x${Number(timestamp).toString(16)}`, false],
    ] as const) {
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      const signature = createHmac("sha256", key).update(`a.${written}.${body}`).digest("base64");
      const headers = { "webhook-id": "a", "webhook-timestamp": written, "webhook-signature": `v1,${signature}` };
      assert.deepEqual(await post({ secrets: [secret] }, headers), isAccepted ? [204] : refused, written);
    }
    const late = Webhook.sign(body, { id: "a", secrets: [secret], sentAt: new Date(now.getTime() + 999) });
    assert.equal(late["webhook-timestamp"], timestamp);
  });

  test("has secrets of base64 after whsec_, of at least 16 bytes", async () => {
    const sign = (text: string): unknown => Webhook.sign(body, { id: "a", secrets: [text] });
    const secretOf = (size: number): string => `whsec_${Buffer.alloc(size).toString("base64")}`;
    assert.ok(sign(secretOf(16)));
    for (const text of [secretOf(15), `x${secret}`, `${secret} `, `${secret}-`, secret.slice("whsec_".length)])
      assert.throws(() => sign(text), { code: "E_WEBHOOK_SECRET" }, text);
  });

  test("checks at most twenty signatures", async () => {
    const headers = Webhook.sign(body, { id: "a", secrets: [secret] });
    const many = (count: number): Readonly<Record<string, string>> => ({
      ...headers,
      "webhook-signature": `${"v1,x ".repeat(count - 1)}${headers["webhook-signature"]}`,
    });
    assert.deepEqual(await post({ secrets: [secret] }, many(20)), [204]);
    assert.deepEqual(await post({ secrets: [secret] }, many(21)), refused);
  });
});

describe("the form of Stripe", () => {
  test("is that of its documentation: the whole secret is the key, and old schemes are ignored", async () => {
    const key = "whsec_0123456789abcdef0123456789abcdef";
    const timestamp = String(now.getTime() / 1000);
    const hex = createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex");
    const header = `t=${timestamp},v1=${"0".repeat(64)},v1=${hex},v0=${"1".repeat(64)}`;
    assert.deepEqual(await post({ secrets: [key], form: "stripe" }, { "stripe-signature": header }), [204]);
    const old = `t=${timestamp},v0=${hex}`;
    assert.deepEqual(await post({ secrets: [key], form: "stripe" }, { "stripe-signature": old }), refused);
  });

  test("needs a content with an id", async () => {
    for (const content of ["{}", '{"id":""}', '{"id":1}', "null", "[]"]) {
      const headers = Webhook.sign(content, { id: "", secrets: [secret], form: "stripe" });
      assert.deepEqual(await post({ secrets: [secret], form: "stripe" }, headers, content), [400, "E_WEBHOOK_CONTENT"]);
    }
  });
});
