import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import { App } from "../../app/index.ts";
import { Command } from "../../core/index.ts";
import { runCommand } from "../../testing/index.ts";

const command = (name: string, usage: string, description = "Does it"): Command.Command =>
  Command.make({ name, usage, description, run: () => Command.done });
const app = App.create({
  services: [],
  commands: [
    command("migrate", "[--dry-run] [--json] | status [--json] | down [<count>] [--force]"),
    command("todo.add", "<title>", "It's $HOME: `adds` a \\ to-do"),
    command("todo:list", ""),
  ],
});
const script = async (...args: string[]): Promise<string> => (await runCommand(app, "completion", ...args)).stdout;

const hasShell = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;
const skipReason = (shell: string): string | false => (hasShell(shell) ? false : `${shell} is not installed`);

test("completes commands, usage words and words with colons in bash", { skip: skipReason("bash") }, async () => {
  const source = await script("bash", "shop");
  const complete = (line: string): string[] => {
    const ask = `${source}\nCOMP_LINE='${line}' COMP_POINT=${line.length}\n_limmat_shop\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["--norc", "-c", ask], { encoding: "utf8" }).split("\n").filter(Boolean);
  };
  assert.deepEqual(complete("shop mig"), ["migrate"]);
  assert.deepEqual(complete("shop todo."), ["todo.add"]);
  assert.deepEqual(complete("shop todo:l"), ["list"]);
  assert.ok(complete("shop ").includes("completion"));
  assert.deepEqual(complete("shop migrate "), ["status", "down", "--dry-run", "--json", "--force", "--help"]);
  assert.deepEqual(complete("shop migrate --d"), ["--dry-run"]);
  assert.deepEqual(complete("shop completion "), ["bash", "zsh", "fish", "--help"]);
  assert.deepEqual(complete("shop help todo.a"), ["todo.add"]);
  assert.deepEqual(complete("shop unknown "), []);
});

test("escapes command descriptions in zsh and fish", async () => {
  const zsh = await script("zsh", "shop");
  assert.match(zsh, /^compdef _limmat_shop shop$/m);
  assert.ok(zsh.includes(String.raw`'todo.add:It'\''s $HOME: ${"`adds`"} a \ to-do'`));
  assert.ok(zsh.includes(String.raw`'todo\:list:Does it'`));
  assert.match(zsh, /^ +migrate\) compadd -- status down --dry-run/m);
  const fish = await script("fish", "shop");
  assert.ok(fish.includes(String.raw`-a todo.add -d 'It\'s $HOME: ${"`adds`"} a \\ to-do'`));
  assert.match(fish, /__fish_seen_subcommand_from migrate' -a 'status down --dry-run/);
});

test("prints a script that fish can parse", { skip: skipReason("fish") }, async () => {
  assert.equal(spawnSync("fish", ["--no-execute"], { input: await script("fish") }).status, 0);
});

test("shows the usage for an unknown shell or an invalid name", async () => {
  for (const args of [[], ["sh"], ["bash", "rm -rf"], ["bash", "$(x)"], ["bash", "a", "b"]]) {
    assert.equal((await runCommand(app, "completion", ...args)).code, 2, args.join(" "));
  }
});
