import assert from "node:assert/strict";
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { App, Language } from "limmat";
import { messageFormat } from "limmat/messageformat";
import { type CommandResult, runCommand } from "limmat/testing";

const en = {
  "not-a-name": "Dashes",
  cart: { title: "Cart", count: ".input {$n :number} .match $n one {{{$n} piece}} * {{{$n} pieces}}" },
  greeting: "Hello {$name}",
} as const satisfies Language.Catalogue;
const de = {
  "not-a-name": "Striche",
  cart: { title: "Wagen", count: "{$n :number} Stück" },
  greeting: "Grüezi {$name}",
} as const satisfies Language.Translation<typeof en>;

/** Project in a temporary folder. */
interface Project extends Disposable {
  readonly root: string;
  readonly run: (...argv: string[]) => Promise<CommandResult>;
}

function project(catalogues: Readonly<Record<string, object>>): Project {
  const folder = mkdtempDisposableSync(join(tmpdir(), "limmat-language-"));
  const root = folder.path;
  mkdirSync(join(root, "web"));
  writeFileSync(
    join(root, "web/page.ts"),
    'text.cart.title; const { cart } = text; cart.count({ n: 1 }); text["not-a-name"];',
  );
  const language = Language.make("en", { en, ...catalogues } as never, { format: messageFormat });
  const app = App.create({ root, services: [language] });
  return { root, run: (...argv) => runCommand(app, ...argv), [Symbol.dispose]: () => folder.remove() };
}

test("language.check accepts complete texts, and notes what is not used or not translated", async () => {
  using app = project({ de: { ...de, cart: { ...de.cart, title: "Cart" } } });
  const { code, stdout, stderr } = await app.run("language.check");
  assert.deepEqual([code, stdout], [0, "4 texts in 2 languages."]);
  assert.match(stderr, /de: cart\.title is the same as in en\./);
  assert.match(stderr, /^greeting seems to be unused\.$/m);
  assert.equal(stderr.match(/unused/g)?.length, 1);
});

test("language.check fails for texts that are missing, unknown, malformed, or have other placeholders", async () => {
  using app = project({
    de: { cart: { title: "{$x}", count: "{$n :nope", more: "x" }, greeting: "Grüezi", "not-a-name": "{$" },
    fr: {},
  });
  const { code, stdout, stderr } = await app.run("language.check");
  assert.equal(code, 1);
  for (const line of [
    "de: cart.title has the unknown placeholder $x.",
    "de: cart.more is unknown.",
    "de: greeting lacks the placeholder $name.",
    "fr: cart.title is missing.",
  ]) {
    assert.ok(stdout.split("\n").includes(line), line);
  }
  assert.match(stdout, /^de: The text cart\.count is no message of MessageFormat 2/m);
  assert.match(stdout, /^de: The text not-a-name has "\{"/m);
  assert.match(stderr, /9 texts have problems/);
});

test("what language.export prints, language.import writes, with the changes of a translator", async () => {
  using app = project({ de });
  const { stdout } = await app.run("language.export", "de");
  const exported = JSON.parse(stdout) as Record<string, { base: string; text: string }>;
  assert.deepEqual(exported["cart.title"], { base: "Cart", text: "Wagen" });
  const file = join(app.root, "de.json");
  const importWith = (changes: object): Promise<CommandResult> => {
    writeFileSync(file, JSON.stringify({ ...exported, ...changes }));
    return app.run("language.import", "de", file);
  };
  assert.equal((await importWith({ "cart.title": { text: 'Waren"korb' } })).code, 0);
  const written = readFileSync(join(app.root, "language/de.ts"), "utf8");
  assert.equal(
    written,
    `import type { Language } from "limmat";
import type { en } from "./en.ts";

export const de = {
  "not-a-name": "Striche",
  cart: {
    title: "Waren\\"korb",
    count: "{$n :number} Stück",
  },
  greeting: "Grüezi {$name}",
} as const satisfies Language.Translation<typeof en>;
`,
  );
  for (const [changes, message] of [
    [{ greeting: { text: "Grüezi {$nam}" } }, /greeting has the unknown placeholder \$nam/],
    [{ greeting: { text: "" } }, /greeting is not translated/],
    [{ more: { text: "x" } }, /more is unknown/],
    [{ greeting: { text: "Grüezi {$name" } }, /The text greeting has/],
  ] as const) {
    const { code, stdout: problems } = await importWith(changes);
    assert.deepEqual([code, message.test(problems)], [1, true], problems);
  }
  assert.equal(readFileSync(join(app.root, "language/de.ts"), "utf8"), written);
  assert.equal((await app.run("language.import", "de")).code, 2);
  assert.equal((await app.run("language.import", "../de", file)).code, 2);
});

test("a new language is exported empty, and written under a name of TypeScript", async () => {
  using app = project({ de });
  const { stdout } = await app.run("language.export", "pt-BR");
  const exported = JSON.parse(stdout) as Record<string, { base: string; text: string }>;
  assert.deepEqual(exported["greeting"], { base: "Hello {$name}", text: "" });
  const translated = Object.fromEntries(Object.entries(exported).map(([path, { base }]) => [path, { text: base }]));
  const file = join(app.root, "pt.json");
  writeFileSync(file, JSON.stringify(translated));
  const { code, stderr } = await app.run("language.import", "pt-BR", file);
  assert.deepEqual([code, /Add ptBR to Language\.make/.test(stderr)], [0, true]);
  assert.match(readFileSync(join(app.root, "language/pt-BR.ts"), "utf8"), /export const ptBR = \{/);
});
