// The banner of an impersonation: on a phone, light and dark, on pages of any layout, with keyboard and screen reader.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { App, Configuration, Migration, User, Web } from "limmat";
import * as Audit from "limmat/audit";
import { sqlite } from "limmat/database/sqlite";
import { html, type Html } from "limmat/html";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { accessibilityProblems } from "./accessibility.ts";
import { browserSkip, launch } from "./chromium.ts";
import { runInPage } from "./page.ts";

const options = { skip: browserSkip };
const email = "ada.lovelace.of.the.analytical.engine@department.of.mathematics.example.com";
const database = sqlite({ url: "sqlite::memory:" });
const audit = Audit.service({ database });
const user = User.service({ database, audit });
const migration = Migration.service({ database, onPending: "run" });

const respond = (content: Html): Web.Response =>
  Web.Response.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <title>Page</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <link rel="stylesheet" href="/site.css" />
        </head>
        <body>
          <main>
            <h1>Page</h1>
            ${content}
          </main>
        </body>
      </html>`,
  );
const formOf = (request: Web.Request, action: string, id: string): Html =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="csrf" value="${Web.Csrf.find(request)}" />
    <input type="hidden" name="user" value="${id}" />
    <input type="hidden" name="reason" value="ticket 7" />
    <button>Send</button>
  </form>`;
const site = Web.choose(
  [
    Web.get("/", () => respond(html`<p><a href="/">Link</a></p>`)),
    // A layout that would hide, squeeze or disfigure an element of its own.
    Web.get("/site.css", () => {
      const css =
        "body{display:grid;grid-auto-flow:column;min-height:100vh;margin:0}p,form,button{color:red;width:9px;float:right;background:none}";
      return Web.Response.text(css, { headers: { "content-type": "text/css" } });
    }),
    Web.get("/login", (request) => respond(formOf(request, "/login", ""))),
    Web.post("/login", async (request) =>
      User.Web.login(await user.findByEmail("root@example.com"), request, Web.Response.redirect("/start")),
    ),
    Web.get("/start", async (request) =>
      respond(formOf(request, "/impersonation", (await user.findByEmail(email)).id)),
    ),
  ],
  { middlewares: Web.Middleware.site() },
);
const http = Web.Http.service({
  router: Web.choose([site, User.Web.impersonationRouter({ user })]),
  middlewares: [Web.Middleware.session(), User.Web.middleware(user)],
});
const app = App.create({ services: [database, migration, audit, user, http], reporters: [] });
let browser: Browser;

before(async () => {
  if (browserSkip !== false) return;
  const values = { FRAMEWORK_ENV: "test", CHECK_CSRF: "true", PORT: "0", HOST: "127.0.0.1" };
  Configuration.store(Object.entries(values));
  await app.start();
  await user.createUser({ email });
  await user.createAdmin({ email: "root@example.com" });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  if (browserSkip === false) await app.stop();
  ConfigurationInternals.reset();
});

async function actAsAda(page: Page): Promise<void> {
  for (const path of ["/login", "/start"]) {
    await page.goto(path);
    await page.getByRole("button", { name: "Send" }).click();
  }
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`is readable on a phone in ${colorScheme} mode, whatever the layout, and ends by its button`, options, () =>
    runInPage(browser, { url: `http://127.0.0.1:${http.address()?.port}` }, async (page) => {
      await page.emulateMedia({ colorScheme });
      await actAsAda(page);
      for (const path of ["/", "/no-route"]) {
        await page.goto(path);
        const banner = page.getByRole("complementary", { name: "Acting as another user" });
        const { x, y, width, height } = (await banner.boundingBox()) ?? assert.fail("no banner");
        assert.deepEqual([x, width, y + height], [0, 390, 800], path);
        assert.ok(height > 80 && height < 250, `${path}: ${height}`);
        const text = banner.getByText(`You are acting as ${email}. What you do is recorded.`);
        assert.ok(((await text.boundingBox())?.width ?? 0) > 300, path);
        assert.deepEqual(await accessibilityProblems(page), [], path);
      }
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate("document.activeElement.textContent"), "Return to your account");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Page" }).waitFor();
      assert.equal(await page.getByRole("complementary").count(), 0);
    }),
  );
}
