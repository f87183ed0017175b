// Life cycle of a new project of the framework: create, generate, check, test, start, use.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { browserSkip, launch } from "../browser/chromium.ts";
import { bookFields } from "../generators/book-fields.ts";
import { type ServerKind, withServer } from "../servers/server.ts";
import { createProject } from "./create-project.ts";
import { npm, packFramework, type PackedFramework, runLimmat } from "./package.ts";
import { serve } from "./server.ts";

/** Fields with names that SQL and TypeScript reserve. */
const wordsAsNames = [
  "class:string",
  "number:int:unique",
  "public:bool",
  "type:string",
  "select:int?:unique",
  "user:string:unique",
  "default:text",
  "group:string:index",
  "constructor:string",
  "key:decimal",
  "function:oneOf(a,b)",
  "await:datetime",
  "value:string",
];

/** Environment variables of the database of a project and of its tests. */
export interface DatabaseEnvironments {
  readonly app: Readonly<Record<string, string>>;
  readonly tests: Readonly<Record<string, string>>;
}

/** Defines the tests of a new project, in `shop-<database>` of the folder of the framework. */
export function testNewProject(
  framework: PackedFramework,
  database: string,
  { app: appEnvironment, tests }: DatabaseEnvironments,
): void {
  const name = `shop-${database}`;
  const project = join(framework.folder, name);

  // The other tests cannot run without the generated code: npm start in production would start the server, for example.
  before(() => {
    createProject(framework, name, database);
    assert.match(readFileSync(join(project, ".git/HEAD"), "utf8"), /main/);

    const app = (...args: readonly string[]): string => runLimmat(project, args, appEnvironment);
    app("gen.html", database, "author", "name:string", "email:string:unique", "code:int?:unique", "--wire");
    app("gen.html", database, "book", ...bookFields("?"), "--wire");
    app("gen.json", database, "book", ...bookFields("?"), "--wire", "--no-model");
    app("gen.html", database, "word", ...wordsAsNames, "--wire");
    app("gen.json", database, "word", ...wordsAsNames, "--wire", "--no-model", "--token");
    app("gen.json", database, "line_item", "amount:int", "note:text?", "--wire");
    // Names that are also variables of a list and of a test.
    app("gen.html", database, "item", "title:string", "authors:many(author)", "--wire");
    app("gen.html", database, "version", "title:string", "--wire");
    app("gen.migration", "add_rank", "line_items", "place:int", "due_on:date?", "--wire");
    app("gen.migration", "add_order_to_words", "order:int?", "where:string:index", "--wire");
    app("gen.migration", "remove_order_from_words", "order:int?", "--wire");
    app("gen.migration", "remove_place_from_line_items", "place:int", "--wire");
    app("gen.migration", "create_labels", "name:string:unique", "book:book", "--wire");
    app("gen.command", "report.send", "--wire");
    app("gen.schedule", "report.send", "--wire");
    app("gen.middleware", "request_time", "--wire");
    app("gen.webhook", "card_payment", "--wire");
    app("gen.webhook", "parcel", "--wire");
    app("gen.service", "weather", "--wire");
    assert.match(app("migrate"), /Applied 20 steps/);
    app("gen.job", "report.send", "--wire");
    app("gen.job", "invoice.send", "order:uuid", "total:decimal?", "state:oneOf(paid,sent)", "--wire");
    app("gen.mail", "invoice", "order:uuid", "total:decimal?", "sent_at:datetime", "--wire");
    app("gen.auth", "--wire");
    app("gen.html", database, "project", "name:string:unique", "--members", "--wire");
    const inProject = ["--in=project", "--members", "--wire"] as const;
    app("gen.html", database, "label", "name:string:unique", "--plural=tags", ...inProject);
    const issue = [
      "title:string",
      "state:oneOf(open,closed)",
      "assignee:user?",
      "watchers:many(user)",
      "labels:many(label)",
      "duplicate:issue?",
      "number:int:unique",
    ];
    app("gen.html", database, "issue", ...issue, "--owner", ...inProject);
    app("gen.html", database, "comment", "text:text", "--in=issue", "--members", "--wire");
    app("gen.html", database, "diary", "text:text", "--owner", "--wire");
    app("gen.html", database, "loan", "until:date", "borrower:user", "done:bool", "--wire");
    app("gen.role", "employee", "packer", "manager", "--wire");
    for (const model of ["author", "loan", "project", "issue", "diary"]) app("gen.upload", model, "photo", "--wire");
    app("gen.admin", "author", "loan", "project", "issue", "comment", "diary", "employee", "--wire");
    app("migrate");
    app("seed");
  });

  test(`${database}: a new project with generated code passes its checks and tests`, () => {
    npm(["run", "check"], project);
    assert.match(npm(["test"], project, tests), /fail 0\n/);
  });

  test(`${database}: the pages and the API of the project work`, { skip: browserSkip }, async () => {
    await using server = await serve(["run/run.ts", "server"], project, appEnvironment);
    const browser = await launch();
    try {
      const page = await browser.newPage();
      await usePages(page, server.url);
      if (database === "sqlite") await useAccount(page, server.url);
    } finally {
      await browser.close();
    }
    const list = await fetch(`${server.url}/api/books`);
    const { data, total } = (await list.json()) as {
      readonly data: readonly { readonly title: string }[];
      readonly total: number;
    };
    assert.deepEqual([data.map(({ title }) => title), total], [["Heidi <2>"], 1]);
    const response = await fetch(`${server.url}/api/line-items`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ amount: "many" }),
    });
    assert.equal(response.status, 422);
    assert.deepEqual(Object.keys(((await response.json()) as { readonly errors: object }).errors), ["amount"]);
  });
}

