import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isReload, limmatProject, navigation, startSession } from "./development-session.test.ts";

interface LoadError {
  readonly name: string;
  /** Files that differ from those of the working project. */
  readonly files: Readonly<Record<string, string>>;
  /** Text that the terminal and the page show, line by line. */
  readonly shown: readonly string[];
}

const imports = (specifier: string, names = "{ page }"): Readonly<Record<string, string>> => ({
  "routes/routes.ts": `import { Web } from "limmat";\nimport ${names} from "${specifier}";\n\nexport const router = Web.choose([Web.get("/", () => Web.Response.text(String(page)))]);\n`,
});

const loadErrors: readonly LoadError[] = [
  {
    name: "an import without the extension .ts",
    files: imports("../web/page"),
    shown: [
      'routes/routes.ts imports "../web/page", and there is no such file.',
      "  at routes/routes.ts:2:23",
      "",
      '  1 | import { Web } from "limmat";',
      '> 2 | import { page } from "../web/page";',
      "    |                       ^",
      "  3 |",
      '  4 | export const router = Web.choose([Web.get("/", () => Web.Response.text(String(page)))]);',
      "",
      'Hint: Node imports a file by its whole name. Write "../web/page.ts".',
    ],
  },
  {
    name: "an import with the extension .js",
    files: imports("../web/page.js"),
    shown: ['Hint: Node imports a file by its whole name. Write "../web/page.ts".'],
  },
  {
    name: "an import of a folder",
    files: { ...imports("../web"), "web/index.ts": 'export const page = "one";' },
    shown: ['Hint: Node imports a file by its whole name. Write "../web/index.ts".'],
  },
  {
    name: "a wrong path: the nearest file",
    files: imports("../view/pge.ts"),
    shown: [
      'routes/routes.ts imports "../view/pge.ts", and there is no such file.',
      'Hint: Did you mean "../web/page.ts"?',
    ],
  },
  {
    name: "a name that a file does not export: the nearest export",
    files: imports("../web/page.ts", "{ pages as page }"),
    shown: [
      'web/page.ts has no export named "pages".',
      "  at routes/routes.ts:2:10",
      '> 2 | import { pages as page } from "../web/page.ts";',
      "    |          ^",
      'Hint: Did you mean "page"?',
    ],
  },
  {
    name: "an import of a type without the keyword",
    files: { ...imports("../web/page.ts"), "web/page.ts": "export interface page {}\n" },
    shown: [
      'Hint: "page" is a type, which does not exist at run time. Write: import type { page } from "../web/page.ts"',
    ],
  },
  {
    name: "a name that a package does not export",
    files: { ...imports("limmat", "{ Emial as page }") },
    shown: ['"limmat" has no export named "Emial".', "  at routes/routes.ts:2:10", 'Hint: Did you mean "Email"?'],
  },
  {
    name: "a name that a file does not export: the exports of a package that it passes on, and destructured values",
    files: {
      ...imports("../web/ui.ts", "{ Emial as page }"),
      "web/ui.ts": 'export * from "limmat";\nexport const { first, second: other } = { first: 1, second: 2 };\n',
    },
    shown: ['web/ui.ts has no export named "Emial".', 'Hint: Did you mean "Email"?'],
  },
  {
    name: "a name that a file does not export: a destructured value with a type",
    files: {
      ...imports("../web/ui.ts", "{ thrid as page }"),
      "web/ui.ts": "export const { third }: { readonly third: number } = { third: 3 };\n",
    },
    shown: ['web/ui.ts has no export named "thrid".', 'Hint: Did you mean "third"?'],
  },
  {
    name: "a name that a file does not export: all names of a destructured list",
    files: {
      ...imports("../web/ui.ts", "{ unknown as page }"),
      "web/ui.ts": "export const [first, , ...others]: readonly number[] = [1, 2];\n",
    },
    shown: ['web/ui.ts has no export named "unknown".', 'Hint: It exports "first", "others".'],
  },
  {
    name: "a missing entry point of a package",
    files: imports("limmat/databse", "{ sql as page }"),
    shown: ['The package "limmat" has no entry point "limmat/databse".', 'Hint: Did you mean "limmat/database"?'],
  },
  {
    name: "a syntax error",
    files: { "web/page.ts": "export const first = 1;\nexport const page: = 2;\n" },
    shown: [
      "SyntaxError: Unexpected token `=`.",
      "  at web/page.ts:2:20",
      "> 2 | export const page: = 2;",
      "    |                    ^",
    ],
  },
  {
    name: "an enum, which type stripping cannot erase",
    files: { "web/page.ts": "export enum State {\n  Open,\n}\nexport const page = String(State.Open);\n" },
    shown: [
      "Node removes types and cannot translate other TypeScript syntax: TypeScript enum is not supported in strip-only mode.",
      "  at web/page.ts:1:1",
      "> 1 | export enum State {",
      'Hint: Use a union of texts: type State = "open" | "done";',
    ],
  },
  {
    name: "a variable that is declared twice, which type stripping does not see",
    files: { "web/page.ts": "export const page = 1;\nconst page = 2;\n" },
    shown: [
      "SyntaxError: Identifier 'page' has already been declared.",
      "  at web/page.ts:2:7",
      "> 2 | const page = 2;",
      "    |       ^",
    ],
  },
  {
    name: "a decorator",
    files: { "web/page.ts": "const d = () => {};\nexport class page {\n  @d x = 1;\n}\n" },
    shown: [
      "  at web/page.ts:3:3",
      "> 3 |   @d x = 1;",
      "Hint: Node cannot run decorators. Call a function in their place.",
    ],
  },
  {
    name: "an error thrown at load, with the first line of the application first",
    files: {
      "web/page.ts": 'import { load } from "../app/load.ts";\nexport const page = load();\n',
      "app/load.ts": 'export const load = (): string => JSON.parse("{");\n',
    },
    shown: [
      "  at app/load.ts:1:40",
      '> 1 | export const load = (): string => JSON.parse("{");',
      "Called by:",
      "  web/page.ts:2:21",
    ],
  },
  {
    name: "both lines of a duplicate route",
    files: {
      "routes/routes.ts":
        'import { Web } from "limmat";\nimport { api } from "./api.ts";\n\nconst one = Web.get("/api/todos", () => Web.Response.text("one"));\nexport const router = Web.choose([one, api]);\n',
      "routes/api.ts":
        'import { Web } from "limmat";\nexport const api = Web.choose(\n  [Web.get("/todos", () => Web.Response.text("two"))],\n  { scope: "/api" },\n);\n',
    },
    shown: [
      "Error [E_ROUTE_TAKEN]: Two routes have the method and path GET /api/todos. Remove one of them, or move one to another scope.",
      "  at routes/routes.ts:4:17",
      '> 4 | const one = Web.get("/api/todos", () => Web.Response.text("one"));',
      "  at routes/api.ts:3:8",
      '> 3 |   [Web.get("/todos", () => Web.Response.text("two"))],',
    ],
  },
  {
    name: "both lines of two services with one name",
    files: {
      "service/service.ts":
        'import { Email } from "limmat";\nconst email = Email.memory();\n\nexport const services = [email, Email.memory()];\n',
    },
    shown: [
      'Error [E_SERVICE_NAME_TAKEN]: Two services have the name "email". Rename one of them, for example with its option "name".',
      "  at service/service.ts:2:21",
      "  at service/service.ts:4:39",
    ],
  },
  {
    name: "a package.json that is not valid JSON",
    files: { "package.json": '{\n  "type": "module"\n  "private": true\n}\n' },
    shown: [
      "package.json is not valid JSON: Expected ',' or '}' after property value in JSON at position 23.",
      "  at package.json:3:3",
      '> 3 |   "private": true',
      "    |   ^",
    ],
  },
  {
    name: "a top-level await that never settles",
    files: { "web/page.ts": 'export const page: string = "one";\n\nawait new Promise(() => {});\n' },
    shown: [
      "While the application loads, it waits for a promise that never settles.",
      "  at web/page.ts:3",
      "> 3 | await new Promise(() => {});",
      "Hint: Await only promises that resolve or reject, or call the function without await.",
    ],
  },
  {
    name: "a thrown value that is no error",
    files: { "web/page.ts": 'export const page = "one";\nthrow "no";\n' },
    shown: [
      "A value that is no error was thrown: 'no'",
      "Hint: Throw an Error: throw new Error(…). Only an error contains the line that throws it.",
    ],
  },
  {
    name: "a package that is not installed",
    files: imports("zod", "{ z as page }"),
    shown: ['routes/routes.ts imports the package "zod", which is not installed.', "Hint: Run: npm install zod"],
  },
];

