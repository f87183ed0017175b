// Mails and jobs with hostile content on the pages of the framework, in a browser.
import { LogInternals } from "../../src/log/index.ts";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { App, Configuration, Email, Log, Queue, Web } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { unsafeHtml } from "limmat/html";
import { browserSkip, launch } from "../browser/chromium.ts";
import { freePort } from "../servers/process.ts";
import { naughty } from "./hostile.ts";

const options = { skip: browserSkip };
const email = Email.memory();
const spoiled = Queue.job({
  name: "spoiled",
  maxAttempts: 1,
  handle: (text: string) => {
    throw new Error(text);
  },
});
const queue = Queue.memory({ jobs: () => [spoiled] });
/** Requests that a script would have sent. */
const ran: string[] = [];
const router = Web.choose([
  Web.get("/ran/*what", (request) => {
    ran.push(request.target);
    return Web.Response.text("");
  }),
  Web.choose([Email.Web.inbox({ email })], { scope: "/mails" }),
  Web.choose([Queue.Web.router({ queue })], { scope: "/jobs" }),
]);
// On a busy machine no request is shed.
const http = Web.Http.service({ router, dependencies: () => [email, queue], limits: { maxEventLoopDelayMs: 0 } });

let app: App.Application;
let browser: Browser;
let origin = "";

before(async () => {
  if (browserSkip !== false) return;
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  Log.configure({ reporters: [] });
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["PORT", String(port)],
  ]);
  app = App.create({ services: [http] });
  await app.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await app?.stop();
  ConfigurationInternals.reset();
  LogInternals.reset();
});

const script = (name: string): string => `new Image().src='${origin}/ran/${name}';fetch('${origin}/ran/${name}')`;

/** Mail of an attacker, with every known technique. */
const hostileMail = (): string => `<!doctype html><html><head lang="</head>"><title>x</title>
  <script>${script("script")}</script>
  <base href="${origin}/ran/base/">
  <meta http-equiv="refresh" content="0;url=${origin}/ran/refresh">
  <meta http-equiv="content-security-policy" content="default-src * 'unsafe-inline'">
  <link rel="stylesheet" href="${origin}/ran/stylesheet"><link rel="prefetch" href="${origin}/ran/prefetch">
  <style>@import url(${origin}/ran/import);body{background:url(${origin}/ran/background)}</style></head>
  <body onload="${script("onload")}">
  <img src="x" onerror="${script("onerror")}"><img src="${origin}/ran/image">
  <svg onload="${script("svg")}"><script>${script("svg-script")}</script></svg>
  <iframe srcdoc="<script>${script("srcdoc")}</script>"></iframe><iframe src="${origin}/ran/iframe"></iframe>
  <iframe src="javascript:${script("iframe-script")}"></iframe>
  <object data="${origin}/ran/object"></object><embed src="${origin}/ran/embed">
  <img src="cid:page"><iframe src="cid:page"></iframe><object data="cid:page"></object>
  <form action="${origin}/ran/form" method="get"><button id="form">Send</button></form>
  <a id="script" href="javascript:${script("link")}">Link</a>
  <a id="top" target="_top" href="${origin}/ran/top">Top</a>
  <a id="parent" target="_parent" href="javascript:${script("parent")}">Parent</a>
  <input autofocus onfocus="${script("focus")}">
  <details open ontoggle="${script("toggle")}">x</details>
  <div><template shadowrootmode="open"><script>${script("shadow")}</script></template></div></body></html>`;

async function sendHostile(): Promise<string> {
  email.inbox.clear();
  const page = `<script>${script("attachment")}</script>`;
  await email.send({
    sender: { name: "</title><script>alert(1)</script>", address: "a@example.com" },
    recipient: { name: "<img src=x onerror=alert(1)>", address: "b@example.com" },
    subject: `"><script>${script("subject")}</script>`,
    text: `http://x"onmouseover="alert(1) <script>${script("text")}</script> javascript:alert(1) http://a.example/?"><b>`,
    html: unsafeHtml(hostileMail()),
    headers: { "X-Trick": "<script>alert(1)</script>" },
    attachments: [
      { name: "<img src=x onerror=alert(1)>.html", content: page, type: "text/html", cid: "page" },
      { name: "a.svg", content: `<svg xmlns="http://www.w3.org/2000/svg" onload="${script("file")}"/>` },
    ],
  });
  return email.inbox.all()[0]?.id ?? "";
}

