// Runs the examples of the pages about concepts and other frameworks, and checks the names and figures that these pages
// and the pages "Why limmat", "Questions" and "From one machine to several" mention.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { Row, sql } from "../src/database/index.ts";
import { sqlite } from "../src/database/sqlite/index.ts";
import { Table } from "../src/entry-points/table.ts";
import * as limmat from "../src/index.ts";
import * as Idempotency from "../src/services/idempotency/index.ts";
import { Factory } from "../src/testing/index.ts";
import { published, root } from "./sources.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

const concepts = globSync("docs/concepts/*.md", { cwd: root }).sort();
const comingFrom = globSync("docs/coming-from/*.md", { cwd: root }).sort();
const frameworks = comingFrom.filter((path) => !/README|data-and-users/.test(path));
const otherPages = ["docs/why.md", "docs/faq.md", "docs/guide/scale.md"];

/** Returns the examples of a page as one program. */
const programOf = (document: string): string =>
  [...read(document).matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code).join("");

/** Continues the program of the page about users: imports hashes of argon2id in the formats of Django and AdonisJS. */
const importOfArgon2 = `
import { argon2Sync, randomBytes } from "node:crypto";
await app.start();
const password = "correct horse battery";
const hashOf = (memory: number, passes: number, parallelism: number): string => {
  const nonce = randomBytes(16);
  const bytes = argon2Sync("argon2id", { message: password, nonce, memory, passes, parallelism, tagLength: 32 });
  return [nonce, bytes].map((part) => part.toString("base64").replaceAll("=", "")).join("$");
};
const hashes = {
  django: "argon2$argon2id$v=19$m=64,t=2,p=8$" + hashOf(64, 2, 8),
  adonisjs: "$argon2id$v=19$t=3,m=128,p=4$" + hashOf(128, 3, 4),
};
for (const [name, hash] of Object.entries(hashes)) {
  const email = name + "@example.com";
  await importUser({ email, hash, isConfirmed: false });
  console.log(name, (await user.login(email, password, { client })).ok);
  console.log(name, (await user.login(email, "wrong", { client })).ok);
}
await app.stop();
`;

/** Runs programs one after the other in one process, each with an empty database. Returns the lines that each prints. */
async function printedLines(programs: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, readonly string[]>> {
  // Inside of the package, so that `limmat` resolves to its source.
  using folder = mkdtempDisposableSync(join(root, "test/.pages-"));
  const names = [...programs.keys()];
  for (const [index, name] of names.entries()) {
    writeFileSync(join(folder.path, `${index}.ts`), programs.get(name) ?? "");
  }
  const runner = join(folder.path, "run.ts");
  writeFileSync(
    runner,
    `for (const [index, name] of ${JSON.stringify(names)}.entries()) {
      console.log("\\f" + name);
      await import("./" + index + ".ts").catch((error: Error) => console.log(error.stack));
    }`,
  );
  const env = {
    ...process.env,
    FRAMEWORK_ENV: "test",
    CHECK_CSRF: "true",
    LOG_LEVEL: "error",
    LOGS_DIR: folder.path,
    DATABASE_URL: ":memory:",
    PASSWORD_MEMORY: "8",
    PASSWORD_PASSES: "1",
  };
  const flags = ["--conditions=@limmat/source", runner];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: root, env });
  const outputs = stdout.split("\f").slice(1);
  return new Map(outputs.map((output) => output.trimEnd().split("\n")).map(([name = "", ...lines]) => [name, lines]));
}

const users = "docs/coming-from/data-and-users.md";
const runPages = [...concepts, users, ...frameworks];
const argon2Program = "import of argon2";
let printed: ReadonlyMap<string, readonly string[]> = new Map();
before(async () => {
  const programs = runPages.map((document) => [document, programOf(document)] as const);
  printed = await printedLines(new Map([...programs, [argon2Program, programOf(users) + importOfArgon2]]));
});

for (const document of runPages) {
  test(`the examples of ${document} print what their comments say`, () => {
    const expected = [...programOf(document).matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = ""]) => text);
    assert.ok(expected.length > 0);
    assert.deepEqual(printed.get(document), expected);
  });
}

test("users with argon2id hashes of Django and AdonisJS log in after the import of the page", () => {
  assert.deepEqual(printed.get(argon2Program)?.slice(-4), [
    "django true",
    "django false",
    "adonisjs true",
    "adonisjs false",
  ]);
});

test("a page about a concept has at most 120 lines", () => {
  assert.ok(concepts.length >= 5);
  for (const path of concepts) assert.ok(read(path).split("\n").length <= 121, path);
});

