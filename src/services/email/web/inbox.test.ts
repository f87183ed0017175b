// Outside of production mails are captured, and the pages of the inbox show them.
import assert from "node:assert/strict";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../../../config/index.ts";
import { isError } from "../../../core/index.ts";
import { html, unsafeHtml } from "../../../html/index.ts";
import { TimeInternals } from "../../../time/index.ts";
import { choose, Http } from "../../../web/index.ts";
import type { EmailService } from "../contract.ts";
import { isolate, mailServer, message } from "../mail-server.test.ts";
import { memory } from "../transport/memory/memory.ts";
import { smtp } from "../transport/smtp/index.ts";
import { inbox } from "./inbox.ts";

const log = isolate();

async function started(email: EmailService): Promise<EmailService> {
  await email.start({ services: [email] });
  return email;
}

describe("mails", () => {
  for (const environment of ["development", "test"]) {
    test(`are captured in ${environment}, without any settings`, async () => {
      using root = mkdtempDisposableSync(join(tmpdir(), "limmat-inbox-"));
      Configuration.store([
        ["FRAMEWORK_ENV", environment],
        ["ROOT_PATH", root.path],
      ]);
      assert.ok(smtp().configuration.every((field) => !field.isRequired(environment as "test")));
      const email = await started(smtp());
      await email.send({ recipient: "ada@example.com", subject: "Hello", text: "x" });
      assert.equal(email.inbox.to("ADA@example.com")[0]?.subject, "Hello");
      assert.deepEqual(
        log.entries.map(({ message: text }) => text),
        ["Captured a mail to ada@example.com: Hello"],
      );
      assert.deepEqual(await email.check?.({ environment: "test" }), [
        { level: "ok", message: "Mails are captured, not sent" },
      ]);
      await email.stop();
    });
  }

  const hasEnvironment = process.env["FRAMEWORK_ENV"] !== undefined;
  test("are captured in memory without FRAMEWORK_ENV, with a warning", { skip: hasEnvironment }, async () => {
    ConfigurationInternals.reset();
    const email = await started(smtp());
    assert.deepEqual(
      log.entries.map(({ message: text }) => text),
      [
        "Mails are captured in memory, not sent, because FRAMEWORK_ENV is not set. With FRAMEWORK_ENV=development, the inbox of the development server shows them",
      ],
    );
    await email.stop();
  });

  test("are sent in development if EMAIL_SEND_OUTSIDE_PRODUCTION is true", async () => {
    await using server = await mailServer();
    Configuration.store([
      ["FRAMEWORK_ENV", "development"],
      ["EMAIL_SEND_OUTSIDE_PRODUCTION", "true"],
      ["SMTP_HOST", "127.0.0.1"],
      ["SMTP_PORT", String(server.port)],
    ]);
    assert.ok(smtp().configuration.some((field) => field.key === "SMTP_HOST" && field.isRequired("development")));
    const email = await started(smtp());
    await email.send(message());
    assert.equal(server.mails.length, 1);
    assert.deepEqual(email.inbox.all(), []);
    await email.stop();
  });

  test("are never captured in production", async () => {
    await using server = await mailServer();
    Configuration.store([
      ["FRAMEWORK_ENV", "production"],
      ["EMAIL_SEND_OUTSIDE_PRODUCTION", "false"],
      ["SMTP_HOST", "127.0.0.1"],
      ["SMTP_PORT", String(server.port)],
      ["SMTP_SENDER", "todo@example.com"],
    ]);
    const required = smtp().configuration.filter((field) => field.isRequired("production"));
    assert.deepEqual(
      required.map(({ key }) => key),
      ["SMTP_HOST", "SMTP_SENDER"],
    );
    const email = await started(smtp());
    await email.send(message());
    assert.deepEqual([server.mails.length, email.inbox.all().length], [1, 0]);
    await email.stop();
  });

  test("are captured with the configured sender; the inbox holds the last 500, newest first", async (t) => {
    const clock = TimeInternals.fakeClock();
    t.after(TimeInternals.useClock(clock));
    Configuration.store([["SMTP_SENDER", "To-dos <todo@example.com>"]]);
    const email = await started(smtp());
    for (let number = 0; number < 510; number++) {
      await email.send({ recipient: "ada@example.com", subject: String(number), text: "x" });
      await clock.advance(1000);
    }
    const all = email.inbox.all();
    assert.deepEqual([all.length, all[0]?.subject, all.at(-1)?.subject], [500, "509", "10"]);
    assert.deepEqual(all[0]?.sender, { name: "To-dos", address: "todo@example.com" });
    assert.ok(Number(all[0].captured_at) > Number(all[1]?.captured_at));
    assert.equal(email.inbox.findOpt(all[3]?.id ?? "")?.subject, "506");
    email.inbox.clear();
    assert.deepEqual(email.inbox.all(), []);
    await email.stop();
  });

  test("are found by any spelling of the address", async () => {
    Configuration.store([]);
    const email = await started(smtp());
    await email.send({ recipient: "Ada@bücher.example", subject: "Hello", text: "x" });
    for (const address of ["ada@bücher.example", "ADA@BÜCHER.example", "ada@xn--bcher-kva.example"]) {
      assert.equal(email.inbox.to(address)[0]?.subject, "Hello", address);
    }
    assert.deepEqual(email.inbox.to("ada@bucher.example"), []);
    await email.stop();
  });

  test("are neither captured nor sent by a service that is not started", async () => {
    const email = smtp();
    await assert.rejects(email.send(message()), (error) => isError(error, "E_EMAIL_NOT_STARTED"));
    await started(email);
    await email.stop();
    await assert.rejects(email.send(message()), (error) => isError(error, "E_EMAIL_NOT_STARTED"));
  });
});

