// The pages on security name tests as proof. These tests check that the proofs exist.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./sources.ts";

const pages = ["docs/guide/security.md", "docs/reference/asvs.md"];
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Returns a pattern for the title of a test. `…` in it stands for a part that the test computes. */
function patternOf(title: string): RegExp {
  const parts = title.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(parts.join(String.raw`[^\n]*?`));
}

for (const page of pages) {
  test(`each test that ${page} names exists`, () => {
    const proofs = [...read(page).matchAll(/`([^`]+\.ts)`: "([^"]+)"/g)];
    assert.ok(proofs.length > 30);
    const missing = proofs.filter(
      ([, file = "", title = ""]) => !existsSync(join(root, file)) || !patternOf(title).test(read(file)),
    );
    assert.deepEqual(
      missing.map(([proof]) => proof),
      [],
    );
  });
}

// Requirements of levels 1 and 2 per section of OWASP ASVS 5.0: chapter, section, numbers.
const sections = `1.1:1,2 1.2:1,2,3,4,5,6,7,8,9 1.3:1,2,3,4,5,6,7,8,9,10,11 1.4:1,2,3 1.5:1,2 2.1:1,2,3 2.2:1,2,3 2.3:1,2,3,4
2.4:1 3.2:1,2 3.3:1,2,3,4 3.4:1,2,3,4,5,6 3.5:1,2,3,4,5 3.7:1,2 4.1:1,2,3 4.2:1 4.3:1,2 4.4:1,2,3,4 5.1:1
5.2:1,2,3 5.3:1,2 5.4:1,2,3 6.1:1,2,3 6.2:1,2,3,4,5,6,7,8,9,10,11,12 6.3:1,2,3,4 6.4:1,2,3,4 6.5:1,2,3,4,5
6.6:1,2,3 6.8:1,2,3,4 7.1:1,2,3 7.2:1,2,3,4 7.3:1,2 7.4:1,2,3,4,5 7.5:1,2 7.6:1,2 8.1:1,2 8.2:1,2,3 8.3:1
8.4:1 9.1:1,2,3 9.2:1,2,3,4 10.1:1,2 10.2:1,2 10.3:1,2,3,4 10.4:1,2,3,4,5,6,7,8,9,10,11 10.5:1,2,3,4,5
10.6:1,2 10.7:1,2,3 11.1:1,2 11.2:1,2,3 11.3:1,2,3 11.4:1,2,3,4 11.5:1 11.6:1 12.1:1,2,3 12.2:1,2 12.3:1,2,3,4
13.1:1 13.2:1,2,3,4,5 13.3:1,2 13.4:1,2,3,4,5 14.1:1,2 14.2:1,2,3,4 14.3:1,2,3 15.1:1,2,3 15.2:1,2,3
15.3:1,2,3,4,5,6,7 16.1:1 16.2:1,2,3,4,5 16.3:1,2,3,4 16.4:1,2,3 16.5:1,2,3 17.1:1 17.2:1,2,3,4 17.3:1,2`;

test("the page on OWASP ASVS has each requirement of level 2 once, and a proof for each default", () => {
  const required = sections
    .trim()
    .split(/\s+/)
    .flatMap((section) => {
      const [name = "", numbers = ""] = section.split(":");
      return numbers.split(",").map((number) => `${name}.${number}`);
    });
  const rows = [...read("docs/reference/asvs.md").matchAll(/^\| ([\d.–]+) +\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm)];
  const listed = rows.flatMap(([, ids = ""]) => {
    const [first = "", last = first] = ids.split("–");
    return required.slice(required.indexOf(first), required.indexOf(last) + 1);
  });
  assert.deepEqual(listed, required);
  const unproven = rows.filter(
    ([, , , answer = "", , proof = ""]) => answer.trim() === "default" && proof.trim() === "",
  );
  const proofOtherwise = ["1.3.2", "6.2.10", "6.4.2", "7.1.1", "7.6.2", "11.2.1", "11.4.1"];
  assert.deepEqual(
    unproven.map(([, ids]) => ids),
    proofOtherwise,
  );
});