const decode = (page: string): string =>
  (/<pre>([^]*?)<\/pre>/.exec(page)?.[1] ?? "")
    .replaceAll("</span>", "\n")
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");

/** Returns true if the text contains these lines, in order. */
function hasLines(text: string, expected: readonly string[]): boolean {
  const lines = text.split("\n").map((line) => line.trimEnd());
  let index = 0;
  for (const line of lines) if (line === expected[index]) index += 1;
  return index === expected.length;
}

for (const { name, files, shown } of loadErrors) {
  test(`shows ${name}, in terminal and browser`, async () => {
    await using project = await startSession({ ...limmatProject, ...files });
    const { status, body } = await project.get();
    assert.equal(status, 500);
    assert.ok(hasLines(project.stderr(), shown), project.stderr());
    assert.ok(hasLines(decode(body), shown), decode(body));
    assert.doesNotMatch(project.stderr(), /node:internal|Node\.js v\d|^Warning:/m);
  });
}

test("shows a package that is listed and not installed, and tries again when the page is loaded", async () => {
  await using project = await startSession({
    ...limmatProject,
    ...imports("greeter"),
    "package.json": '{ "type": "module", "dependencies": { "greeter": "1.0.0" } }',
  });
  assert.match((await project.get()).body, /Hint: package\.json lists it\. Run: npm install/);
  const folder = join(project.root, "node_modules/greeter");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "name": "greeter", "exports": "./index.js", "type": "module" }');
  writeFileSync(join(folder, "index.js"), 'export const page = "installed";');
  assert.equal((await project.get("/", navigation)).status, 200);
});

