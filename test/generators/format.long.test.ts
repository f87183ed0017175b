// Generated code has the layout of the formatter for names of any length.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { join } from "node:path";
import { testProject } from "./project.ts";

const oxfmt = join(import.meta.dirname, "../../node_modules/oxfmt/bin/oxfmt");

// Keywords of TypeScript, reserved words of SQL, and members of every JavaScript object.
const words = "class constructor default from group key number order public select type user value".split(" ");

const types = ["string", "text", "int", "float", "decimal", "bool", "date", "datetime", "uuid", "json"] as const;

/** Returns a name of `length` characters. */
const nameOf = (letter: string, length: number): string =>
  `${letter.repeat(5)}_`.repeat(length).slice(0, length - 1) + letter;

test("all generated files are formatted", async () => {
  using project = testProject();
  const run = async (...argv: string[]): Promise<void> => {
    const { code, stderr } = await project.run(...argv);
    assert.equal(code, 0, `${argv.join(" ")}: ${stderr}`);
  };
  await run("gen.auth", "--wire");
  for (const length of [1, 12, 20, 25, 30]) {
    const model = nameOf("m", length);
    const field = (letter: string, type: string): string => `${nameOf(letter, length)}:${type}`;
    await run("gen.html", "sqlite", model, field("a", "string"), field("b", "bool"), "--wire");
    await run("gen.json", "sqlite", nameOf("j", length), field("a", "int:unique"), "--wire");
    const choices = Array.from({ length }, (_, index) => `word${index}`);
    const allFields = types.flatMap((type, index) => [
      field("abcdefghij".charAt(index), type),
      ...(type === "bool" ? [] : [field("klmnopqrst".charAt(index), `${type}?`)]),
    ]);
    // The names of their indexes would be longer than 63 characters, the maximum of PostgreSQL.
    const references = length > 25 ? [] : [field("u", model), field("v", `${model}?`), field("z", `many(${model})`)];
    const users = length > 25 ? [] : [field("y", "user?"), field("p", "many(user)")];
    const enums = [field("w", `oneOf(a,b,${choices.join(",")})`), field("x", "oneOf(a,b)?")];
    await run("gen.html", "sqlite", nameOf("h", length), ...allFields, ...references, ...users, ...enums, "--wire");
    const nested = [field("a", "string:unique"), field("b", "int?:unique"), ...references, ...users];
    await run("gen.html", "sqlite", nameOf("n", length), ...nested, "--in", model, "--wire");
    await run(
      "gen.json",
      "sqlite",
      nameOf("l", length),
      field("a", "bool"),
      field("b", "string:unique"),
      "--in",
      model,
      "--wire",
    );
    const owned = [field("a", "string:unique"), field("b", "user?")].slice(0, length > 25 ? 1 : 2);
    await run("gen.html", "sqlite", nameOf("p", length), ...owned, "--owner", "--wire");
    await run("gen.html", "sqlite", nameOf("q", length), ...owned, "--members", "--wire");
    await run("gen.html", "sqlite", nameOf("r", length), ...owned, "--owner", "--members", "--wire");
    // A form below an owner has no users to offer.
    const [title = ""] = owned;
    await run("gen.html", "sqlite", nameOf("y", length), title, "--in", nameOf("p", length), "--members", "--wire");
    const tag = nameOf("t", length);
    const inMembers = ["--in", nameOf("q", length), "--members", "--wire"] as const;
    await run("gen.html", "sqlite", tag, field("a", "string:unique"), ...inMembers);
    const siblings = length > 20 ? [] : [field("c", tag), field("d", `${tag}?`), field("e", `many(${tag})`)];
    const people = length > 20 ? [] : [field("f", "user"), field("g", "many(user)")];
    await run("gen.html", "sqlite", nameOf("v", length), ...owned, ...siblings, ...people, "--owner", ...inMembers);
    await run("gen.html", "sqlite", nameOf("x", length), ...owned, "--in", model, "--owner", "--wire");
    for (const owner of [nameOf("p", length), nameOf("x", length), model]) {
      await run("gen.upload", owner, nameOf("z", length), "--wire");
      await run("gen.upload", owner, nameOf("w", length), "--wire");
    }
    await run("gen.role", nameOf("o", length), "a", nameOf("b", length), "--wire");
    await run("gen.admin", model, nameOf("h", length), nameOf("n", length), nameOf("o", length), "--wire");
    await run("gen.migration", nameOf("y", length), nameOf("t", length), field("a", "int"), "--wire");
    await run("gen.migration", nameOf("z", length), "things", field("a", "int"), field("b", "json?"), "--wire");
    await run("gen.migration", nameOf("w", length), "things", field("a", "string:index"), "--wire");
    const removed = `${nameOf("r", Math.min(length, 17))}x${length}`;
    await run("gen.migration", `remove_${removed}_from_things`, field("a", "int"), field("b", "text?"));
    await run("gen.migration", `remove_${removed}y_from_things`, field("a", "int"), field("b", "date"));
    await run("gen.migration", `drop_${nameOf("d", length)}`);
    await run("gen.migration", `create_${nameOf("k", length)}`, field("a", "string:unique"));
    await run("gen.migration", `${nameOf("e", length)}_of_all`);
    await run("gen.migration", `${nameOf("f", length)}_of_all`, "things");
    await run("gen.command", `${nameOf("c", length)}.send`, "--wire");
    await run("gen.schedule", `${nameOf("g", length)}.send`, "--wire");
    await run("gen.job", `${nameOf("j", length)}.send`, "--wire");
    await run("gen.job", `${nameOf("o", length)}.send`, ...allFields, ...enums, "--wire");
    await run("gen.mail", nameOf("i", length), "--wire");
    await run("gen.mail", nameOf("u", length), ...allFields, ...enums, "--wire");
    await run("gen.middleware", nameOf("w", length), "--wire");
    await run("gen.webhook", nameOf("h", length), "--wire");
    await run("gen.service", nameOf("s", length), "--wire");
  }
  assert.equal(unformatted(project.root), "");
});

