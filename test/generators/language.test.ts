import assert from "node:assert/strict";
import { test } from "node:test";
import { testProject } from "./project.ts";

const note = ["gen.html", "sqlite", "note", "title:string:unique", "state:oneOf(open,closed)", "--wire"] as const;

/** Returns the keys of a catalogue with their indentation. */
const keysOf = (text: string): readonly string[] => text.match(/^ +[\w"-]+:/gm) ?? [];

test("all catalogues of a project have the same keys, and gen.undo removes those of its run", async () => {
  using project = testProject();
  assert.equal((await project.run("gen.language", "de", "it", "--wire")).code, 0);
  const before = project.files();
  for (const argv of [note, ["gen.auth", "--wire"], ["gen.mail", "invoice", "paid:bool", "--wire"]]) {
    assert.equal((await project.run(...argv)).code, 0);
    for (const language of ["de", "it"])
      assert.deepEqual(keysOf(project.read(`language/${language}.ts`)), keysOf(project.read("language/en.ts")));
  }
  assert.match(project.read("language/de.ts"), /logIn: "Anmelden",[^]*one: "note",|one: "note",[^]*logIn: "Anmelden",/);
  for (let run = 0; run < 3; run++) assert.equal((await project.run("gen.undo")).code, 0);
  assert.deepEqual(project.files(), before);
});

test("the texts are written without --wire, as the code needs them", async () => {
  using project = testProject();
  await project.run("gen.language", "de", "--wire");
  await project.run(...note.slice(0, -1));
  assert.match(project.read("language/de.ts"), /\n {2}note: \{\n {4}one: "note",/);
  assert.match(project.read("web/view/note.ts"), /texts: text\.note,/);
});

test("a language that limmat does not have begins with the English texts", async () => {
  using project = testProject();
  const { stderr } = await project.run("gen.language", "it", "--wire");
  assert.match(stderr, /limmat has no texts in it/);
  assert.match(project.read("language/it.ts"), /home: "Home"/);
  assert.match(project.read("language/language.ts"), /Language\.make\("en", \{ en, it \}\);/);
});

test("gen.language adds a language to those of a project", async () => {
  using project = testProject();
  await project.run("gen.language", "it", "--wire");
  await project.run("gen.language", "de-CH", "--wire");
  await project.run("gen.language", "fr", "--wire");
  const text = project.read("language/language.ts");
  assert.match(text, /\{ en, it, "de-CH": deCH, fr \}/);
  assert.match(text, /framework: \{ (?=.*de: deFramework)(?=.*fr: frFramework)/);
  assert.match(project.read("language/de-CH.ts"), /export const deCH = \{[^]*home: "Startseite"/);
});

test("gen.language refuses what is no language tag, and says what to do in a layout that it does not know", async () => {
  using project = testProject();
  for (const tag of ["german!", "x", "de_CH"])
    assert.match((await project.run("gen.language", tag)).stderr, /cannot be a language: write tags such as/);
  project.write("web/view/layout.ts", "export const layout = 1;\n");
  const { stdout } = await project.run("gen.language", "de", "--wire");
  assert.match(stdout, /Add to web\/view\/layout\.ts:[^]*Language\.direction\(\)[^]*languageMenu\(request\)/);
});

test("a project without catalogues has literals", async () => {
  using project = testProject();
  await project.run(...note);
  const files = Object.entries(project.files()).filter(([path]) => path.endsWith(".ts"));
  assert.deepEqual(
    files.filter(([, text]) => text.includes("language/language.ts")),
    [],
  );
  assert.match(project.read("web/view/note.ts"), /texts: \{ one: "note", many: "notes" \},/);
});
