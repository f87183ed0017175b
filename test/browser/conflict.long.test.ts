// Two people edit one issue in two browsers: nothing is lost silently, with and without script.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { accessibilityProblems } from "./accessibility.ts";
import { browserSkip, launch } from "./chromium.ts";
import { type RunningExample, startProgram } from "./example.ts";

const path = "/issues/0f8fad5b-d9cb-469f-a165-70867728950e";
const fixture = new URL("../fixtures/issues.ts", import.meta.url).pathname;

let browser: Browser;
before(async () => {
  if (browserSkip === false) browser = await launch();
});
after(async () => browser?.close());

/** Runs a test with the browsers of two people, each with a context of its own. */
async function withTwoPeople(
  hasScript: boolean,
  body: (ada: Page, eve: Page, server: RunningExample) => Promise<void>,
): Promise<void> {
  await using server = await startProgram(["--conditions=@limmat/source", fixture, "server"]);
  const contexts: BrowserContext[] = [];
  const open = async (): Promise<Page> => {
    const viewport = { width: 390, height: 800 };
    const context = await browser.newContext({ baseURL: server.url, javaScriptEnabled: hasScript, viewport });
    contexts.push(context);
    return context.newPage();
  };
  try {
    await body(await open(), await open(), server);
  } finally {
    for (const context of contexts) await context.close();
  }
}

const save = async (page: Page, title: string, notes: string, done = false): Promise<void> => {
  await page.getByLabel("Title").fill(title);
  await page.getByLabel("Notes").fill(notes);
  await page.getByLabel("Done").setChecked(done);
  await page.getByRole("button", { name: "Save" }).click();
};

const choose = (page: Page, field: string, whose: string): Promise<void> =>
  page.getByRole("group", { name: field }).getByRole("radio", { name: whose }).check();

const saveChoice = (page: Page): Promise<void> => page.getByRole("button", { name: "Save the chosen values" }).click();

const shown = async (page: Page): Promise<readonly (string | null)[]> => {
  await page.goto(path);
  return Promise.all(["h1", "pre", "main > p:last-child"].map((selector) => page.locator(selector).textContent()));
};

for (const hasScript of [true, false]) {
  const how = hasScript ? "with" : "without";

  test(`two people edit one issue ${how} script, and choose what to keep`, { skip: browserSkip }, () =>
    withTwoPeople(hasScript, async (ada, eve) => {
      await ada.goto(`${path}/edit`);
      await eve.goto(`${path}/edit`);
      await save(ada, "Ada's title", "first\nsecond", true);
      await ada.getByRole("heading", { name: "Ada's title" }).waitFor();

      await save(eve, "Eve's title", "third\n  fourth");
      await eve.getByRole("heading", { name: "Issue has changed" }).waitFor();
      assert.deepEqual(await shown(ada), ["Ada's title", "first\nsecond", "Done"]);
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      if (hasScript) {
        assert.equal(await eve.evaluate(overflow), 0);
        assert.deepEqual(await accessibilityProblems(eve), []);
      }
      // A field without a choice is not sent.
      await choose(eve, "Title", "Your version");
      await saveChoice(eve);
      await eve.getByRole("heading", { name: "Issue has changed" }).waitFor();

      // A third change, between the page and the choice, is a conflict again.
      await ada.goto(`${path}/edit`);
      await save(ada, "Ada's second title", "first\nsecond", true);
      await ada.getByRole("heading", { name: "Ada's second title" }).waitFor();
      await choose(eve, "Notes", "Stored version");
      await choose(eve, "Done", "Stored version");
      await saveChoice(eve);
      await eve.getByText("Ada's second title").waitFor();
      assert.equal((await shown(ada))[0], "Ada's second title");

      await choose(eve, "Title", "Your version");
      await saveChoice(eve);
      await eve.getByRole("heading", { name: "Eve's title" }).waitFor();
      assert.equal(await eve.getByRole("status").textContent(), "Issue saved");
      assert.deepEqual(await shown(ada), ["Eve's title", "first\nsecond", "Done"]);
    }),
  );

  test(`a person keeps the stored version ${how} script, or deletes only what is shown`, { skip: browserSkip }, () =>
    withTwoPeople(hasScript, async (ada, eve) => {
      await ada.goto(`${path}/edit`);
      await eve.goto(`${path}/edit`);
      await save(ada, "Ada's title", "");
      await ada.getByRole("heading", { name: "Ada's title" }).waitFor();
      await eve.getByRole("button", { name: "Delete" }).click();
      await eve.getByText("Ada's title").waitFor();
      await eve.getByRole("link", { name: "Keep it" }).click();
      await eve.getByRole("heading", { name: "Ada's title" }).waitFor();

      await eve.goto(`${path}/edit`);
      await ada.goto(`${path}/edit`);
      await save(ada, "Last words", "");
      await ada.getByRole("heading", { name: "Last words" }).waitFor();
      await save(eve, "Too late", "");
      await eve.getByRole("link", { name: "Keep the stored version" }).click();
      await eve.getByRole("heading", { name: "Last words" }).waitFor();

      await eve.goto(`${path}/edit`);
      await eve.getByRole("button", { name: "Delete" }).click();
      await eve.getByRole("heading", { name: "0 issues" }).waitFor();
    }),
  );
}

test("a script changes an issue only with the version that it has read", { skip: browserSkip }, () =>
  withTwoPeople(true, async (ada) => {
    await ada.goto(`${path}/edit`);
    const statuses = await ada.evaluate(`(async () => {
      const token = document.querySelector("[name=csrf]").value;
      const headers = { accept: "application/json", "content-type": "application/json", "x-csrf-token": token };
      const change = (title, tag) => fetch("${path}", {
        method: "PATCH",
        headers: tag === undefined ? headers : { ...headers, "if-match": tag },
        body: JSON.stringify({ title }),
      });
      const tag = (await fetch("${path}", { headers: { accept: "application/json" } })).headers.get("etag");
      const answers = [await change("First", tag), await change("Second", tag), await change("Third")];
      return answers.map(({ status }) => status);
    })()`);
    assert.deepEqual(statuses, [200, 412, 428]);
    assert.equal((await shown(ada))[0], "First");
  }),
);