test("a configured sender is an address, alone or after a name", () => {
  const field = smtp().configuration.find(({ key }) => key === "SMTP_SENDER");
  for (const right of ["todo@example.com", "To-dos <todo@example.com>", "Bücher, täglich <todo@bücher.example>"]) {
    assert.ok(field?.parse(right).ok, right);
  }
  for (const wrong of [
    "todo",
    "<>",
    "a@example.com, b@example.com",
    "A <a@example.com> <b@example.com>",
    "A\nB <a@example.com>",
  ]) {
    assert.ok(field?.parse(wrong).ok === false, wrong);
  }
});

describe("the pages of the inbox", () => {
  const ask = (email: EmailService, path: string): Promise<Response> => {
    const router = choose([inbox({ email })], { scope: "/mails" });
    return Http.service({ router }).fetch(new Request(`http://localhost${path}`));
  };

  test("list the mails and display each", async () => {
    const email = memory();
    await email.send({
      sender: "todo@example.com",
      recipient: { name: "<Ada>", address: "ada@example.com" },
      subject: "Grüße & <b>",
      html: html`<p>Hello</p>`,
      attachments: [{ name: "größe.txt", content: "ä" }],
    });
    const [mail] = email.inbox.all();
    const list = await (await ask(email, "/mails")).text();
    assert.match(list, /Grüße &amp; &lt;b&gt;/);
    assert.match(list, /&lt;Ada&gt; &lt;ada@example\.com&gt;/);
    const link = /href="(\/mails\/[\w-]+)"/.exec(list)?.[1] ?? "";
    assert.equal(link, `/mails/${mail?.id}`);
    const shown = await ask(email, link);
    assert.equal(shown.headers.get("cache-control"), "no-store");
    const text = await shown.text();
    assert.match(text, /<iframe[^>]* sandbox="allow-popups allow-popups-to-escape-sandbox"/);
    assert.match(text, /<pre class="card">Hello<\/pre>/);
    const file = await ask(email, `${link}/attachments/0`);
    assert.equal(await file.text(), "ä");
    assert.equal(file.headers.get("content-type"), "application/octet-stream");
    assert.match(file.headers.get("content-disposition") ?? "", /^attachment; filename\*=UTF-8''gr%C3%B6%C3%9Fe\.txt$/);
  });

  test("show previews, which nobody has sent, as their recipients would get them", async () => {
    const previews = [
      () => ({ subject: "Order <7>", html: html`<p>Hello, ${"Zoë & co"}</p>` }),
      async () => ({ subject: "Shipped", text: "On its way" }),
    ];
    const router = choose([inbox({ email: memory(), previews })], { scope: "/mails" });
    const read = async (path: string): Promise<string> =>
      (await Http.service({ router }).fetch(new Request(`http://localhost${path}`))).text();
    const links = [...(await read("/mails")).matchAll(/href="([^"]*preview[^"]*)">\s*<span class="title">([^<]*)</g)];
    assert.deepEqual(
      links.map(([, path, subject]) => [path, subject]),
      [
        ["/mails/preview-0", "Order &lt;7&gt;"],
        ["/mails/preview-1", "Shipped"],
      ],
    );
    assert.match(await read("/mails/preview-0"), /<pre class="card">Hello, Zoë &amp; co<\/pre>/);
    assert.match(await read("/mails/preview-0/page"), /<p>Hello, Zoë &amp; co<\/p>/);
    assert.match(await read("/mails/preview-1"), /On its way/);
    for (const path of ["preview-2", "preview-", "preview--1", "preview-x", "preview-0/attachments/0"])
      assert.match(await read(`/mails/${path}`), /There is no such page/, path);
  });

  test("show the HTML of a mail without scripts, in an opaque origin", async () => {
    const email = memory();
    const page = unsafeHtml('<html><head></head><body><script>top.x=1</script><img src="cid:logo"></body></html>');
    await email.send(message({ html: page, attachments: [{ name: "l.png", content: Uint8Array.of(1), cid: "logo" }] }));
    const framed = await ask(email, `/mails/${email.inbox.all()[0]?.id}/page`);
    const policy = framed.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/);
    assert.doesNotMatch(policy, /script|allow-same-origin/);
    const text = await framed.text();
    assert.match(text, /<head><base target="_blank"><\/head>/);
    assert.match(text, /<img src="data:image\/png;base64,AQ==">/);
  });

  test("turn only the web URLs of a text into links", async () => {
    const email = memory();
    const text = `See https://example.com/new?token=a_b-c&x=1. Or <http://localhost:3000/>, "javascript:alert(1)" <b>`;
    await email.send(message({ text }));
    const page = await (await ask(email, `/mails/${email.inbox.all()[0]?.id}`)).text();
    const shown = /<pre class="card">([^]*?)<\/pre>/.exec(page)?.[1] ?? "";
    assert.deepEqual(
      [...shown.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href),
      ["https://example.com/new?token=a_b-c&amp;x=1", "http://localhost:3000/"],
    );
    assert.match(shown, /&lt;b&gt;$/);
  });

  test("report an empty inbox and unknown mails", async () => {
    assert.match(await (await ask(memory(), "/mails")).text(), /No mails yet/);
    for (const path of ["/mails/x", "/mails/x/page", "/mails/x/attachments/0"]) {
      assert.equal((await ask(memory(), path)).status, 404, path);
    }
  });

  test("are available only if the environment is set to development or test", async () => {
    const email = memory();
    await email.send(message());
    const statuses: number[] = [];
    for (const environment of ["development", "test", "production", ""]) {
      Configuration.store([
        ["FRAMEWORK_ENV", environment],
        ["FRAMEWORK_SECRET", "a-secret-of-32-bytes-at-the-least-0123456789"],
      ]);
      statuses.push(
        (await ask(email, "/mails")).status,
        (await ask(email, `/mails/${email.inbox.all()[0]?.id}`)).status,
      );
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 404, 404, 404, 404]);
  });
});
