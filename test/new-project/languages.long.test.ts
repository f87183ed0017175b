// A new project in three languages: its checks and tests pass, and its German and French pages contain no English text.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { bookFields } from "../generators/book-fields.ts";
import { createProject } from "./create-project.ts";
import { npm, packFramework, runLimmat } from "./package.ts";
import { serve } from "./server.ts";

const framework = packFramework();
after(() => framework[Symbol.dispose]());

/** Returns the texts of a catalogue by their place. */
const textsOf = (project: string, language: string): readonly string[] =>
  readFileSync(join(project, `language/${language}.ts`), "utf8").match(/(?<=: |\n +)"(?:[^"\\]|\\.)+"(?=,)/g) ?? [];

test("a new project speaks German and French", async () => {
  const project = createProject(framework, "shop-languages", "sqlite", ["--languages=de,fr"]);
  const app = (...args: readonly string[]): string => runLimmat(project, args);
  app("gen.auth", "--wire");
  app("gen.html", "author", "name:string", "email:string:unique", "--wire");
  app("gen.html", "book", ...bookFields("?"), "--wire");
  app("gen.html", "team", "name:string", "--members", "--wire");
  app(
    "gen.html",
    "issue",
    "title:string",
    "state:oneOf(open,closed)",
    "assignee:user?",
    "--in=team",
    "--members",
    "--wire",
  );
  app("gen.upload", "team", "photo", "--wire");
  app("gen.role", "employee", "packer", "manager", "--wire");
  app("gen.mail", "invoice", "paid:bool", "--wire");
  app("migrate");
  assert.match(app("language.check"), /texts in 3 languages/);
  npm(["run", "check"], project);
  assert.match(npm(["test"], project), /fail 0\n/);

  await using server = await serve(["run/run.ts", "server"], project, {});
  const english = textsOf(project, "en");
  for (const language of ["de", "fr"]) {
    const translated = textsOf(project, language);
    const foreign = english.filter((text, index) => text !== translated[index] && !translated.includes(text));
    for (const path of ["/", "/login", "/authors", "/authors/new", "/books", "/books/new"]) {
      const response = await fetch(server.url + path, { headers: { "accept-language": language } });
      const page = await response.text();
      const shown = page.replaceAll(/<(?:style|script|code)[^]*?<\/(?:style|script|code)>/g, "");
      assert.match(page, new RegExp(`<html lang="${language}" dir="ltr">`));
      const found = foreign.map((text) => JSON.parse(text) as string).filter((text) => shown.includes(`>${text}<`));
      assert.deepEqual([path, found], [path, []]);
    }
  }
});