test("the pages for users of other frameworks compare at least 30 names, and the README lists them", () => {
  const list = read("docs/coming-from/README.md");
  assert.equal(frameworks.length, 7);
  for (const path of frameworks) {
    assert.ok(comparedNames(path).length >= 30, path);
    assert.ok(list.includes(`](${path.replace("docs/coming-from/", "")})`), path);
  }
  assert.ok((read("docs/faq.md").match(/^### /gm) ?? []).length >= 20);
});

/** Returns the rows of the first table of a page: what the reader knows, and what limmat has. */
function comparedNames(path: string): readonly (readonly [known: string, ours: string])[] {
  const [, section = ""] = read(path).split("## What you know, and what limmat has");
  const [table = ""] = section.split("\n## ");
  return [...table.matchAll(/^\| (.+?[^\\]) \| (.+) \|$/gm)]
    .map(([, known = "", ours = ""]) => [known, ours] as const)
    .slice(1)
    .filter(([known]) => !known.startsWith("---"));
}

const withoutCode = (path: string): string => read(path).replaceAll(/^```[^]*?^```$/gm, "");
const codeSpans = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);

const database = sqlite({ url: ":memory:" });
const modules: Readonly<Record<string, unknown>> = { ...limmat, Factory, Idempotency, Row, Table };
const instances: Readonly<Record<string, object>> = {
  app: limmat.App.create({ services: [] }),
  cache: limmat.Cache.memory(),
  database,
  email: limmat.Email.memory(),
  migration: limmat.Migration.service({ database }),
  queue: limmat.Queue.memory({ jobs: () => [] }),
  schedule: limmat.Schedule.service([], { database }),
  schema: limmat.Schema.record({}),
  seed: limmat.Seed.service({ database, seeds: {} }),
  sql,
  storage: limmat.Storage.memory(),
  token: limmat.Token.memory(),
  user: limmat.User.service({ database }),
};
const entryPoints = JSON.parse(read("test/entry-points.snapshot.json")) as Readonly<Record<string, readonly string[]>>;
const sourceText = published()
  .map(({ text }) => text)
  .join("\n");
const requestSource = read("src/http/message/request.ts");
const commands = read("docs/reference/commands.md") + read("docs/guide/generators.md");
const configurationKeys = read("docs/reference/configuration.md");
const errorCodes = read("docs/reference/errors.md");
const scripts = read("docs/guide/new-project.md");

/** Returns true if a name with dots leads to a value, such as `Web.Query.nextPage`, or to a type of its module. */
function leadsToExport(name: string): boolean {
  const [first = "", ...rest] = name.split(".");
  const value = rest.reduce<unknown>(
    (parent, key) => (parent as Record<string, unknown> | undefined)?.[key],
    modules[first],
  );
  // Types have no value.
  return value !== undefined || new RegExp(`(?:type|interface) ${rest.at(-1)}\\b`).test(sourceText);
}

/** Returns the reason why a code span names something that does not exist. `isOurs` is false in text about others. */
function problemOf(span: string, isOurs: boolean): string | undefined {
  const name = span.replace(/\(.*$/, "");
  if (commands.includes(`\`${name}\``) || commands.includes(`\`${name} `)) return undefined;
  const [first = "", second = ""] = name.split(".");
  const [, script, command, argument] = /^npm run (\w+)(?: (?:-- )?([\w.]+))?(?: ([a-z]+)\b)?/.exec(span) ?? [];
  if (script === "app" && command !== undefined && !commands.includes(`\`${command}`)) return "no such command";
  if (command === "migrate" && argument !== undefined && !commands.includes(`migrate ${argument}`))
    return "no such command";
  if (script !== undefined) return scripts.includes(`npm run ${script}`) ? undefined : "no such script";
  if (/^E_[A-Z_]+$/.test(name)) return errorCodes.includes(`\`${name}\``) ? undefined : "no such error";
  if (isOurs && /^[A-Z]+_[A-Z_]+$/.test(name))
    return configurationKeys.includes(`\`${name}\``) ? undefined : "no such key";
  if (name.startsWith("limmat/")) return name.replace("limmat", ".") in entryPoints ? undefined : "no such entry point";
  if (/^[A-Z]\w*(?:\.\w+)+$/.test(name) && first in modules) return leadsToExport(name) ? undefined : "no such export";
  if (/^\w+\.\w+$/.test(name) && first === "request")
    return new RegExp(`\\b${second}\\b`).test(requestSource) ? undefined : "no such member of a request";
  const instance = /^\w+\.\w+$/.test(name) ? instances[first] : undefined;
  if (isOurs && instance !== undefined) return second in instance ? undefined : `no such operation of ${first}`;
  if (isOurs && /^[a-z]+[A-Z]\w*$/.test(name))
    return new RegExp(`\\b${name}\\b`).test(sourceText) ? undefined : "no such name";
  return undefined;
}

function problemsOf(path: string, text: string, isOurs: boolean): string[] {
  const code = programOf(path);
  return codeSpans(text).flatMap((span) => {
    const problem = code.includes(span) ? undefined : problemOf(span, isOurs);
    return problem === undefined ? [] : [`${path}: ${span}: ${problem}`];
  });
}

test("the pages name exports, operations, commands, keys and errors that exist", () => {
  assert.deepEqual(
    [
      ...[...concepts, ...otherPages].flatMap((path) => problemsOf(path, withoutCode(path), true)),
      ...frameworks.flatMap((path) =>
        problemsOf(
          path,
          comparedNames(path)
            .map(([, ours]) => ours)
            .join("\n"),
          true,
        ),
      ),
      ...comingFrom.flatMap((path) => problemsOf(path, withoutCode(path).replaceAll(/^\|.*$/gm, ""), false)),
    ],
    [],
  );
  assert.equal(problemOf("Web.Query.nextPages", true), "no such export");
  assert.equal(problemOf("queue.enqueue", true), "no such operation of queue");
  assert.equal(problemOf("npm run app gen.scaffold", true), "no such command");
});

interface Figures {
  readonly [contestant: string]: string;
}

/** Returns a figure of each contestant in the one benchmark of a page whose title begins with a text. */
function benchmarkFigures(page: string, title: string, figure: string): Figures {
  const text = read(page);
  const names = [...text.matchAll(/^- \*\*([\w-]+)\*\*: (.*)$/gm)].filter(([, , name = ""]) => name.startsWith(title));
  assert.equal(names.length, 1, `${page}: ${title}`);
  const name = names[0]?.[1] ?? "";
  const tables = [...text.matchAll(/^\| .* \|$(?:\n\|.*\|$)+/gm)].map(([table]) =>
    table.split("\n").map((line) => line.slice(2, -2).split(" | ")),
  );
  const found = tables.filter(([head]) => head?.[0] === figure && head.includes(name));
  assert.equal(found.length, 1, `${page}: ${figure} of ${name}`);
  const [head = [], , ...rows] = found[0] ?? [];
  return Object.fromEntries(rows.map((row) => [row[0] ?? "", row[head.indexOf(name)] ?? ""]));
}

test("the tables of figures repeat the benchmark pages", () => {
  let compared = 0;
  for (const path of otherPages) {
    for (const [table] of read(path).matchAll(/^\| Work .*\n(?:\|.*\n)+/gm)) {
      const [header = [], , ...rows] = table
        .trimEnd()
        .split("\n")
        .map((line) =>
          line
            .slice(1, -1)
            .split("|")
            .map((cell) => cell.trim()),
        );
      for (const [work = "", ...cells] of rows) {
        const [, title = "", page = ""] = /^\[(.*)\]\((?:\.\.\/)?(benchmarks[\w-]*\.md)\)$/.exec(work) ?? [];
        const figures = benchmarkFigures(`docs/${page}`, title, cells.length === 1 ? "requests/s" : "CPU µs");
        for (const [index, cell] of cells.entries()) {
          const contestant = header[index + 1] ?? "";
          assert.equal(cell, figures[contestant] ?? "–", `${path}: ${title}, ${contestant}`);
          compared += 1;
        }
      }
    }
  }
  assert.ok(compared > 30);
});

test("figures in the text beside a link to a benchmark page are on one of these pages", () => {
  const benchmarks = globSync("docs/benchmarks*.md", { cwd: root }).map(read).join("\n");
  const missing = otherPages.flatMap((path) =>
    withoutCode(path)
      .replaceAll(/^\|.*$/gm, "")
      .split(/\n\n|\n(?=- )/)
      .filter((paragraph) => /\]\([./]*benchmarks/.test(paragraph))
      .flatMap((paragraph) => paragraph.match(/\b\d+(?:,\d{3})*\.\d+|\b\d{1,3}(?:,\d{3})+/g) ?? [])
      .filter((figure) => !benchmarks.includes(figure))
      .map((figure) => `${path}: ${figure}`),
  );
  assert.deepEqual(missing, []);
});
