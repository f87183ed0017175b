// Follows docs/guide/getting-started.md in a new project: runs its commands, compares their output and applies its edits.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import type { Page } from "playwright-core";
import { browserSkip, launch } from "../browser/chromium.ts";
import { applyEdits, type DocumentBlock, documentBlocks } from "../document-examples.ts";
import { withoutLoadShedding } from "../servers/load-shedding.ts";
import { postgresql } from "../servers/postgresql.ts";
import { freePort } from "../servers/process.ts";
import { withServer } from "../servers/server.ts";
import { createProject } from "./create-project.ts";
import { packFramework, shellEnvironment } from "./package.ts";

const framework = packFramework();
after(() => framework[Symbol.dispose]());

const blocks = documentBlocks("docs/guide/getting-started.md");

/** Commands that create the project, install packages or start a server: the test does these in its own way. */
const preparation = /^(?:cd|docker compose|git clone|npm (?:create|install|run dev|run new))\b/;

/** Environment variables of the commands of a project, and of its tests. */
interface Environments {
  readonly app: Readonly<Record<string, string>>;
  readonly tests: Readonly<Record<string, string>>;
}

/** Development server, started by `npm run dev`. */
interface DevelopmentServer extends AsyncDisposable {
  readonly output: string;
  readonly url: string;
}

async function startDevelopment(
  project: string,
  variables: Readonly<Record<string, string>>,
): Promise<DevelopmentServer> {
  const port = await freePort();
  // A process group of its own, because npm starts a shell that starts the server.
  const child = spawn("npm", ["run", "dev"], {
    cwd: project,
    env: shellEnvironment({ ...variables, PORT: String(port), NODE_OPTIONS: withoutLoadShedding }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const closed = once(child, "close");
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await closed;
  };
  // On a slow machine, the standard error reports a slow start.
  let [output, errors] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      if (/Ready in .*\n/.test(output)) resolve();
    });
    child.once("close", () => reject(new Error(`npm run dev ended before it was ready:\n${output}${errors}`)));
  });
  return { output, url: `http://localhost:${port}`, [Symbol.asyncDispose]: stop };
}

/** Returns the lines of an output without what differs from run to run. */
const normalize = (output: string, port = "3000"): readonly string[] =>
  stripVTControlCharacters(output)
    .replaceAll(`localhost:${port}`, "localhost:3000")
    .replaceAll(/\d+(?:\.\d+)? ?ms\b/g, "0 ms")
    .split("\n")
    .map((line) => line.trimEnd());

/** Compares an output with a block of the page, in which `…` stands for any lines. */
function assertOutput({ code, document, line }: DocumentBlock, output: readonly string[]): void {
  let rest = output;
  for (const part of code.split(/^…$/m).filter((lines) => lines.trim() !== "")) {
    const expected = normalize(part.trim());
    const start = rest.findIndex((_, index) => expected.every((text, offset) => rest[index + offset] === text));
    assert.notEqual(
      start,
      -1,
      `${document}:${line} shows\n${expected.join("\n")}\nand the output is\n${rest.join("\n")}`,
    );
    rest = rest.slice(start + expected.length);
  }
}

/** Runs the commands of a block, except the preparation. Returns their output. */
function runCommands(code: string, project: string, environments: Environments, mayFail: boolean): string {
  return code
    .replaceAll("\\\n", "")
    .trim()
    .split("\n")
    .filter((line) => !preparation.test(line))
    .map((line) => {
      const variables = line.startsWith("npm test") ? environments.tests : environments.app;
      const { stdout, stderr, status } = spawnSync("sh", ["-c", line], {
        cwd: project,
        env: shellEnvironment(variables),
        encoding: "utf8",
      });
      assert.ok(status === 0 || mayFail, `${line}\n${stdout}\n${stderr}`);
      return stdout;
    })
    .join("");
}

function followPage(database: string, environments: Environments): void {
  const name = `started-${database}`;
  test(`the page leads to a tested resource with accounts on ${database}`, async () => {
    const project = createProject(framework, name, database);
    const read = (path: string): string => readFileSync(join(project, path), "utf8");
    await using stack = new AsyncDisposableStack();
    let server: DevelopmentServer | undefined;
    let output = "";
    for (const [index, block] of blocks.entries()) {
      const code = block.code.replaceAll("my-app", name).replaceAll(" sqlite ", ` ${database} `);
      const next = blocks[index + 1];
      if (block.language === "sh" && block.code.startsWith("npm run dev")) {
        server = stack.use(await startDevelopment(project, environments.app));
        output = server.output;
      } else if (block.language === "sh") {
        output = runCommands(code, project, environments, /fail 1$/m.test(next?.code ?? ""));
      } else if (block.language === "text") {
        assertOutput({ ...block, code }, normalize(output, new URL(server?.url ?? "http://localhost:3000").port));
      } else if (block.language === "diff") {
        const { path, text } = applyEdits(code, read);
        writeFileSync(join(project, path), text);
      } else if (block.file !== undefined) {
        writeFileSync(join(project, block.file), `${read(block.file)}\n${code.replace(/^.*\n/, "")}`);
      }
    }
    assert.ok(server !== undefined);
    if (browserSkip !== false) return;
    const browser = await launch();
    try {
      const page = await browser.newPage();
      await usePages(page, server.url);
    } finally {
      await browser.close();
    }
  });
}

/** Does what the page says about the browser. */
async function usePages(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/tasks`);
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await page.goto(`${url}/register`);
  await page.getByLabel("E-mail address").fill("heidi@example.com");
  await page.getByLabel("New password", { exact: true }).fill("a fine long password");
  await page.getByLabel("Repeat").fill("a fine long password");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Welcome!").waitFor();
  await page.goto(`${url}/tasks`);
  await page.getByRole("link", { name: "New task" }).click();
  for (const title of ["", "   "]) {
    await page.getByLabel("Title").fill(title);
    await page.getByRole("button", { name: "Add" }).click();
    await page.locator("#title-error", { hasText: "Please fill this in" }).waitFor();
  }
  await page.getByLabel("Title").fill("Milk the goats");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("status").getByText("Task added").waitFor();
}

followPage("sqlite", { app: {}, tests: {} });

const urls: string[] = [];
const addUrl = ({ url }: { readonly url: string }): void => void urls.push(url);
await withServer(postgresql, addUrl);
await withServer(postgresql, addUrl);
const [app = "", tests = ""] = urls;
if (tests !== "") followPage("postgresql", { app: { DATABASE_URL: app }, tests: { DATABASE_URL: tests } });
