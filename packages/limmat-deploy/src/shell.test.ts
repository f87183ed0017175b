import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { quote, scriptInput, scriptReader, sh } from "./shell.ts";

/** Texts that a shell would expand, split or run if they were not quoted. */
const hostileTexts = [
  "$(touch /tmp/limmat-hostile)",
  "`id`",
  "'; exit 3; '",
  '"; exit 3; "',
  "a b\tc\nd",
  "--help",
  "-n",
  "*",
  "~root",
  "${HOME}",
  "\\",
  "\\'",
  "!!",
  "#",
  "é€𝄞",
  "",
];

/** Runs a script as a host does: by a command line that a shell parses, with the script in the standard input. */
const runAsHost = (shell: string, input: string): string =>
  execFileSync(shell, ["-c", scriptReader], { input, encoding: "utf8" });

for (const shell of ["sh", "bash"]) {
  test(`values reach the programs of a script unchanged, through ${shell}`, () => {
    for (const text of hostileTexts) {
      assert.equal(runAsHost(shell, scriptInput(sh`printf '%s' ${text}`)), text);
      assert.equal(
        runAsHost(shell, scriptInput(sh`name=${text}; printf '%s|' "$name" ${[text, text]}`)),
        `${text}|`.repeat(3),
      );
    }
  });
}

test("a script reads what follows it in the standard input", () => {
  const data = "$(id)\n'quoted'\n".repeat(10_000);
  assert.equal(runAsHost("sh", scriptInput(sh`echo first; cat`) + data), `first\n${data}`);
});

test("a script ends at its first failure, with the exit code of it", () => {
  assert.throws(() => runAsHost("sh", scriptInput(sh`(exit 7); echo not reached`)), { status: 7, stdout: "" });
  assert.throws(() => runAsHost("sh", scriptInput(sh`echo "$undefined_variable"`)), { stdout: "" });
});

test("the command line on the host contains no value", () => {
  assert.doesNotMatch(scriptReader, /\$\{|secret/);
  assert.ok(!scriptReader.includes("secret"));
});

test("numbers and scripts are inserted as they are, and NUL is refused", () => {
  assert.equal(sh`tail -n ${10} ${sh`-F ${"a b"}`}`.text, "tail -n 10 -F 'a b'");
  assert.throws(() => quote("a\0b"), TypeError);
});
