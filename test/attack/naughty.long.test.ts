// Hostile texts in a browser that ignores the content security policy: wrongly escaped text would run.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserSkip, launch } from "../browser/chromium.ts";
import { type Demo, makeDemo } from "./demo.ts";
import { naughty } from "./hostile.ts";
import { person } from "./person.ts";

const options = { skip: browserSkip };
// All texts are listed. A part of them is shown, edited and submitted; a soak test does so with every text.
const share = Number(process.env["SHARE"] ?? 60);
const texts = naughty.filter((text) => text.trim() !== "");
const some = texts.filter((_, at) => at % share === 0);

let browser: Browser;
let page: Page;
let demo: Demo;
let origin = "";
const problems: string[] = [];

before(async () => {
  if (browserSkip !== false) return;
  demo = makeDemo();
  origin = `http://127.0.0.1:${await demo.start()}`;
  browser = await launch();
  const alice = await person(demo.app);
  for (const name of texts) {
    const { status } = await alice.send("POST", "/api/items", JSON.stringify({ name, qty: 1, done: false }));
    assert.equal(status, 201, name);
  }
  const context = await browser.newContext({ baseURL: origin, bypassCSP: true });
  page = await context.newPage();
  page.on("dialog", (dialog) => {
    problems.push(`a script ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) problems.push(`asked for ${request.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4(?:00|04|22)/.test(message.text())) problems.push(message.text());
  });
});
after(async () => {
  await browser?.close();
  await demo?.stop();
  assert.deepEqual(problems, []);
});

// Fields store line breaks as LF, HTML parsers normalise them, and NUL is refused before (HTML standard, 13.2.3.5).
const read = (text: string): string => text.replaceAll(/\r\n?/g, "\n");
const encoded = (text: string): string => encodeURIComponent(text);

/** Returns the ids of the items by name. */
async function ids(): Promise<ReadonlyMap<string, string>> {
  const { body } = await (await person(demo.app)).get("/api/items?limit=1000");
  const { data } = JSON.parse(body) as { data: { id: string; name: string }[] };
  return new Map(data.map(({ id, name }) => [name, id]));
}

test("a list shows every text as it is stored, in every context of a page, and runs none", options, async () => {
  await page.goto("/items?limit=1000");
  const items = (await page.evaluate(`[...document.querySelectorAll("li")].map((item) => ({
    title: item.title,
    data: item.dataset.name,
    text: item.querySelector("a").textContent,
    link: item.querySelector("a").search,
    input: item.querySelector("input").getAttribute("value"),
    area: item.querySelector("textarea").value,
    json: JSON.parse(item.querySelector("script").textContent).name,
    children: String(item.children.length),
  }))`)) as Record<string, string>[];
  const scripted = (await page.evaluate("window.names")) as string[];
  const left = texts.map(read);
  assert.equal(items.length, texts.length);
  for (const [at, item] of items.entries()) {
    const text = item["json"] ?? "";
    assert.ok(left.includes(text), text);
    left.splice(left.indexOf(text), 1);
    assert.equal(JSON.stringify(scripted[at]), JSON.stringify(text));
    assert.equal(new URLSearchParams(item["link"] ?? "").get("name"), text);
    const seen = [item["title"], item["data"], item["text"], item["input"], item["area"]];
    assert.deepEqual(seen, Array(5).fill(text), JSON.stringify(text));
    assert.equal(item["children"], "5");
  }
  assert.deepEqual(left, []);
});

test("a page shows the text of its item, and runs none", options, async () => {
  const known = await ids();
  for (const text of some) {
    await page.goto(`/items/${known.get(read(text))}`, { waitUntil: "domcontentloaded" });
    const seen = await page.evaluate(`[
      document.querySelector("h1").textContent,
      document.body.dataset.title,
      document.querySelector("title").text,
      JSON.parse(document.querySelector("#data").textContent).name,
    ]`);
    assert.deepEqual(seen, Array(4).fill(read(text)), encoded(text));
  }
});

test("a form contains the text, submits it unchanged, and shows it again if it is invalid", options, async () => {
  const known = await ids();
  for (const text of some) {
    await page.goto(`/items/${known.get(read(text))}/edit`, { waitUntil: "domcontentloaded" });
    assert.equal(await page.locator("textarea").inputValue(), read(text), encoded(text));
    await page.locator("[name=qty]").fill("many");
    await page.getByRole("button").click();
    await page.getByText("Please enter a whole number").waitFor();
    assert.equal(await page.locator("textarea").inputValue(), read(text), encoded(text));
    assert.equal(await page.locator("textarea").getAttribute("title"), read(text.replaceAll(/\r\n?|\n/g, "\r\n")));
    await page.locator("[name=qty]").fill("2");
    await page.getByRole("button").click();
    await page.locator("h1").waitFor();
    assert.equal(await page.locator("h1").textContent(), read(text), encoded(text));
  }
});

test("a search shows the searched text, and finds it", options, async () => {
  for (const text of some) {
    await page.goto(`/items?limit=1000&filter=${encoded(read(text))}`, { waitUntil: "domcontentloaded" });
    assert.equal(await page.locator("[name=filter]").getAttribute("value"), read(text), encoded(text));
    assert.ok(Number(await page.locator("#total").textContent()) > 0, encoded(text));
  }
});

test("the page of a 404 runs no script", options, async () => {
  for (const text of some.filter((one) => !/[/\\]|^\.\.?$/.test(one))) {
    await page.goto(`/${encoded(text)}?q=${encoded(text)}`, { waitUntil: "domcontentloaded" });
    assert.match((await page.locator("h1").textContent()) ?? "", /Page not found|Bad request/);
  }
});
