import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { Configuration } from "../../../../config/index.ts";
import { isError } from "../../../../core/index.ts";
import { html } from "../../../../html/index.ts";
import type { EmailService } from "../../contract.ts";
import { isolate, message } from "../../mail-server.test.ts";
import { sendgrid, type SendgridOptions } from "./index.ts";

const log = isolate({ EMAIL_SEND_OUTSIDE_PRODUCTION: "true", SENDGRID_API_KEY: "SG.s3cr3t" });

interface Asked {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** Starts a fake API with the given response, and a service that uses it. */
async function withApi(
  answer: (response: ServerResponse) => unknown,
  work: (email: EmailService, requests: readonly Asked[]) => Promise<void>,
  options?: SendgridOptions,
): Promise<void> {
  const requests: Asked[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString();
      const body: unknown = text === "" ? undefined : JSON.parse(text);
      requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      answer(response);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  Configuration.store([["SENDGRID_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`]]);
  const email = sendgrid(options);
  await email.start({ services: [email] });
  try {
    await work(email, requests);
  } finally {
    await email.stop();
    server.closeAllConnections();
    server.close();
  }
}

const accepted = (response: ServerResponse): unknown => response.writeHead(202).end();

test("a mail is one request in the documented format", () =>
  withApi(accepted, async (email, requests) => {
    await email.send({
      sender: { name: 'The "to-dos"', address: "todo@example.com" },
      recipient: ["ada@example.com", { name: "Bob", address: "bob@example.com" }],
      bcc: "carol@example.com",
      replyTo: "help@example.com",
      subject: 'A "quoted"\\ subject',
      text: "line\nline \u0007",
      html: html`<p>${"<&>"}</p>`,
      attachments: [
        { name: "a.csv", content: "a;b" },
        { name: "logo.png", content: Uint8Array.of(1, 2), cid: "logo" },
      ],
      headers: { "X-Id": "7" },
      tags: ["welcome"],
    });
    assert.equal(requests.length, 1);
    assert.equal(requests[0]?.line, "POST /v3/mail/send");
    assert.equal(requests[0].headers.authorization, "Bearer SG.s3cr3t");
    assert.equal(requests[0].headers["content-type"], "application/json");
    assert.deepEqual(requests[0].body, {
      personalizations: [
        {
          to: [{ email: "ada@example.com" }, { email: "bob@example.com", name: "Bob" }],
          bcc: [{ email: "carol@example.com" }],
        },
      ],
      from: { email: "todo@example.com", name: 'The "to-dos"' },
      reply_to: { email: "help@example.com" },
      subject: 'A "quoted"\\ subject',
      content: [
        { type: "text/plain", value: "line\nline \u0007" },
        { type: "text/html", value: "<p>&lt;&amp;&gt;</p>" },
      ],
      attachments: [
        { filename: "a.csv", type: "text/csv", content: "YTti", disposition: "attachment" },
        { filename: "logo.png", type: "image/png", content: "AQI=", disposition: "inline", content_id: "logo" },
      ],
      headers: { "X-Id": "7" },
      categories: ["welcome"],
    });
  }));

test("a mail without sender gets the configured one", () =>
  withApi(accepted, async (email, requests) => {
    const { sender: _, ...rest } = message();
    await assert.rejects(
      email.send(rest),
      (error) => isError(error, "E_EMAIL_SENDER_MISSING") && error.message.includes("SENDGRID_SENDER"),
    );
    Configuration.store([["SENDGRID_SENDER", "App <app@example.com>"]]);
    await email.send(rest);
    const body = requests[0]?.body as { readonly from: unknown } | undefined;
    assert.deepEqual(body?.from, { email: "app@example.com", name: "App" });
  }));

describe("a response", () => {
  const errorBody = (text: string): string => JSON.stringify({ errors: [{ message: text, field: "subject" }] });
  for (const [status, code, text, headers, expected] of [
    [400, "E_EMAIL_REFUSED", errorBody("is too short"), {}, /400 is too short \(subject\)/],
    [413, "E_EMAIL_REFUSED", "too large", {}, /413 too large/],
    [401, "E_EMAIL_UNAVAILABLE", errorBody("the key is revoked"), {}, /401 the key is revoked/],
    [403, "E_EMAIL_UNAVAILABLE", "<html>\r\nno</html>", {}, /403 <html> no<\/html>/],
    [
      429,
      "E_EMAIL_UNAVAILABLE",
      errorBody("too many requests"),
      { "retry-after": "30" },
      /429 too many.*retry after 30 s/,
    ],
    [500, "E_EMAIL_UNAVAILABLE", "", {}, /: 500/],
    [503, "E_EMAIL_UNAVAILABLE", "null", {}, /: 503 null/],
    [302, "E_EMAIL_UNAVAILABLE", "", { location: "https://evil.example/" }, /redirect/],
  ] as const) {
    test(`${status} is ${code}`, () =>
      withApi(
        (response) => response.writeHead(status, headers).end(text),
        async (email, requests) => {
          await assert.rejects(email.send(message()), (error) => {
            assert.ok(isError(error, code), String(error));
            assert.match(error.message, expected);
            assert.doesNotMatch(error.message, /s3cr3t|\p{Cc}/u);
            return true;
          });
          assert.equal(requests.length, 1);
        },
      ));
  }

  for (const [behaviour, respond] of [
    ["never arrives", () => {}],
    ["never ends", (response: ServerResponse) => response.writeHead(202).write("{")],
    ["is interrupted", (response: ServerResponse) => response.destroy()],
  ] as const) {
    test(`that ${behaviour} is E_EMAIL_UNAVAILABLE`, () =>
      withApi(
        respond,
        (email) => assert.rejects(email.send(message()), (error) => isError(error, "E_EMAIL_UNAVAILABLE")),
        { timeoutMs: 200 },
      ));
  }
});

test("the check verifies the API key", async () => {
  await withApi(
    (response) => response.end("{}"),
    async (email, requests) => {
      const found = await email.check?.({ environment: "production" });
      assert.match(found?.[0]?.message ?? "", /^Mails are sent to 127\.0\.0\.1/);
      assert.equal(requests[0]?.line, "GET /v3/scopes");
    },
  );
  await withApi(
    (response) => response.writeHead(401).end(),
    (email) =>
      assert.rejects(
        async () => email.check?.({ environment: "production" }),
        (error) => isError(error, "E_EMAIL_UNAVAILABLE"),
      ),
  );
  assert.ok(!JSON.stringify(log.entries).includes("s3cr3t"));
});

test("the API key is sent unencrypted only to this machine", () => {
  const [field] = sendgrid().configuration.filter(({ key }) => key === "SENDGRID_URL");
  for (const [url, isRight] of [
    ["https://api.eu.sendgrid.com", true],
    ["http://127.0.0.1:8025", true],
    ["http://localhost:8025", true],
    ["http://[::1]:8025", true],
    ["http://api.sendgrid.com", false],
    ["http://127.0.0.1.evil.example", false],
    ["http://localhost.evil.example", false],
    ["https://user@api.sendgrid.com", false],
    ["https://api.sendgrid.com/v3", false],
    ["api.sendgrid.com", false],
  ] as const) {
    assert.equal(field?.parse(url).ok, isRight, url);
  }
});