test("says that the entry point is missing", async () => {
  await using project = await startSession({ "app/page.ts": "" });
  assert.match((await project.get()).body, /run\/run\.ts, the entry point of the application, does not exist\./);
});

test("leaves out a cause whose message the error repeats, and shows any other", async () => {
  const text = `const cause = new Error("refused", { cause: new Error("no route to host") });
throw new Error("Cannot connect: refused. Start the server.", { cause });
export const page = "one";
`;
  await using project = await startSession({ ...limmatProject, "web/page.ts": text });
  assert.equal((await project.get()).status, 500);
  assert.match(
    project.stderr(),
    /^Error: Cannot connect: refused\. Start the server\.\nBecause of Error: no route to host\n/,
  );
});

test("keeps the frames of the application in errors of a long stack", async () => {
  const deep = "const call = (depth: number): string => depth === 0 ? missing() : call(depth - 1);";
  const text = `${deep}\nconst missing = (): string => { throw new Error("deep"); };\nexport const page = (): string => call(20);\n`;
  await using project = await startSession({
    ...limmatProject,
    "web/page.ts": text,
    "routes/routes.ts":
      'import { Web } from "limmat";\nimport { page } from "../web/page.ts";\nexport const router = Web.choose([Web.get("/", () => Web.Response.text(page()))]);\n',
  });
  const { status, body } = await project.get("/", navigation);
  assert.equal(status, 500);
  assert.match(body, /routes\/routes\.ts:3/);
});

test("keeps the previous version below the error of a new one", async () => {
  await using project = await startSession(limmatProject);
  project.write("web/page.ts", "export const pages = 1;\n");
  const failure = await project.nextEvent((event) => event.kind === "failure" && event.reason !== undefined);
  assert.match(JSON.stringify(failure), /has no export named/);
  assert.equal((await project.get()).body, "one");
  project.write("web/page.ts", 'export const page = "two";\n');
  await project.nextEvent(isReload);
  assert.equal((await project.get()).body, "two");
});
