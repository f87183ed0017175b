// Puts every example of the documents into a new project, whose own type check, lint rules and layout must accept them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import {
  applyEdits,
  codeOf,
  documentBlocks,
  documentExamples,
  exampleModules,
  type ExampleModule,
  locate,
  missingExports,
} from "../document-examples.ts";
import { root } from "../sources.ts";
import { createProject } from "./create-project.ts";
import { packFramework, runLimmat } from "./package.ts";

/** Pages that tests of their own follow in a project of their own, checks included. */
const followedPages = ["docs/guide/getting-started.md", "docs/tutorial/**"];

/** Languages of blocks that are not TypeScript. */
const otherLanguages = ["", "diff", "dockerfile", "html", "ini", "json", "sh", "sql", "text", "yaml"];

/** Pages that also show code of other frameworks, as `ts ignore` or in other languages. */
const foreignPages = /^docs\/coming-from\//;

const documents = globSync("docs/**/*.md", { cwd: root, exclude: followedPages })
  .map((path) => path.replaceAll("\\", "/"))
  .sort();

const framework = packFramework();
after(() => framework[Symbol.dispose]());

/** A new project with what the examples use: to-dos with pages and an API, accounts, and a job. */
interface Project {
  readonly folder: string;
  readonly read: (path: string) => string;
  readonly write: (path: string, text: string) => void;
  /** Replaces texts of a file, each of which it contains. */
  readonly edit: (path: string, ...changes: readonly (readonly [before: string, after: string])[]) => void;
}

function newProject(name: string): Project {
  const folder = createProject(framework, name);
  const app = (...args: readonly string[]): string => runLimmat(folder, args);
  const todo = ["sqlite", "todo", "title:string", "notes:text?", "done:bool"];
  app("gen.html", ...todo, "--wire");
  app("gen.json", ...todo, "--wire", "--no-model");
  app("gen.auth", "--wire");
  app("gen.job", "report.send", "--wire");
  const read = (path: string): string => readFileSync(join(folder, path), "utf8");
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const edit: Project["edit"] = (path, ...changes) => {
    const text = changes.reduce((current, [before, changed]) => {
      assert.ok(current.includes(before), `${path}: ${before}`);
      return current.replace(before, () => changed);
    }, read(path));
    write(path, text);
  };
  return { folder, read, write, edit };
}

/** A finding of a check of the project: file, row, and the line that the checker printed. */
interface Finding {
  readonly path: string;
  readonly row: number;
  readonly line: string;
}

/** Runs the lint rules, layout included, and both type checks of the project. */
function findings({ folder }: Project): readonly Finding[] {
  const commands = [
    ["oxlint/bin/oxlint", "--type-aware", "--deny-warnings", "--format=unix"],
    ["typescript/bin/tsc", "--noEmit", "--pretty", "false"],
    ["typescript/bin/tsc", "--noEmit", "--pretty", "false", "--project", "resources"],
  ];
  return commands.flatMap(([program = "", ...args]) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, "node_modules", program), ...args], {
      cwd: folder,
      encoding: "utf8",
    });
    const lines = `${stdout}${stderr}`.split("\n");
    const found = lines.flatMap((line) => {
      const { groups } = /^(?<path>[^\s:(]+)[:(](?<row>\d+)[:,].*(?:error TS|\[Error\/)/.exec(line) ?? {};
      return groups === undefined ? [] : [{ path: groups["path"] ?? "", row: Number(groups["row"]), line }];
    });
    // A checker that fails for another reason must not pass as one without findings.
    assert.ok(status === 0 || found.length > 0, `${program}: ${lines.join("\n")}`);
    return found;
  });
}

/** Returns the example of a file. */
function exampleOf(file: string): string {
  const found = documents.flatMap(documentExamples).find((example) => example.file === file);
  assert.ok(found !== undefined, `no document shows ${file}`);
  return found.code;
}

