// The script of a new project that disables the button of a form while the form is being sent.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { root } from "../sources.ts";
import { browserSkip, launch } from "./chromium.ts";

const script = readFileSync(join(root, "template/public/forms.js"), "utf8");

/** Returns a page with a form. The path `/stay` answers with 204: the page stays, as after a response that is a file. */
const formPage = (action: string, formAttributes: string, buttonAttributes = ""): string =>
  `<!doctype html><html lang="en"><title>Form</title><link rel="icon" href="data:,">
<script type="module" src="/forms.js"></script>
<form action="${action}" ${formAttributes}>
<input name="title" value="a"><button name="as" value="draft" ${buttonAttributes}>Save</button></form></html>`;

/** Server of a page. */
class Server implements AsyncDisposable {
  /** Forms that were sent to `/sent`. */
  readonly bodies: string[] = [];
  readonly #answered = Promise.withResolvers<void>();
  readonly #server = createServer((request, response) => void this.#respond(request, response));
  readonly #content: string;

  constructor(content: string) {
    this.#content = content;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers the forms that wait, and those that follow. */
  answer(): void {
    this.#answered.resolve();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === "/forms.js") {
      response.setHeader("content-type", "text/javascript").end(script);
    } else if (request.url === "/") {
      response.setHeader("content-type", "text/html").end(this.#content);
    } else if (request.url === "/sent") {
      this.bodies.push(await text(request));
      await this.#answered.promise;
      response.setHeader("content-type", "text/html").end("<!doctype html><title>Sent</title><p>Sent</p>");
    } else response.writeHead(204).end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

let browser: Browser;
before(async () => {
  if (browserSkip === false) browser = await launch();
});
after(async () => browser?.close());

/** Opens a page on a server of its own. */
async function withPage(content: string, body: (page: Page, server: Server) => Promise<void>): Promise<void> {
  await using server = new Server(content);
  const context = await browser.newContext({ baseURL: await server.listen() });
  try {
    const page = await context.newPage();
    await page.goto("/");
    await body(page, server);
  } finally {
    await context.close();
  }
}

const button = (page: Page): Locator => page.getByRole("button", { name: "Save" });

const options = { skip: browserSkip };

test("a double click sends a form once, and its button is disabled until Back", options, () =>
  withPage(formPage("/sent", 'method="post"'), async (page, server) => {
    await page.evaluate(`
      addEventListener("submit", () => setTimeout(() => setTimeout(() => {
        const button = document.querySelector("button");
        button.form.requestSubmit();
        console.log([button.ariaDisabled, button.form.ariaBusy, document.activeElement === button].join());
      })), { once: true });`);
    // Playwright waits for the navigation before it looks at the page.
    const state = page.waitForEvent("console");
    const clicked = button(page).dblclick();
    assert.equal((await state).text(), "true,true,true");
    server.answer();
    await clicked;
    await page.getByText("Sent").waitFor();
    assert.deepEqual(server.bodies, ["title=a&as=draft"]);

    await page.goBack();
    assert.equal(await page.locator("[aria-disabled], [aria-busy]").count(), 0);
    await button(page).click();
    await page.getByText("Sent").waitFor();
    assert.equal(server.bodies.length, 2);
  }),
);

// Playwright has no back/forward cache: the event of a page that comes from it is a copy.
test("a page that comes from the back/forward cache has its button back", options, () =>
  withPage(formPage("/stay", 'method="post"'), async (page) => {
    await button(page).click();
    await page.locator("[aria-busy=true] button[aria-disabled=true]").waitFor();
    await page.evaluate(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`);
    assert.equal(await page.locator("[aria-disabled], [aria-busy]").count(), 0);
  }),
);

test("a page that stays can send its form again after ten seconds", options, () =>
  withPage(formPage("/stay", 'method="post"'), async (page) => {
    await page.clock.install();
    await page.reload();
    await button(page).click();
    await page.clock.runFor(9_000);
    assert.equal(await page.locator("[aria-busy=true] button[aria-disabled=true]").count(), 1);
    await page.clock.runFor(1_000);
    assert.equal(await page.locator("[aria-disabled], [aria-busy]").count(), 0);
  }),
);

const others: Readonly<Record<string, string>> = {
  "a form of another tab": formPage("/stay", 'method="post" target="_blank"'),
  "a button of another tab": formPage("/stay", 'method="post"', 'formtarget="_blank"'),
  "a form for a file": formPage("/stay", 'method="post" data-download'),
  "a form with GET": formPage("/stay", 'method="get"'),
  "a button with GET": formPage("/stay", 'method="post"', 'formmethod="get"'),
  "a form whose submission is prevented": formPage("/stay", 'method="post" data-prevented="early"'),
  "a form whose submission is prevented at last": formPage("/stay", 'method="post" data-prevented="late"'),
};

for (const [name, content] of Object.entries(others)) {
  test(`the button stays enabled: ${name}`, options, () =>
    withPage(content, async (page) => {
      await page.evaluate(`{
        const form = document.querySelector("form");
        const { prevented } = form.dataset;
        const listenTo = (target) => target.addEventListener("submit", (event) => event.preventDefault());
        if (prevented !== undefined) listenTo(prevented === "early" ? form : window);
        addEventListener("submit", () => setTimeout(() => (document.title = "Submitted")));
      }`);
      await button(page).click();
      await page.waitForFunction("document.title === 'Submitted'");
      assert.equal(await page.locator("[aria-disabled], [aria-busy]").count(), 0);
    }),
  );
}