/** Uses the pages as a person does. */
async function usePages(page: Page, url: string): Promise<void> {
  await page.goto(url);
  assert.match(await page.title(), /^Welcome · shop-/);
  assert.ok(["Grüezi", "Bonjour", "Buongiorno", "Allegra"].includes(await page.locator("h1").innerText()));
  assert.equal(await page.getByText("gen.html").count(), 1);
  // The project has accounts already.
  assert.equal(await page.getByText("gen.auth").count(), 0);

  await page.goto(`${url}/authors/new`);
  await page.getByLabel("Name").fill("Johanna Spyri");
  await page.getByLabel("Email").fill("johanna@example.com");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("status").getByText("Author added").waitFor();

  await page.goto(`${url}/authors/new`);
  await page.getByLabel("Name").fill("Somebody else");
  await page.getByLabel("Email").fill("johanna@example.com");
  await page.getByRole("button", { name: "Add" }).click();
  await page.locator("#email-error", { hasText: "This email is taken" }).waitFor();
  assert.equal(await page.getByLabel("Name").inputValue(), "Somebody else");

  await page.goto(`${url}/books`);
  await page.getByRole("link", { name: "New book" }).click();
  await page.getByLabel("Title").fill("Heidi <2>");
  await page.getByLabel("Pages").fill("300");
  await page.getByLabel("Price").fill("12.5");
  await page.getByLabel("Sold").check();
  await page.getByLabel("Read at").fill("2026-01-31T12:30");
  await page.getByLabel("Status").selectOption("published");
  await page.getByRole("button", { name: "Add" }).click();
  assert.equal(await page.locator("#author_id-error").innerText(), "Please fill this in");
  await page.getByLabel("Author").selectOption({ label: "Johanna Spyri" });
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("status").getByText("Book added").waitFor();

  await page.getByRole("link", { name: "Heidi <2>", exact: true }).click();
  await page.waitForLoadState();
  const facts = await page.locator("dl").innerText();
  for (const fact of ["300", "12.50", "Yes", "2026-01-31 12:30", "Published", "Johanna Spyri"])
    assert.ok(facts.includes(fact), fact);

  await page.getByRole("link", { name: "Edit" }).click();
  assert.equal(await page.getByLabel("Read at").inputValue(), "2026-01-31T12:30");
  assert.ok(await page.getByLabel("Sold").isChecked());
  await page.getByLabel("Extra").fill('{ "tags": ["alps"] }');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("Book saved").waitFor();
  await page.waitForLoadState();
  assert.ok((await page.locator("dl").innerText()).includes('{"tags":["alps"]}'));

  await page.goto(`${url}/books?filter=HEIDI`);
  await page.getByText("1 to 1 of 1").waitFor();
  await page.goto(`${url}/authors`);
  await page.getByRole("button", { name: "Delete Johanna Spyri" }).click();
  await page.getByRole("alert").getByText("This author is still in use").waitFor();
}

/** Uses an account as a person does, partly by keyboard. */
async function useAccount(page: Page, url: string): Promise<void> {
  const [address, password] = ["heidi@example.com", "a fine long password"];
  await page.goto(url);
  await page.getByRole("banner").getByRole("link", { name: "Log in" }).click();
  await page.getByRole("link", { name: "I have no account" }).click();
  await page.getByLabel("E-mail address").fill(address);
  await page.getByLabel("New password", { exact: true }).fill("short");
  await page.keyboard.press("Tab");
  await page.keyboard.type("other");
  await page.keyboard.press("Enter");
  await page.locator("#password-error", { hasText: "Please use at least 8 characters" }).waitFor();
  assert.equal(await page.getByLabel("E-mail address").inputValue(), address);
  assert.equal(await page.getByLabel("New password", { exact: true }).inputValue(), "");
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByLabel("Repeat").fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Welcome!").waitFor();

  const context = await page.context().browser()?.newContext();
  assert.ok(context !== undefined);
  const elsewhere = await context.newPage();
  await elsewhere.goto(`${url}/account`);
  await elsewhere.getByLabel("E-mail address").fill(address);
  await elsewhere.getByLabel("Password").fill(password);
  await elsewhere.keyboard.press("Enter");
  await elsewhere.getByText(`You are logged in as ${address}`).waitFor();
  await page.reload();
  await page
    .getByRole("row")
    .getByRole("button", { name: /^Log out Chrome/ })
    .click();
  await page.getByRole("status").getByText("The device is logged out").waitFor();
  await elsewhere.reload();
  await elsewhere.getByRole("heading", { name: "Log in" }).waitFor();

  await page.getByRole("banner").getByRole("button", { name: "Log out" }).click();
  await page.getByRole("status").getByText("You are logged out").waitFor();
  await page.getByRole("link", { name: "I forgot my password" }).click();
  await page.getByLabel("E-mail").fill(address);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
}

/** Defines the tests of a new project on a database server. */
export async function testNewProjectOnServer(kind: ServerKind): Promise<void> {
  const urls: string[] = [];
  const addUrl = ({ url }: { readonly url: string }): void => void urls.push(url);
  await withServer(kind, addUrl);
  await withServer(kind, addUrl);
  const [app = "", tests = ""] = urls;
  if (tests === "") return;
  const framework = packFramework();
  after(() => framework[Symbol.dispose]());
  // The first test begins when it is defined, and its programs block this process: connections time out meanwhile.
  testNewProject(framework, kind.name.toLowerCase(), { app: { DATABASE_URL: app }, tests: { DATABASE_URL: tests } });
}
