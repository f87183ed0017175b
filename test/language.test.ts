// Standard terms (CONTRIBUTING.md), and doc comments that begin with a noun phrase or a verb.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { coinedNames } from "./coined-names.ts";
import { packaged, published, root, type Source, sources } from "./sources.ts";

const files = [...published(), ...packaged()];

/** Returns the doc comments of a file without their markers. */
const docComments = (text: string): string[] =>
  [...text.matchAll(/\/\*\*([^]*?)\*\//g)].map(([, body = ""]) =>
    body
      .replaceAll(/^\s*\* ?/gm, "")
      .trim()
      .replace(/^@internal\s*/, ""),
  );

const riddle = /^(?:What|How|Whether|Where|Who|Whom|Whose|Why|All that|Such|Those|That which)\b/;

test("at most 1 % of the doc comments begin with What, How, Whether, Where, Who or All that, in tests and tools too", () => {
  const all = [...files, ...sources("test/**/*.ts"), ...sources("tools/**/*.ts")];
  const comments = all.flatMap(({ path, text }) => docComments(text).map((comment) => ({ path, comment })));
  const riddles = comments.filter(({ comment }) => riddle.test(comment));
  const list = riddles.map(({ path, comment }) => `${path}: ${comment.split("\n", 1)[0]}`).join("\n");
  assert.ok(riddles.length <= comments.length / 100, `${riddles.length} of ${comments.length}:\n${list}`);
});

test('texts say "instead of" and "permanently", not their idioms', () => {
  const pattern = "in[ ]place[ ]of|for[ ]good([.,;:)]|$)";
  const args = ["grep", "--ignore-case", "--line-number", "-I", "--extended-regexp", pattern];
  assert.equal(spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout, "");
});

const isIn = ({ path }: Source, module: string): boolean =>
  module === "everywhere" || path.startsWith(`src/${module}/`) || path.startsWith(`src/services/${module}/`);

/** Names that a file declares: variables, functions, types, parameters and properties, without strings and comments. */
function declaredNames(text: string): Set<string> {
  const code = text.replaceAll(
    /\/\*[^]*?\*\/|\/\/.*$|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/gm,
    (token) => (token.startsWith("`") ? token.replaceAll(/[^$\w{}.()]+/g, " ") : " "),
  );
  const declarations = [
    /\b(?:const|let|function\*?|class|interface|type)\s+([A-Za-z_$][\w$]*)/g,
    /(?:^|[{(,;|&]|\breadonly\b|\bstatic\b|\basync\b|\bget\b|\bset\b)\s*#?([A-Za-z_$][\w$]*)\??\s*(?::(?!:)|=(?![=>])|\()/gm,
    /#([A-Za-z_$][\w$]*)/g,
  ];
  return new Set(declarations.flatMap((pattern) => [...code.matchAll(pattern)].map(([, name = ""]) => name)));
}

test("no coined name is declared", () => {
  const rows = Object.entries(coinedNames).map(([module, names]) => [module, names.trim().split(/\s+/)] as const);
  assert.ok(rows.flatMap(([, names]) => names).length > 600);
  const found = files.flatMap((file) => {
    const names = declaredNames(file.text);
    return rows
      .filter(([module]) => isIn(file, module))
      .flatMap(([, coined]) => coined.filter((word) => names.has(word)))
      .map((word) => `${file.path}: ${word}`);
  });
  assert.deepEqual(found, []);
});

test("at most 10 top-level names stand in four files or more", () => {
  const places = new Map<string, number>();
  for (const { text } of files) {
    const names = [
      ...text.matchAll(/^(?:export )?(?:async )?(?:const|let|function\*?|class|interface|type) ([\w$]+)/gm),
    ];
    for (const name of new Set(names.map((match) => match[1] ?? ""))) places.set(name, (places.get(name) ?? 0) + 1);
  }
  const common = [...places].filter(([, count]) => count >= 4).map(([name, count]) => `${name} ${count}`);
  assert.ok(common.length <= 10, common.join(", "));
});
