import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { applyEdits } from "../document-examples.ts";
import { install, type PackedFramework, run, shellEnvironment } from "../new-project/package.ts";
import { type RunningServer, serve } from "../new-project/server.ts";
import { freePort } from "../servers/process.ts";
import { root } from "../sources.ts";
import type { Chapter, Step } from "./chapter.ts";
import { checkExcerpt } from "./excerpt.ts";
import { matchOutput, shownOutput } from "./output.ts";
import { readSources, writePatch } from "./patch.ts";
import { type Files, GeneratedLines } from "./share.ts";

/** Output of a command for a chapter. */
interface Correction {
  readonly step: Step;
  readonly text: string;
}

/** Options of a reader. */
export interface ReaderOptions {
  /** True to keep all outputs, instead of failing if one differs. */
  readonly collectsCorrections: boolean;
  /** URLs of empty PostgreSQL databases. Without a server, steps with the mark `postgresql` are left out. */
  readonly postgresql: { readonly app: string; readonly tests: string } | undefined;
}

/** Follows the chapters as a reader does, in an empty folder: runs commands, writes and edits files, compares outputs. */
export class Reader {
  readonly #folder: string;
  readonly #tarball: string;
  readonly #options: ReaderOptions;
  readonly #generated = new GeneratedLines();
  #project: string;
  #output = "";
  #isReplay = false;
  corrections: Correction[] = [];

