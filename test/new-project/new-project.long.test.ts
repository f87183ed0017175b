// A new project on SQLite, and what does not depend on the database.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { browserSkip, launch } from "../browser/chromium.ts";
import { testNewProject } from "./new-project.ts";
import { npm, packFramework } from "./package.ts";
import { serve } from "./server.ts";

const framework = packFramework();
after(() => framework[Symbol.dispose]());

testNewProject(framework, "sqlite", { app: {}, tests: {} });

test("npm start reports all missing settings of production before it migrates", () => {
  const database = join(framework.folder, "untouched.sqlite");
  const variables = { FRAMEWORK_ENV: "production", DATABASE_URL: database };
  assert.throws(
    () => npm(["start"], join(framework.folder, "shop-sqlite"), variables),
    ({ message }: Error) => ["APP_URL", "SMTP_HOST"].every((key) => new RegExp(`^ +${key} `, "m").test(message)),
  );
  assert.ok(!existsSync(database));
});

test("the application starts with accounts, browser code and the settings of compose.yaml", async () => {
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
    // Of the webhooks: their owner sets them.
    CARD_PAYMENT_SECRET: "whsec_MDEyMzQ1Njc4OWFiY2RlZg==",
    PARCEL_SECRET: "whsec_MDEyMzQ1Njc4OWFiY2RlZg==",
  };
  npm(["run", "--silent", "app", "migrate"], project, environment);
  mkdirSync(join(project, "resources/parts"));
  writeFileSync(
    join(project, "resources/site.ts"),
    'import { title } from "./parts/title.ts";\n\ndocument.title = title;\n',
  );
  writeFileSync(join(project, "resources/parts/title.ts"), 'export const title: string = "Bundled";\n');
  const [path = ""] = /built\/site-\w+\.js/.exec(npm(["run", "--silent", "app", "assets"], project, environment)) ?? [];
  npm(["run", "check"], project);
  await using server = await serve(["run/run.ts", "server"], project, environment);
  const origin = `http://localhost:${new URL(server.url).port}`;
  assert.equal((await fetch(`${origin}/login`)).status, 200);
  assert.match(await (await fetch(`${origin}/assets/${path}`)).text(), /document\.title="Bundled"|"Bundled"/);
});

test(
  "the development server reloads the browser after a change, and shows the error of an invalid one",
  { skip: browserSkip },
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
