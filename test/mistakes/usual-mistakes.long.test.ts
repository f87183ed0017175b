// Usual mistakes of newcomers in a new project. The answers are in handlers.ts and programs.ts, for people to read.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { waitFor } from "limmat/testing";
import { ApplicationProcess } from "../../src/development/application-process.ts";
import { type HandlerMistake, handlerMistakes, typeErrors } from "./handlers.ts";
import { answerText, entryText, type LogEntry } from "./page-text.ts";
import { type ProgramMistake, programMistakes } from "./programs.ts";
import { makeProject, type MistakenProject, projectEnvironment, sourceOptions } from "./project.ts";

// The development server passes its environment to the application.
Object.assign(process.env, projectEnvironment());

let project: MistakenProject;
before(async () => {
  project = await makeProject();
});
after(() => project[Symbol.dispose]());

test("the list has at least forty mistakes, each once", () => {
  const names = [...handlerMistakes, ...programMistakes].map(({ mistake }) => mistake);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.length >= 40);
});

describe("the terminal answers", { concurrency: 2 }, () => {
  for (const mistake of programMistakes) {
    test(mistake.mistake, async () => {
      using copy = project.copy();
      for (const edit of mistake.edits ?? []) copy.edit(edit);
      assert.equal(await runMistake(copy.root, mistake), mistake.answer);
    });
  }
});

/** Returns the text of the terminal, with `<root>` instead of the folder, and `<port>` instead of the used port. */
async function runMistake(root: string, { run, edits, variables }: ProgramMistake): Promise<string> {
  if (typeof run === "string") {
    const options = { root, publicHost: "localhost:1", packages: [], onStderr: () => {} };
    const isMigration = run === "dev --migrate";
    const application = new ApplicationProcess({ ...options, command: isMigration ? "migrate" : "server" });
    const reason = isMigration ? await application.run(1) : await application.start(1);
    assert.ok(typeof reason === "object", "It does not start");
    return reason.text.replaceAll(root, "<root>");
  }
  await using server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = String((server.address() as AddressInfo).port);
  const output = await outputOf([...sourceOptions, ...run], root, edits === undefined ? { PORT: port } : variables);
  // Findings that are no problem, with their advice in the indented lines below.
  const problems = output.replaceAll(/^ok .*\n(?: +.*\n)*/gm, "");
  return problems.replaceAll(root, "<root>").replaceAll(port, "<port>").trim();
}

/** Runs Node and returns what it prints, whatever its exit code. */
function outputOf(args: readonly string[], cwd: string, variables?: Readonly<Record<string, string>>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const options = { cwd, env: projectEnvironment(variables) };
  execFile(process.execPath, args, options, (_, stdout, stderr) => resolve(stdout + stderr));
  return promise;
}

describe("with the mistakes in handlers", () => {
  let copy: MistakenProject;
  before(() => {
    copy = project.copy();
    addHandlers(copy);
  });
  after(() => copy[Symbol.dispose]());

  test("the type check finds those that types can show", async () => {
    const compiler = join(copy.root, "node_modules/typescript/bin/tsc");
    const output = await outputOf([compiler, "--noEmit", "--customConditions", "@limmat/source"], copy.root);
    const firstLines = output.split("\n").filter((line) => /^\S/.test(line));
    assert.equal(firstLines.toSorted().join("\n"), typeErrors.trim());
  });

  describe("the development server answers", () => {
    let answers: readonly string[];
    before(async () => {
      answers = await askHandlers(copy.root);
    });
    for (const [index, { mistake, answer }] of handlerMistakes.entries()) {
      test(mistake, () => assert.equal(answers[index], answer));
    }
  });
});

function addHandlers({ edit }: MistakenProject): void {
  const file = "routes/routes.ts";
  for (const [index, { handler }] of handlerMistakes.entries())
    edit({ file: fileOf(index), to: `${handler.trim()}\n` });
  edit({ file: "routes/mistakes.ts", to: mistakenRoutes() });
  edit({ file, from: "import { notes", to: 'import { mistakes } from "./mistakes.ts";\nimport { notes' });
  edit({ file, from: "Web.choose([site, api", to: "Web.choose([mistakes, site, api" });
}

/** Returns the page of each mistake in a handler, or the response of a program, and what the terminal adds to it. */
async function askHandlers(root: string): Promise<readonly string[]> {
  const pages = await sendRequests(root);
  const entries = readLog(root)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as LogEntry);
  return pages.map(({ text, requestId }, index) => {
    const isAbout = ({ level, request_id, error }: LogEntry): boolean =>
      (level !== "debug" && request_id === requestId) ||
      (typeof error === "object" && error.stack?.includes(`/${fileOf(index)}:`) === true);
    // The terminal shows the line of the project as well.
    const terminal = text.includes("\n  at ") ? [] : entries.filter(isAbout).map((entry) => entryText(entry, root));
    return [text, ...terminal].join("\n").replaceAll(root, "<root>");
  });
}

/** Returns the log: events, then errors. */
const readLog = (root: string): string =>
  ["app.log", "error.log"]
    .map((name) => join(root, "logs", name))
    .map((path) => (existsSync(path) ? readFileSync(path, "utf8") : ""))
    .join("");

const fileOf = (index: number): string => `web/handler/mistake-${index + 1}.ts`;

function mistakenRoutes(): string {
  const imports = handlerMistakes.map(
    (_, index) => `import { handler as handler${index + 1} } from "../${fileOf(index)}";`,
  );
  const routes = handlerMistakes.map(({ post }, index) => {
    const middlewares = typeof post === "string" ? "api" : "site";
    const method = post === undefined ? "get" : "post";
    return `  Web.${method}("/mistakes/${index + 1}", handler${index + 1}, { middlewares: Web.Middleware.${middlewares}() }),`;
  });
  return [
    'import { Web } from "limmat";',
    ...imports,
    "export const mistakes = Web.choose([",
    ...routes,
    "]);",
    "",
  ].join("\n");
}

interface Page {
  readonly text: string;
  readonly requestId: string | null;
}

/** Starts the application as the development server does, sends the request of each mistake, and stops it. */
async function sendRequests(root: string): Promise<readonly Page[]> {
  const child = spawn(process.execPath, [...sourceOptions, "run/run.ts", "server"], {
    cwd: root,
    env: projectEnvironment({ PORT: "0", LOG_LEVEL: "debug", DEVELOPMENT_PORT: "1" }),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const closed = once(child, "close");
  const pages: Page[] = [];
  try {
    for await (const line of createInterface(child.stdout)) {
      const url = /Listening on (http:\/\/[^\s"]+)/.exec(line)?.[1];
      if (url === undefined) continue;
      for (const [index, mistake] of handlerMistakes.entries()) {
        pages.push(await sendRequest(`${url}/mistakes/${index + 1}`, mistake));
      }
      // The last one shows after its response.
      await waitFor(() => readLog(root).includes("Uncaught error"), { timeoutMs: 60_000 });
      break;
    }
  } finally {
    child.stdout.resume();
    child.kill();
    await closed;
  }
  return pages;
}

async function sendRequest(url: string, { post }: HandlerMistake): Promise<Page> {
  const headers = typeof post === "string" ? { "content-type": "application/json" } : { accept: "text/html" };
  const body = typeof post === "object" ? new URLSearchParams(post) : post;
  const response = await fetch(url, body === undefined ? { headers } : { method: "POST", headers, body });
  return { text: answerText(await response.text()), requestId: response.headers.get("x-request-id") };
}