test("every word is a good field name, and its files are formatted", async () => {
  using project = testProject();
  for (const word of words) {
    const fields = [
      `${word}:string:unique`,
      ...words.filter((other) => other !== word).map((other) => `${other}:int?:index`),
    ];
    assert.equal((await project.run("gen.html", "sqlite", `${word}_page`, ...fields, "--wire")).code, 0, word);
    assert.equal((await project.run("gen.json", "sqlite", `${word}_page`, ...fields, "--no-model")).code, 0, word);
    for (const change of ["add", "remove"] as const) {
      const migration = `${change}_${word}_${change === "add" ? "to" : "from"}_things`;
      assert.equal((await project.run("gen.migration", migration, `${word}:int?`, "--wire")).code, 0, word);
    }
  }
  assert.equal(unformatted(project.root), "");
});

test("the files of gen.auth are formatted, with models before and after it", async () => {
  for (const [before, after] of [
    [[], []],
    [[], ["a", nameOf("b", 12)]],
    [["a"], ["b"]],
    [[nameOf("a", 12), "b"], ["c"]],
  ] as const) {
    using project = testProject();
    for (const model of before) await project.run("gen.html", "sqlite", model, "title:string", "--wire");
    assert.equal((await project.run("gen.auth", "--wire")).code, 0);
    for (const model of after) await project.run("gen.html", "sqlite", model, "title:string", "--wire");
    assert.equal(unformatted(project.root), "", project.read("routes/routes.ts"));
  }
});

/** Returns the files that the formatter would change. */
function unformatted(cwd: string): string {
  try {
    return execFileSync(process.execPath, [oxfmt, "--list-different"], { cwd, encoding: "utf8" });
  } catch (error) {
    return String((error as { readonly stdout: unknown }).stdout);
  }
}