/** Waits two frames, after which the effects of a click are visible. */
const painted = (page: Page): Promise<unknown> =>
  page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");

async function withPage(context: BrowserContext, body: (page: Page) => Promise<void>): Promise<void> {
  const problems: string[] = [];
  try {
    const page = await context.newPage();
    page.on("dialog", (dialog) => {
      problems.push(dialog.message());
      void dialog.dismiss();
    });
    await body(page);
  } finally {
    await context.close();
  }
  assert.deepEqual(problems, []);
  assert.deepEqual(ran.splice(0), []);
}

test("a mail runs no script and sends no request, in its frame and alone, whatever is clicked", options, async () => {
  const id = await sendHostile();
  await withPage(await browser.newContext({ baseURL: origin }), async (page) => {
    await page.goto("/mails");
    await page.goto(`/mails/${id}`);
    const frame = page.frameLocator("iframe[title='HTML of the mail']");
    for (const trap of ["#form", "#script", "#top", "#parent"]) {
      await frame.locator(trap).click();
      await painted(page);
      assert.equal(page.url(), `${origin}/mails/${id}`, trap);
    }
    for (const trap of ["#form", "#script", "#parent"]) {
      await page.goto(`/mails/${id}/page`);
      await page.locator(trap).click();
      // Without scripts, the test cannot wait within the page itself.
      await page.goto("/mails");
      await painted(page);
    }
  });
});

test(
  "the page around a mail shows its values as text, with and without the content security policy",
  options,
  async () => {
    const id = await sendHostile();
    await withPage(await browser.newContext({ baseURL: origin, bypassCSP: true }), async (page) => {
      await page.route("**/page", (route) => route.abort());
      for (const path of ["/mails", `/mails/${id}`]) {
        await page.goto(path);
        assert.equal(await page.locator("script, img").count(), 0, path);
      }
      assert.equal(await page.locator("[onmouseover], [onerror], a[href^='javascript' i]").count(), 0);
    });
  },
);

test("attachments are downloaded, never displayed", options, async () => {
  const id = await sendHostile();
  for (const number of [0, 1]) {
    const response = await app.request(`/mails/${id}/attachments/${number}`);
    assert.equal(response.headers.get("content-type"), "application/octet-stream");
    assert.match(response.headers.get("content-disposition") ?? "", /^attachment; /);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  }
  for (const number of ["2", "-1", "x", "__proto__", "1.5"]) {
    assert.equal((await app.request(`/mails/${id}/attachments/${number}`)).status, 404, number);
  }
});

test("inputs, errors, tags and contexts of jobs are text", options, async () => {
  const texts = naughty.filter((text) => /[<>"'&]/.test(text)).slice(0, 60);
  for (const text of texts) {
    const tag = text.replaceAll(/\p{Cc}/gu, "").slice(0, 60);
    await queue.dispatch(spoiled, text, { tag: tag.toWellFormed(), ctx: [["who", text]] });
  }
  await queue.runDue();
  await withPage(await browser.newContext({ baseURL: origin, bypassCSP: true }), async (page) => {
    for (const path of [
      "/jobs",
      `/jobs?filter=${encodeURIComponent('"><script>alert(1)</script>')}&status=x"y&tag=<b>`,
    ]) {
      await page.goto(path);
      assert.equal(await page.locator("script, img, svg, iframe").count(), 0, path);
    }
    const [instances] = await queue.search({ limit: 100 });
    assert.equal(instances.length, texts.length);
    for (const { id, input } of instances.filter((__, at) => at % 6 === 0)) {
      await page.goto(`/jobs/${id}`);
      assert.equal(
        await page.locator("main pre").nth(1).textContent(),
        JSON.stringify(JSON.parse(input), undefined, 2),
      );
      assert.equal(await page.locator("script, img, svg, iframe").count(), 0);
    }
  });
});
