// Life cycle of a new project of the framework, on each database: create, generate, check, test, start, use.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { browserSkip, launch } from "../browser/chromium.ts";
import { mariadb } from "../servers/mariadb.ts";
import { postgresql } from "../servers/postgresql.ts";
import { type ServerKind, withServer } from "../servers/server.ts";
import { root } from "../sources.ts";
import { install, npm, packFramework, run } from "./package.ts";
import { serve } from "./server.ts";

const framework = packFramework();
after(() => framework[Symbol.dispose]());

const fieldsOfAllTypes = [
  "title:string:index",
  "summary:text?",
  "pages:int",
  "rating:float?",
  "price:decimal",
  "sold:bool",
  "published_on:date?",
  "read_at:datetime",
  "shelf_id:uuid?:unique",
  "extra:json?",
  "status:oneOf(draft,published)",
  "author:author",
  "prequel:book?",
];

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
interface DatabaseEnvironments {
  readonly app: Readonly<Record<string, string>>;
  readonly tests: Readonly<Record<string, string>>;
}

function testProject(database: string, { app: appEnvironment, tests }: DatabaseEnvironments): void {
  const project = join(framework.folder, `shop-${database}`);

  test(`${database}: a new project with generated code passes its checks and tests`, { timeout: 300_000 }, () => {
    // The layout of "npm create limmat": both packages in one node_modules folder.
    const creator = join(framework.folder, `creator-${database}`);
    mkdirSync(creator);
    install(creator, framework.tarball);
    cpSync(join(root, "create-limmat"), join(creator, "node_modules/create-limmat"), { recursive: true });
    const create = join(creator, "node_modules/create-limmat/create-limmat.mjs");
    run(process.execPath, [create, project, `--database=${database}`, "--yes", "--no-install"], creator);
    assert.match(readFileSync(join(project, ".git/HEAD"), "utf8"), /main/);
    install(project, framework.tarball);

    const app = (...args: readonly string[]): string =>
      npm(["run", "--silent", "app", "--", ...args], project, appEnvironment);
    app("gen.html", database, "author", "name:string", "email:string:unique", "code:int?:unique", "--wire");
    app("gen.html", database, "book", ...fieldsOfAllTypes, "--wire");
    app("gen.json", database, "book", ...fieldsOfAllTypes, "--wire", "--no-model");
    app("gen.html", database, "word", ...wordsAsNames, "--wire");
    app("gen.json", database, "word", ...wordsAsNames, "--wire", "--no-model");
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
    app("gen.service", "weather", "--wire");
    assert.match(app("migrate"), /Applied 18 steps/);
    app("gen.job", "report.send", "--wire");
    app("gen.job", "invoice.send", "--wire");
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
    app("migrate");
    npm(["run", "check"], project);
    assert.match(npm(["test"], project, tests), /fail 0\n/);
    app("seed");
  });

  test(`${database}: the pages and the API of the project work`, { skip: browserSkip, timeout: 300_000 }, async () => {
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
  const facts = await page.locator("dl").innerText();
  for (const fact of ["300", "12.50", "Yes", "2026-01-31 12:30", "Published", "Johanna Spyri"])
    assert.ok(facts.includes(fact), fact);

  await page.getByRole("link", { name: "Edit" }).click();
  assert.equal(await page.getByLabel("Read at").inputValue(), "2026-01-31T12:30");
  assert.ok(await page.getByLabel("Sold").isChecked());
  await page.getByLabel("Extra").fill('{ "tags": ["alps"] }');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("Book saved").waitFor();
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
  await page.getByRole("link", { name: "Account" }).click();
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

  await page.getByRole("button", { name: "Log out", exact: true }).click();
  await page.getByRole("status").getByText("You are logged out").waitFor();
  await page.getByRole("link", { name: "I forgot my password" }).click();
  await page.getByLabel("E-mail").fill(address);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
}

const projects: [database: string, DatabaseEnvironments][] = [["sqlite", { app: {}, tests: {} }]];
for (const kind of [postgresql, mariadb] as readonly ServerKind[]) {
  const urls: string[] = [];
  const addUrl = ({ url }: { readonly url: string }): void => void urls.push(url);
  await withServer(kind, addUrl);
  await withServer(kind, addUrl);
  const [app = "", tests = ""] = urls;
  if (tests !== "")
    projects.push([kind.name.toLowerCase(), { app: { DATABASE_URL: app }, tests: { DATABASE_URL: tests } }]);
}
// The first test begins when it is defined, and its programs block this process: connections time out meanwhile.
for (const [database, environments] of projects) testProject(database, environments);

test("npm start reports all missing settings of production before it migrates", { timeout: 120_000 }, () => {
  const database = join(framework.folder, "untouched.sqlite");
  const variables = { FRAMEWORK_ENV: "production", DATABASE_URL: database };
  assert.throws(
    () => npm(["start"], join(framework.folder, "shop-sqlite"), variables),
    ({ message }: Error) => ["APP_URL", "SMTP_HOST"].every((key) => new RegExp(`^ +${key} `, "m").test(message)),
  );
  assert.ok(!existsSync(database));
});

test(
  "the application starts with accounts, browser code and the settings of compose.yaml",
  { timeout: 120_000 },
  async () => {
    const project = join(framework.folder, "shop-sqlite");
    const [, app = ""] = /^ {2}app:\n([^]*?)^ {2}\w+:/m.exec(readFileSync(join(project, "compose.yaml"), "utf8")) ?? [];
    const settings = Object.fromEntries(
      [...app.matchAll(/^ {6}(\w+): (.*)$/gm)].map(([, key = "", value = ""]) => [key, value.replaceAll('"', "")]),
    );
    assert.deepEqual(
      Object.keys(settings).filter((key) => /^(?:APP_URL|SMTP_)/.test(key)),
      ["APP_URL", "SMTP_HOST", "SMTP_PORT", "SMTP_SECURITY", "SMTP_SENDER"],
    );
    const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    assert.match(dependencies["nodemailer"] ?? "", /^\d+\.\d+\.\d+$/);
    const environment = {
      ...settings,
      FRAMEWORK_ENV: "production",
      FRAMEWORK_SECRET: "0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFG",
      DATABASE_URL: join(framework.folder, "compose.sqlite"),
    };
    npm(["run", "--silent", "app", "migrate"], project, environment);
    mkdirSync(join(project, "resources/parts"));
    writeFileSync(
      join(project, "resources/site.ts"),
      'import { title } from "./parts/title.ts";\n\ndocument.title = title;\n',
    );
    writeFileSync(join(project, "resources/parts/title.ts"), 'export const title: string = "Bundled";\n');
    const [path = ""] =
      /built\/site-\w+\.js/.exec(npm(["run", "--silent", "app", "assets"], project, environment)) ?? [];
    npm(["run", "check"], project);
    await using server = await serve(["run/run.ts", "server"], project, environment);
    const origin = `http://localhost:${new URL(server.url).port}`;
    assert.equal((await fetch(`${origin}/login`)).status, 200);
    assert.match(await (await fetch(`${origin}/assets/${path}`)).text(), /document\.title="Bundled"|"Bundled"/);
  },
);

test(
  "the development server reloads the browser after a change, and shows the error of an invalid one",
  { skip: browserSkip, timeout: 300_000 },
  async () => {
    const project = join(framework.folder, "shop-sqlite");
    const file = join(project, "web/view/welcome.ts");
    const text = readFileSync(file, "utf8");
    await using server = await serve(["node_modules/limmat/bin/limmat.mjs", "dev"], project, {});
    const browser = await launch();
    try {
      const page = await browser.newPage();
      await page.goto(server.url);
      writeFileSync(file, text.replace("Next steps", "Changed heading"));
      await page.getByText("Changed heading").waitFor();
      writeFileSync(file, `${text}\nconst broken: = 1;\n`);
      await page.getByRole("alert").getByText("welcome.ts").waitFor();
      assert.ok(await page.getByText("Changed heading").isVisible());
      writeFileSync(file, text);
      await page.getByText("Next steps").waitFor();
      assert.equal(await page.getByRole("alert").count(), 0);
    } finally {
      await browser.close();
      writeFileSync(file, text);
    }
  },
);
