// A new project in three languages: its checks and tests pass, and its German and French visitors read no English text.
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { bookFields } from "../generators/book-fields.ts";
import { createProject } from "./create-project.ts";
import { npm, packFramework, runLimmat } from "./package.ts";

const framework = packFramework();
after(() => framework[Symbol.dispose]());

/** Replaces a text of a file of a project. */
function replace(
  project: string,
  path: string,
  ...replacements: readonly (readonly [text: string, by: string])[]
): void {
  const file = join(project, path);
  const edited = replacements.reduce(
    (code, [text, by]) => {
      assert.ok(code.includes(text), `${path}: ${text}`);
      return code.replace(text, by);
    },
    readFileSync(file, "utf8"),
  );
  writeFileSync(file, edited);
}

test("a new project speaks German and French", () => {
  const project = createProject(framework, "shop-languages", "sqlite", ["--languages=de,fr"]);
  const app = (...args: readonly string[]): string => runLimmat(project, args);
  app("gen.auth", "--wire");
  app("gen.html", "author", "name:string", "email:string:unique", "--wire");
  app("gen.json", "author", "name:string", "email:string:unique", "--wire", "--no-model");
  app("gen.html", "book", ...bookFields("?"), "--wire");
  app("gen.html", "team", "name:string", "--members", "--wire");
  app(
    "gen.html",
    "issue",
    "title:string",
    "state:oneOf(open,closed)",
    "assignee:user?",
    "labels:many(author)",
    "--in=team",
    "--members",
    "--wire",
  );
  app("gen.html", "diary", "text:text", "--owner", "--wire");
  app("gen.upload", "team", "photo", "--wire");
  app("gen.upload", "book", "cover", "--wire");
  app("gen.role", "employee", "packer", "manager", "--wire");
  app("gen.admin", "team", "book", "author", "issue", "diary", "employee", "--wire");
  app("gen.mail", "invoice", "paid:bool", "--wire");
  app("migrate");
  assert.match(app("language.check"), /texts in 3 languages/);
  npm(["run", "check"], project);
  assert.match(npm(["test"], project), /fail 0\n/);

  // The tests in the folder "in-project" need a page for employees, and a language whose texts have letters of their own.
  app("gen.language", "ja", "--wire");
  replace(
    project,
    "language/language.ts",
    ["{ ja }", "{ fullWidth, ja }"],
    ["framework: {", "framework: { ja: fullWidth(deFramework),"],
  );
  const staff = 'Web.choose([Web.get("/staff", welcome)], { middlewares: [requireEmployee("manager")] })';
  replace(
    project,
    "routes/routes.ts",
    ["", 'import { requireEmployee } from "../web/middleware/require-employee.ts";\n'],
    ['Web.get("/", welcome),', `Web.get("/", welcome), ${staff},`],
  );
  for (const [source, target] of [
    ["pseudo-language.ts", "language/ja.ts"],
    ["shown-texts.ts", "test/shown-texts.ts"],
    ["visits.ts", "test/visits.ts"],
    ["languages.ts", "test/languages.test.ts"],
  ] as const) {
    copyFileSync(join(import.meta.dirname, "in-project", source), join(project, target));
  }
  npm(["run", "format"], project);
  npm(["run", "check"], project);
  assert.match(npm(["test"], project), /fail 0\n/);
});
