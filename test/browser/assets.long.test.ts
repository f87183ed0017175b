// Scripts and style sheets of `resources` in a browser: under the development server, and built for production.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Configuration } from "limmat";
import { fakeClock } from "limmat/testing";
import { develop } from "../../src/development/develop.ts";
import { type TestProject, testProject } from "../generators/project.ts";
import { browserSkip, launch } from "./chromium.ts";
import { startProgram } from "./example.ts";

const script = (text: string): string =>
  `import { word } from "./parts/word.ts";\nconst output: Element | null = document.querySelector("#output");\n` +
  `if (output !== null) output.textContent = \`${text} \${word}\`;\n`;

/** Creates a project with a page, a script and a style sheet. */
function projectWithAssets(): TestProject {
  const project = testProject();
  symlinkSync(join(import.meta.dirname, "../../node_modules"), join(project.root, "node_modules"), "dir");
  project.write(".env", "FRAMEWORK_SECRET=0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFG\n");
  const layout = project.read("web/view/layout.ts").replace(
    '    <link rel="icon"',
    `    <link rel="stylesheet" href="\${asset("site.css")}">
    <script type="module" src="\${asset("site.js")}"></script>\n$&`,
  );
  project.write("web/view/layout.ts", layout);
  project.write(
    "run/run.ts",
    `import { resolve } from "node:path";
import { App, Web } from "limmat";
import { html } from "limmat/html";
import { type Request, Response } from "limmat/web";
import { layout } from "../web/view/layout.ts";

const page = (request: Request): Response => Response.html(layout(request, "Page", html\`<p id="output"></p>\`));
const router = Web.choose([Web.get("/", page)], { middlewares: Web.Middleware.site() });
export const app = App.create({ root: resolve(import.meta.dirname, ".."), services: [Web.Http.service({ router, limits: { maxEventLoopDelayMs: 0 } })] });
if (import.meta.main) await app.run();
`,
  );
  project.write("resources/site.css", "footer { display: none }\n");
  project.write("resources/site.ts", script("first"));
  project.write("resources/parts/word.ts", "export const word: string = `part`;\n");
  return project;
}

test(
  "the development server serves sources, and shows changes and errors in the page",
  { skip: browserSkip },
  async () => {
    using project = projectWithAssets();
    // No version is reported as slow.
    using _ = fakeClock();
    Configuration.store([["PORT", "0"]]);
    const controller = new AbortController();
    const ready = Promise.withResolvers<number>();
    const ended = develop(project.root, {
      print: () => {},
      onStderr: () => {},
      signal: controller.signal,
      onReady: ready.resolve,
    });
    const browser = await launch();
    try {
      const page = await browser.newPage();
      await page.goto(`http://localhost:${await ready.promise}`);
      const output = page.locator("#output");
      await output.getByText("first part").waitFor();
      await page.locator("footer").waitFor({ state: "hidden" });

      project.write("resources/site.css", "header { display: none }\n");
      await page.locator("header").waitFor({ state: "hidden" });
      await page.locator("footer").waitFor();

      project.write("resources/site.ts", "const broken: = 1;\n");
      const overlay = page.getByRole("alert");
      await overlay.getByText("resources/site.ts:1:14").waitFor();
      await overlay.getByRole("heading", { name: "The assets have errors" }).waitFor();
      await output.getByText("first part").waitFor();

      project.write("resources/site.ts", script("second"));
      await output.getByText("second part").waitFor();
      assert.equal(await overlay.count(), 0);
    } finally {
      controller.abort();
      await Promise.all([browser.close(), ended]);
    }
  },
);

test(
  "in production a page loads the files that the command assets wrote, under the default security headers",
  { skip: browserSkip },
  async () => {
    using project = projectWithAssets();
    assert.equal((await project.run("assets")).code, 0);
    const environment = { FRAMEWORK_ENV: "production", ALLOWED_HOSTS: "localhost,127.0.0.1", LOGS_DIR: project.root };
    await using server = await startProgram(
      ["--conditions=@limmat/source", "run/run.ts", "server"],
      project.root,
      environment,
    );
    const browser = await launch();
    try {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on("console", (message) => problems.push(message.text()));
      await page.goto(`http://localhost:${new URL(server.url).port}`);
      await page.locator("#output").getByText("first part").waitFor();
      assert.deepEqual(problems, []);
      assert.match(
        (await page.locator("script").last().getAttribute("src")) ?? "",
        /^\/assets\/built\/site-[A-Z2-7]{8}\.js$/,
      );
    } finally {
      await browser.close();
    }
  },
);
