import { LogInternals } from "./index.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, suite, test } from "node:test";
import { anything, assert as assertProperty, dictionary, property, string } from "fast-check";
import { ConfigurationInternals } from "../config/index.ts";
import { TimeInternals } from "../time/index.ts";
import { Log } from "./index.ts";
import { rounds } from "../../test/rounds.ts";
import { anyCharacter } from "../../test/any-character.ts";

const entryPoint = new URL("index.ts", import.meta.url).href;

/** Runs a program that logs, in a child process. */
function run(code: string, folder: string, env: Record<string, string> = {}) {
  const script = `import { Log } from ${JSON.stringify(entryPoint)}; const log = Log.source("limmat.test"); ${code}`;
  return spawnSync(process.execPath, ["--conditions=@limmat/source", "--input-type=module", "-e", script], {
    encoding: "utf8",
    cwd: folder,
    env: { PATH: process.env["PATH"], ...env },
  });
}

function lines(path: string): Record<string, unknown>[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

suite("the log", () => {
  const log = Log.source("limmat.test");
  let entries: Log.Entry[];
  let folder: string;
  const collect: Log.Reporter = { report: (entry) => void entries.push(entry) };

  beforeEach(() => {
    entries = [];
    folder = mkdtempSync(join(tmpdir(), "limmat-"));
    Log.configure({ level: "debug", reporters: [collect] });
  });
  afterEach(() => {
    LogInternals.reset();
    ConfigurationInternals.reset();
    rmSync(folder, { recursive: true, force: true });
  });

  test("passes time, level, source, message and fields to reporters", () => {
    const restore = TimeInternals.useClock(TimeInternals.fakeClock(new Date(1000)));
    log.warning("Slow", { ms: 12 });
    restore();
    assert.deepEqual(entries, [
      { time: 1000, level: "warning", source: "limmat.test", message: "Slow", fields: { ms: 12 }, error: undefined },
    ]);
  });

  for (const [index, level] of LogInternals.levels.entries()) {
    test(`logs events that are at least as serious as ${level}`, () => {
      Log.configure({ level, reporters: [collect] });
      for (const eventLevel of LogInternals.levels) log[eventLevel](eventLevel);
      assert.deepEqual(
        entries.map(({ message }) => message),
        LogInternals.levels.slice(0, index + 1),
      );
      for (const eventLevel of LogInternals.levels)
        assert.equal(LogInternals.isEnabled(eventLevel), LogInternals.levels.indexOf(eventLevel) <= index);
    });
  }

  test("takes its level from LOG_LEVEL in an env file, and the folder from LOGS_DIR", () => {
    writeFileSync(join(folder, ".env"), "LOG_LEVEL=debug\nLOGS_DIR=a/b\n");
    const { stdout } = run(`log.debug("hello")`, folder);
    assert.match(stdout, /"level":"debug".*"message":"hello"/);
    assert.equal(lines(join(folder, "a", "b", "app.log"))[0]?.["message"], "hello");
  });

  test("uses the defaults when the configuration is invalid", () => {
    const { stdout, status } = run(`log.info("hello"); log.debug("no")`, folder, { LOG_LEVEL: "loud" });
    assert.match(stdout, /"message":"hello"/);
    assert.doesNotMatch(stdout, /"no"/);
    assert.equal(status, 0);
  });

  suite("the context of a request", () => {
    test("adds its fields to its own events only, across awaits", async () => {
      const handle = (id: string): Promise<void> =>
        Log.withFields({ request_id: id }, async () => {
          await new Promise((resolve) => setImmediate(resolve));
          Log.withFields({ user: "u" }, () => log.info(id, { ms: 1 }));
          log.info(id);
        });
      await Promise.all([handle("a"), handle("b")]);
      log.info("outside");
      const expected = (id: string): object[] => [{ request_id: id, user: "u", ms: 1 }, { request_id: id }];
      assert.deepEqual(
        entries.map(({ fields }) => fields),
        [...expected("a"), ...expected("b"), {}],
      );
    });
  });

  suite("errors", () => {
    test("are logged with name, message, code, stack and causes, and passed unchanged to reporters", () => {
      const inner = new RangeError("inner");
      const error = Object.assign(new Error("outer", { cause: inner }), { code: "E_TEST" });
      log.error("It failed", { error });
      const logged = entries[0]?.fields["error"] as Record<string, Record<string, unknown>>;
      assert.equal(logged["message"], "outer");
      assert.equal(logged["code"], "E_TEST");
      assert.match(logged["stack"] as unknown as string, /log\.test\.ts/);
      assert.equal(logged["cause"]?.["name"], "RangeError");
      assert.equal(logged["cause"]?.["message"], "inner");
      assert.equal(entries[0]?.error, error);
    });

    test("of an AggregateError are all logged", () => {
      log.error("They failed", { error: new AggregateError([new Error("a"), "b"], "both") });
      const logged = entries[0]?.fields["error"] as { errors: [{ message: string }, string] };
      assert.equal(logged.errors[0].message, "a");
      assert.equal(logged.errors[1], "b");
    });
  });

  suite("secrets", () => {
    test("are redacted by field name, in any spelling and at any depth", () => {
      const names = [
        "password",
        "newPassword",
        "client_secret",
        "access-token",
        "Authorization",
        "Set-Cookie",
        "api_key",
      ];
      for (const name of names) {
        log.info("x", { outer: [{ [name]: "canary" }], headers: new Map([[name, "canary"]]), [name]: ["canary"] });
      }
      assert.ok(!JSON.stringify(entries).includes("canary"));
      assert.equal(entries[0]?.fields["password"], "[redacted]");
    });

    test("can have additional names", () => {
      Log.configure({ level: "info", reporters: [collect], redact: ["iban"] });
      log.info("x", { IBAN: "canary", password: "canary", name: "kept" });
      assert.deepEqual(entries[0]?.fields, { IBAN: "[redacted]", password: "[redacted]", name: "kept" });
    });

    test("are redacted in URLs, also in messages and errors", () => {
      const url = "postgres://user:canary@host/db?sslmode=require";
      const code = `log.error("cannot reach ${url}", { url: "${url}", error: new Error("${url}") })`;
      const { stderr } = run(code, folder);
      assert.ok(!stderr.includes("canary"));
      assert.match(stderr, /postgres:\/\/user:\[redacted\]@host\/db/);
    });
  });

  suite("fields", () => {
    test("of any value are serialized, and the log never throws", () => {
      const circle: Record<string, unknown> = {};
      circle["self"] = circle;
      const trap = {
        get broken(): never {
          throw new Error("trap");
        },
      };
      log.info("x", {
        circle,
        trap,
        big: 10n,
        symbol: Symbol("s"),
        nan: Number.NaN,
        call: () => {},
        date: new Date(0),
        invalid: new Date(Number.NaN),
        bytes: Buffer.alloc(3),
        set: new Set([1]),
        nothing: null,
        long: "x".repeat(100_000),
        many: Array.from({ length: 1000 }, () => 0),
      });
      const fields = entries[0]?.fields ?? {};
      assert.deepEqual(
        [fields["big"], fields["symbol"], fields["nan"], fields["date"], fields["bytes"], fields["set"]],
        ["10", "Symbol(s)", "NaN", "1970-01-01T00:00:00.000Z", "[3 bytes]", [1]],
      );
      assert.deepEqual(fields["trap"], { broken: "[unreadable]" });
      assert.ok(JSON.stringify(fields).length < 20_000);
    });

    test("cannot overwrite the event's own properties or set a prototype", () => {
      log.info("true", JSON.parse('{"message":"forged","level":"error","__proto__":{"a":1}}') as Log.Fields);
      assert.equal(entries[0]?.message, "true");
      assert.deepEqual(Object.entries(entries[0]?.fields ?? {}), [
        ["message_", "forged"],
        ["level_", "error"],
        ["__proto___", { a: 1 }],
      ]);
    });
  });

  suite("a line", () => {
    test("stays valid JSON when fields contain URLs and e-mail addresses", () => {
      Log.configure({ level: "info", reporters: [Log.Reporters.file(folder)] });
      const fields = { url: "http://host", mail: "user@host", again: "ws://a:b", at: "@" };
      log.error("sent", fields);
      const { url, mail, again, at } = lines(join(folder, "error.log"))[0] ?? {};
      assert.deepEqual({ url, mail, again, at }, fields);
    });

    const evil = "a\nb\rc\u2028d\u0085e\u001b[31mf\u0000g\u202eh\tI";

    test("is one line of JSON that parses to the logged event", () => {
      Log.configure({ level: "info", reporters: [Log.Reporters.file(folder)] });
      Log.withFields({ [evil]: evil }, () => log.error(evil, { error: new Error(evil) }));
      const text = readFileSync(join(folder, "error.log"), "utf8");
      assert.match(text, /^[ -~]+\n$/);
      const event = JSON.parse(text) as Record<string, unknown>;
      assert.equal(event["message"], evil);
      assert.equal(event[evil], evil);
    });

    test("is written once for each event with arbitrary fields", () => {
      Log.configure({ level: "info", reporters: [Log.Reporters.file(folder)] });
      let count = 0;
      assertProperty(
        property(
          string({ unit: anyCharacter }),
          dictionary(string({ unit: anyCharacter }), anything()),
          (message, fields) => {
            log.error(message, fields);
            count += 1;
          },
        ),
        { numRuns: rounds(500) },
      );
      assert.equal(lines(join(folder, "error.log")).length, count);
    });

    test("in text format shows time, level, source, message, fields, and the indented stack of an error", () => {
      const code = `
        Log.configure({ level: "info", reporters: [Log.Reporters.console({ format: "text", colors: false })] });
        log.info("Started", { port: 3000, mode: "two words", list: [1] });
        log.error(${JSON.stringify(evil)}, { error: new TypeError(${JSON.stringify(evil)}, { cause: new Error("why") }) });`;
      const { stdout, stderr } = run(code, folder);
      assert.match(stdout, /^\S+Z INFO {4}limmat\.test Started port=3000 mode="two words" list=\[1\]\n$/);
      assert.match(stderr, /^[ -~\n]+$/);
      const [first, ...others] = stderr.trimEnd().split("\n");
      assert.match(first ?? "", /^\S+Z ERROR {3}limmat\.test a\\nb\\rc/);
      assert.match(others[0] ?? "", /^ {4}TypeError: a\\nb/);
      assert.ok(others.some((line) => /^ +at /.test(line)));
      assert.ok(others.some((line) => line.trim() === "Error: why"));
      for (const line of others) assert.match(line, /^ {4}/);
    });

    test("in text format leaves out the frames of the framework and of Node, unless there are no others", () => {
      const internal = [
        "    at collect (file:///app/node_modules/limmat/dist/x.js:1:2)",
        "    at emit (node:events:5:2)",
      ];
      const own = ["    at random (file:///app/app/domain/note.ts:9:1)", "    at z (/app/node_modules/zod/z.js:1:1)"];
      const code = `
        Log.configure({ reporters: [Log.Reporters.console({ format: "text", colors: false })] });
        for (const frames of ${JSON.stringify([[internal[0], ...own, internal[1]], internal])})
          log.error("Failed", { error: Object.assign(new Error("a"), { stack: ["Error: a", ...frames].join("\\n") }) });`;
      const frames = run(code, folder)
        .stderr.split("\n")
        .filter((line) => line.includes(" at "));
      assert.deepEqual(
        frames.map((line) => line.trim()),
        [...own, ...internal].map((line) => line.trim()),
      );
    });
  });

  suite("the console", () => {
    test("writes errors and warnings to the standard error, other events to the standard output", () => {
      const { stdout, stderr } = run(`log.info("i"); log.warning("w"); log.error("e");`, folder);
      assert.deepEqual(stdout.match(/"message":"."/g), ['"message":"i"']);
      assert.deepEqual(stderr.match(/"message":"."/g), ['"message":"w"', '"message":"e"']);
    });

    test("can write all events to the standard error", () => {
      const code = `Log.configure({ reporters: [Log.Reporters.console({ onlyStderr: true })] }); log.info("i");`;
      const { stdout, stderr } = run(code, folder);
      assert.equal(stdout, "");
      assert.match(stderr, /"message":"i"/);
    });

    test("loses no event when the process exits immediately or throws", () => {
      for (const end of ["process.exit(3)", "throw new Error('end')"]) {
        const { stdout } = run(`for (let i = 0; i < 5000; i++) log.info("line " + i); ${end}`, folder);
        assert.equal(stdout.trimEnd().split("\n").length, 5000);
        rmSync(join(folder, "logs"), { recursive: true });
      }
    });
  });

  suite("the files", () => {
    test("are created with their folder: error.log for errors, app.log for other events", () => {
      run(`log.info("i"); log.warning("w"); log.error("e");`, folder);
      const messages = (name: string): unknown[] => lines(join(folder, "logs", name)).map((line) => line["message"]);
      assert.deepEqual(messages("app.log"), ["i", "w"]);
      assert.deepEqual(messages("error.log"), ["e"]);
    });

    test("contain an error even if the process is killed immediately", () => {
      const { signal } = run(`log.error("last"); process.kill(process.pid, "SIGKILL");`, folder);
      assert.equal(signal, "SIGKILL");
      assert.equal(lines(join(folder, "logs", "error.log"))[0]?.["message"], "last");
    });

    test("and their folder are closed to other users of the machine", () => {
      Log.configure({ level: "info", reporters: [Log.Reporters.file(join(folder, "logs"))] });
      log.error("one");
      const modeOf = (path: string): number => statSync(join(folder, path)).mode & 0o007;
      assert.deepEqual(["logs", "logs/error.log"].map(modeOf), [0, 0]);
    });

    test("can be moved while the program runs", () => {
      Log.configure({ level: "info", reporters: [Log.Reporters.file(join(folder, "logs"))] });
      log.error("one");
      rmSync(join(folder, "logs"), { recursive: true });
      log.error("two");
      assert.deepEqual(
        lines(join(folder, "logs", "error.log")).map((line) => line["message"]),
        ["two"],
      );
    });

    test("are reported once on the standard error when they cannot be written, and nothing is thrown", () => {
      writeFileSync(join(folder, "logs"), "a file where the folder should be");
      const { stdout, stderr, status } = run(
        `for (let i = 0; i < 3; i++) { log.error("e" + i); } log.info("i");`,
        folder,
      );
      assert.equal(status, 0);
      assert.equal(stderr.match(/cannot be written to .*error\.log/g)?.length, 1);
      assert.equal(stderr.match(/"message":"e\d"/g)?.length, 3);
      assert.match(stdout, /"message":"i"/);
    });
  });

  suite("a reporter", () => {
    test("is reported once when it throws or rejects, and does not affect the others", () => {
      const code = `
        const broken = { report() { throw new Error("broken") } };
        const late = { report: async () => { throw new Error("late") } };
        Log.configure({ level: "info", reporters: [broken, late, ...Log.Reporters.defaults()] });
        log.info("one"); log.info("two");`;
      const { stdout, stderr, status } = run(code, folder);
      assert.equal(status, 0);
      assert.equal(stderr.match(/broken/g)?.length, 1);
      assert.equal(stderr.match(/late/g)?.length, 1);
      assert.equal(stdout.match(/"message"/g)?.length, 2);
    });

    test("does not receive its own events", () => {
      const echo: Log.Reporter = { report: () => log.info("echo") };
      Log.configure({ level: "info", reporters: [echo, collect] });
      log.info("one");
      assert.deepEqual(
        entries.map(({ message }) => message),
        ["echo", "one"],
      );
    });

    test("is awaited when the log is flushed", async () => {
      let isFlushed = false;
      const slow: Log.Reporter = {
        report: () => {},
        flush: async () => {
          await Promise.resolve();
          isFlushed = true;
        },
      };
      Log.configure({ level: "info", reporters: [slow] });
      isFlushed = false;
      await LogInternals.flush();
      assert.equal(isFlushed, true);
    });
  });

  test("lists its configuration keys", () => {
    assert.deepEqual(
      LogInternals.configurationFields.map(({ key }) => key),
      ["LOG_LEVEL", "LOGS_DIR"],
    );
  });

  test("has no side effect on import", () => {
    run("", folder);
    assert.equal(existsSync(join(folder, "logs")), false);
  });
});
