import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packaged, published, root } from "./sources.ts";

const files = [...published(), ...packaged()].filter(({ path }) => !path.includes("/texts/"));

/** Returns the codes of all catalogues, each with the file that defines it. */
async function defined(): Promise<(readonly [code: string, path: string])[]> {
  const catalogues = files.filter(({ path }) => path.endsWith("/errors.ts"));
  const lists = await Promise.all(
    catalogues.map(async ({ path }) => {
      const { errors } = (await import(join(root, path))) as { readonly errors: object };
      return Object.keys(errors).map((code) => [code, path] as const);
    }),
  );
  return lists.flat();
}

test("every error code is defined once and well formed", async () => {
  const seen = new Map<string, string>();
  for (const [code, path] of await defined()) {
    assert.equal(seen.get(code), undefined, `${code} is defined in ${seen.get(code)} and in ${path}`);
    assert.match(code, /^E_[A-Z]+(?:_[A-Z]+)*$/);
    seen.set(code, path);
  }
});

/** Returns the rows of the tables of the reference: code, status if any, meaning, and what to do. */
function documented(): { code: string; status: string; meaning: string; action: string }[] {
  const reference = readFileSync(join(root, "docs/reference/errors.md"), "utf8");
  return [...reference.matchAll(/^\| `(E_\w+)`(?: (\d+))? +\|(.*)\|$/gm)].map(
    ([, code = "", status = "", cells = ""]) => {
      const [meaning = "", action = ""] = cells.split(/(?<!\\)\|/).map((cell) => cell.trim());
      return { code, status, meaning, action };
    },
  );
}

test("the reference documents exactly the defined error codes", async () => {
  const documentedCodes = documented().map(({ code }) => code);
  const codes = (await defined()).map(([code]) => code);
  assert.deepEqual(
    {
      missing: codes.filter((code) => !documentedCodes.includes(code)),
      stale: documentedCodes.filter((code) => !codes.includes(code)),
    },
    { missing: [], stale: [] },
  );
  assert.equal(new Set(documentedCodes).size, documentedCodes.length, "an entry is duplicated");
});

test("the reference has the status, a meaning and an advice for each error code", () => {
  const statuses = new Map(
    files
      .filter(({ path }) => path.endsWith("/errors.ts"))
      .flatMap(({ text }) => [...text.matchAll(/^ {2}(E_\w+):(?: \{\s*status: (\d+))?/gm)])
      .map(([, code = "", status = ""]) => [code, status]),
  );
  const wrong = documented().filter(
    ({ code, status, meaning, action }) => status !== statuses.get(code) || meaning === "" || action === "",
  );
  assert.deepEqual(wrong, []);
});

test("every error code that a source mentions is defined", async () => {
  const codes = new Set((await defined()).map(([code]) => code));
  // The examples in the documentation of the catalogue use undefined codes.
  const users = files.filter(({ path }) => path !== "src/core/limmat-error.ts");
  const unknown = users.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:@throws[^]*?|"|errors\.)\b(E_[A-Z]+(?:_[A-Z]+)*)\b/g)]
      .map(([, code = ""]) => code)
      .filter((code) => !codes.has(code))
      .map((code) => `${path}: ${code}`),
  );
  assert.deepEqual(unknown, []);
});