  constructor({ folder, tarball }: PackedFramework, options: ReaderOptions) {
    this.#folder = join(folder, "tutorial");
    this.#tarball = tarball;
    this.#options = options;
    this.#project = this.#folder;
    mkdirSync(this.#folder);
  }

  /** Follows all steps of a chapter. */
  async follow(chapter: Chapter): Promise<void> {
    for (const step of chapter.steps) await this.#take(step);
  }

  /** Follows the steps of a chapter that change the project. Runs no tests and checks, and compares no output. */
  async replay(chapter: Chapter): Promise<void> {
    this.#isReplay = true;
    await this.follow(chapter);
    this.#isReplay = false;
  }

  /** Starts the server of the project, in development. */
  async serve(): Promise<RunningServer> {
    // Links in mails contain the port, so it is known before the start.
    const environment = { FRAMEWORK_ENV: "development", PORT: String(await freePort()) };
    return serve(["run/run.ts", "server"], this.#project, { ...this.#variables(), ...environment });
  }

  /** Returns the sources of the project, by path. */
  sources(): Files {
    return readSources(this.#project);
  }

  /** Returns the part of the lines of `files` that a new project contains or that generators wrote. */
  generatedShareOf(files: Files): number {
    return this.#generated.shareOf(files);
  }

  async #take(step: Step): Promise<void> {
    if (step.flags.includes("postgresql") && this.#options.postgresql === undefined) return;
    if (this.#isReplay && ["output", "excerpt"].includes(step.kind)) return;
    switch (step.kind) {
      case "commands":
        return this.#runCommands(step);
      case "output":
        return this.#compare(step);
      case "file":
        mkdirSync(dirname(join(this.#project, step.path)), { recursive: true });
        return writeFileSync(join(this.#project, step.path), step.text);
      case "excerpt":
        return checkExcerpt(this.#read(step.path), step.text, step.location);
      case "edit": {
        const { path, text } = applyEdits(`// ${step.path}\n${step.text}`, (file) => this.#read(file));
        return writeFileSync(join(this.#project, path), text);
      }
    }
  }

  #compare(step: Step): void {
    const shown = shownOutput(this.#output, this.#folder);
    const matched = matchOutput(step.text, shown);
    if (this.#options.collectsCorrections) this.corrections.push({ step, text: matched ?? shown });
    else assert.ok(matched !== undefined, `${step.location}: the output is\n${shown}\nnot\n${step.text}`);
  }

  async #runCommands(step: Step): Promise<void> {
    this.#output = "";
    let lines: string[] = [];
    const runLines = async (): Promise<void> => {
      if (lines.length > 0) await this.#runInShell(lines.join("\n"), step);
      lines = [];
    };
    // A shell runs lines together, because later ones use its variables.
    for (let line of step.text
      .replaceAll(/\s*\\\n\s*/g, " ")
      .trim()
      .split("\n")) {
      if (this.#isReplay && /^npm (?:test|run (?:check|dev))$/.test(line)) continue;
      if (line.startsWith("npm create limmat ")) this.#create(line.split(" ").slice(3));
      else if (line.startsWith("cd ")) this.#project = join(this.#project, line.slice(3));
      else if (line === "npm run dev") await this.#develop();
      else if (line.startsWith("docker compose ")) this.#usePostgresql();
      else if (!line.startsWith("npm install")) {
        const [, patch] = /^git apply node_modules\/limmat\/(\S+)$/.exec(line) ?? [];
        if (patch !== undefined && this.#options.collectsCorrections) {
          writePatch(patch, this.sources());
          line = `git apply ${join(root, patch)}`;
        }
        const before = line.includes(" gen.") ? this.sources() : undefined;
        if (before !== undefined) await runLines();
        lines.push(line);
        if (before === undefined) continue;
        await runLines();
        this.#generated.add(before, this.sources());
      }
    }
    await runLines();
  }

  /** Runs `npm create limmat` with the package of this repository. The packages of the project are linked. */
  #create(args: readonly string[]): void {
    const creator = join(this.#folder, ".creator");
    mkdirSync(creator);
    install(creator, this.#tarball);
    cpSync(join(root, "create-limmat"), join(creator, "node_modules/create-limmat"), { recursive: true });
    const program = join(creator, "node_modules/create-limmat/create-limmat.mjs");
    const [name = "", ...options] = args.filter((arg) => arg !== "--");
    const shownArgs = [program, name, ...options, "--no-install", "--no-git"];
    this.#output = run(process.execPath, shownArgs, this.#folder).replace("  npm install\n", "");
    install(join(this.#folder, name), this.#tarball);
    const project = this.#project;
    this.#project = join(this.#folder, name);
    this.#generated.add({}, this.sources());
    this.#project = project;
  }

  /** Starts the development server, waits until the application is ready, and ends it as Ctrl-C does. */
  async #develop(): Promise<void> {
    const child = spawn("npm", ["run", "dev"], {
      cwd: this.#project,
      env: shellEnvironment({ ...this.#variables(), PORT: "0" }),
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const closed = once(child, "close");
    const ready = Promise.withResolvers<void>();
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      if (/Ready in .* on http.*\n/.test(this.#output)) ready.resolve();
    });
    await Promise.race([ready.promise, closed]);
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGINT");
    await closed;
    const [output] = /^[^]*Ready in .*\n/m.exec(this.#output) ?? [];
    assert.ok(output !== undefined, `npm run dev: ${this.#output}`);
    this.#output = output;
  }

  async #runInShell(commands: string, { flags, location }: Step): Promise<void> {
    // The reader has a server in a second terminal.
    await using server = commands.includes("localhost:3000") ? await this.serve() : undefined;
    const text = commands.replaceAll("http://localhost:3000", server?.url ?? "");
    const child = spawn("sh", ["-ec", `exec 2>&1\n${text}`], {
      cwd: this.#project,
      env: shellEnvironment(this.#variables()),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = once(child, "close") as Promise<[code: number]>;
    let output = "";
    for await (const chunk of child.stdout.setEncoding("utf8")) output += chunk;
    const [code] = await closed;
    this.#output += server === undefined ? output : output.replaceAll(server.url, "http://localhost:3000");
    assert.equal(code !== 0, flags.includes("fails"), `${location}: exit code ${code}\n${commands}\n${output}`);
  }

  /** Replaces the databases of `compose.yaml` by those of the tests. */
  #usePostgresql(): void {
    const { app, tests } = this.#options.postgresql ?? { app: "", tests: "" };
    for (const [file, url] of Object.entries({ ".env": app, ".env.test": tests })) {
      const text = this.#read(file).replace(/^DATABASE_URL=.*$/m, `DATABASE_URL=${url}`);
      writeFileSync(join(this.#project, file), text);
    }
  }

  #variables(): Readonly<Record<string, string>> {
    const path = [join(this.#project, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
    // Settings of npm on this machine cause warnings.
    return { PATH: path, npm_config_loglevel: "error", NODE_COMPILE_CACHE: join(this.#folder, ".compiled") };
  }

  #read(path: string): string {
    const file = join(this.#project, path);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }
}