test("views with typed links, a job of its model, filled forms and SQL conditions pass the checks", () => {
  const project = newProject("patterns");
  const { read, write, edit } = project;
  assert.deepEqual(findings(project), []);
  // The view of a resource links to its own routes: routes import the view, and the view their type.
  write("web/view/todo-link.ts", exampleOf("web/view/todo-link.ts"));
  edit(
    "web/view/todo.ts",
    ['from "./layout.ts";', 'from "./layout.ts";\nimport { todoLink } from "./todo-link.ts";'],
    ["  links: {},", "  links: {},\n  after: (request, item) => todoLink(request, item.id),"],
  );
  // The service of to-dos dispatches a job of the reminders, which the list of jobs imports.
  write("app/domain/reminder/reminder.ts", exampleOf("app/domain/reminder/reminder.ts"));
  edit(
    "app/job/job.ts",
    ["import", 'import { remind } from "../domain/reminder/reminder.ts";\nimport'],
    ["[reportSend]", "[reportSend, remind]"],
  );
  edit(
    "app/domain/todo/todo.ts",
    ['from "./entity.ts";', 'from "./entity.ts";\nimport * as Reminder from "../reminder/reminder.ts";'],
    ["export { remove as delete };", "export const remindOf = Reminder.schedule;\n\nexport { remove as delete };"],
  );
  write(
    "app/domain/todo/conditions.ts",
    `import { type SqlPart, sql } from "limmat/database";
import { database } from "../../../service/service.ts";
import type { Todo } from "./entity.ts";
import { todos } from "./repository.ts";

const titled = (titles: readonly string[]): SqlPart => sql.in(sql\`title\`, titles);

export const findTitled = (titles: readonly string[]): Promise<readonly Todo[]> =>
  todos.collect(database, { where: titled(titles) });

export const countOpen = (titles: readonly string[]): Promise<number> =>
  todos.count(database, sql.join([titled(titles), todos.where({ done: false })], sql\` and \`));
`,
  );
  write(
    "web/handler/todo-form.ts",
    `import { Form } from "limmat/schema";
import type { Request } from "limmat/web";
import * as Todo from "../../app/domain/todo/todo.ts";

export const editForm = async (request: Request<{ readonly id: string }>): Promise<Form | undefined> => {
  const todo = await Todo.find(request.params.id);
  return todo && Form.withErrors(Todo.schema.fill(todo), { title: "This title is taken" });
};
`,
  );
  assert.deepEqual(findings(project), []);

  // The checks see a wrong name, and what these patterns avoid.
  const assertFound = (pattern: RegExp): void => {
    const lines = findings(project).map(({ line }) => line);
    assert.ok(
      lines.some((line) => pattern.test(line)),
      lines.join("\n"),
    );
  };
  edit("web/view/todo-link.ts", ["todos.show", "todos.shown"]);
  assertFound(/^web\/view\/todo-link\.ts.*error TS/);
  edit("web/view/todo-link.ts", ["todos.shown", "todos.show"], ["id: string): Html", "id: string)"]);
  assertFound(/^routes\/routes\.ts.*'router' implicitly has type 'any'/);
  const job = "app/job/report-send.ts";
  write(job, `import { find } from "../domain/todo/todo.ts";\n${read(job)}\nexport { find };\n`);
  edit("app/domain/todo/todo.ts", [
    "import * as",
    'import { reportSend } from "../../job/report-send.ts";\nimport * as',
  ]);
  edit("app/domain/todo/todo.ts", ["export const remindOf", "export const job = reportSend;\nexport const remindOf"]);
  assertFound(/^app\/.*no-cycle/);
});

/** Returns the path of an example: a file that the project has already stays, and the example is put beside it. */
const freePath = ({ folder }: Project, path: string, suffix: string): string =>
  existsSync(join(folder, path)) ? path.replace(/(?=\.\w+$)/, `-${suffix}`) : path;

test("the checks of a new project accept every example of the documents", (context) => {
  const project = newProject("examples");
  const { read, write } = project;
  const examples = documents.flatMap(documentExamples);
  const edits = documents
    .flatMap(documentBlocks)
    .filter(({ language }) => language === "diff")
    .map((block) => ({ block, ...applyEdits(block.code, read) }));
  const modules = new Map<string, ExampleModule>();
  for (const module of exampleModules(examples)) {
    const path = freePath(project, module.path, `example-${modules.size}`);
    modules.set(path, module);
    write(path, codeOf(module) + missingExports(codeOf(module)));
  }
  const edited = new Map<string, string>();
  for (const { block, path, text } of edits) {
    const copy = freePath(project, path, `example-${modules.size + edited.size}`);
    edited.set(copy, `${block.document}:${block.line}`);
    write(copy, text);
  }
  assert.deepEqual(
    findings(project).map(({ path, row, line }) => {
      const module = modules.get(path);
      return `${module === undefined ? (edited.get(path) ?? "") : locate(module, row)} ${line}`;
    }),
    [],
  );
  context.diagnostic(`${examples.length} examples in ${modules.size} files, ${edits.length} edits`);
  assert.ok(examples.length > 150);
});

test("every block of the documents is checked, or is no code of an application", () => {
  const unchecked = documents
    .filter((document) => !foreignPages.test(document))
    .flatMap(documentBlocks)
    .filter(({ language }) => language !== "ts" && !otherLanguages.includes(language))
    .map(({ document, line, language }) => `${document}:${line} ${language}`);
  assert.deepEqual(unchecked, []);
});
