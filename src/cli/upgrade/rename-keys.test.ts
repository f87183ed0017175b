import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { renameKeys } from "./rename-keys.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-keys-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function rename(path: string, text: string): string {
  writeFileSync(join(folder, path), text);
  const { files } = renameKeys(folder, (name) => (name === path ? text : ""), [
    { kind: "key", name: "SESSION_LIFE", target: "SESSION_LIFETIME" },
  ]);
  return files.get(path) ?? text;
}

test("renames keys of env files, also in comments and with line ends of Windows", () => {
  assert.equal(
    rename(
      ".env",
      "SESSION_LIFE=1h\r\n# SESSION_LIFE=2h\nexport SESSION_LIFE = 3h\nOTHER=SESSION_LIFE\nMY_SESSION_LIFE=1\n",
    ),
    "SESSION_LIFETIME=1h\r\n# SESSION_LIFETIME=2h\nexport SESSION_LIFETIME = 3h\nOTHER=SESSION_LIFE\nMY_SESSION_LIFE=1\n",
  );
});

test("keeps a key whose new name the file has already", () => {
  const text = "SESSION_LIFE=1h\nSESSION_LIFETIME=2h\n";
  assert.equal(rename(".env.test", text), text);
});

test("renames keys and variables of compose.yaml", () => {
  assert.equal(
    rename(
      "compose.yaml",
      'a:\n  SESSION_LIFE: ${SESSION_LIFE:-1h}\n  - SESSION_LIFE=$SESSION_LIFE\n  - "SESSION_LIFE=1h"\n',
    ),
    'a:\n  SESSION_LIFETIME: ${SESSION_LIFETIME:-1h}\n  - SESSION_LIFETIME=$SESSION_LIFETIME\n  - "SESSION_LIFETIME=1h"\n',
  );
});
