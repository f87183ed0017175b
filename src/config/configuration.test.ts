import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, suite, test } from "node:test";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { Configuration, ConfigurationInternals } from "./index.ts";
import {
  checkFields,
  describeField,
  formatProblems,
  frameworkFields,
  requireFields,
  setProjectRoot,
} from "./internal.ts";

const description = "for the test";
const entryPoint = new URL("index.ts", import.meta.url).href;

/** Runs a line of code in a child process, and returns its output. */
function run(code: string, options: { cwd?: string; env?: Record<string, string> } = {}): string {
  const script = `import { Configuration, ConfigurationInternals } from ${JSON.stringify(entryPoint)}; ${code}`;
  return execFileSync(process.execPath, ["--conditions=@limmat/source", "--input-type=module", "-e", script], {
    encoding: "utf8",
    cwd: options.cwd ?? tmpdir(),
    env: { PATH: process.env["PATH"], ...options.env },
  }).trim();
}

const readDuration = (key: string): number | undefined =>
  Configuration.read(Configuration.duration(key, { description: "a duration" }));

suite("configuration", () => {
  let folder: string;

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "limmat-")));
    ConfigurationInternals.reset();
    Configuration.store([
      ["ENV_FILES_PATH", folder],
      ["FRAMEWORK_ENV", "development"],
    ]);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
    ConfigurationInternals.reset();
  });

  test("reads texts, whole numbers, booleans and durations", () => {
    Configuration.store([
      ["TEXT", " x "],
      ["INT", "-12"],
      ["BOOL", "1"],
      ["DURATION", "1h30m"],
    ]);
    assert.equal(Configuration.readString("TEXT"), " x ");
    assert.equal(Configuration.readInt("INT"), -12);
    assert.equal(Configuration.readBool("BOOL"), true);
    assert.equal(readDuration("DURATION"), 5_400_000);
    assert.equal(Configuration.readInt("NOTHING"), undefined);
  });

  for (const [name, read, values] of [
    [
      "readInt",
      Configuration.readInt,
      ["abc", "ten", "1e9", "0x10", "1.0", " 1", "1 ", "+1", "--1", "9007199254740993", "١"],
    ],
    ["readBool", Configuration.readBool, ["TRUE", "True", " true", "true ", "yes", "on", "01", "t"]],
    ["readDuration", readDuration, ["5", "m", "5 m", "5M", "-5m", "5m5m", "30s5m", "1e3s", "9999999999999w"]],
  ] as const) {
    test(`${name} refuses a text of another type, and names the key but not the value`, () => {
      for (const value of values) {
        Configuration.store([["LIMMAT_KEY", value]]);
        assert.throws(() => read("LIMMAT_KEY"), {
          code: "E_CONFIGURATION_INVALID",
          message: /^LIMMAT_KEY must be (?!.*TRUE)/,
        });
      }
    });
  }

  test("removes a stored value when an empty one is stored", () => {
    Configuration.store([["LIMMAT_KEY", "1"]]);
    Configuration.store([["LIMMAT_KEY", ""]]);
    assert.equal(Configuration.readString("LIMMAT_KEY"), undefined);
  });

  suite("the environment", () => {
    for (const name of ["development", "test", "production"]) {
      test(`can be ${name}`, () => {
        Configuration.store([["FRAMEWORK_ENV", name]]);
        assert.equal(Configuration.environment(), name);
        assert.equal(ConfigurationInternals.isEnvironmentSet(), true);
      });
    }

    for (const name of ["prod", "Production", "tset", " development", "test ", "toString"]) {
      test(`cannot be "${name}"`, () => {
        Configuration.store([["FRAMEWORK_ENV", name]]);
        assert.throws(() => Configuration.environment(), {
          code: "E_CONFIGURATION_INVALID",
          message: "FRAMEWORK_ENV must be exactly one of development, test, production.",
        });
        const [problem, ...others] = checkFields(frameworkFields);
        assert.equal(problem?.key, "FRAMEWORK_ENV");
        assert.deepEqual(others, []);
      });
    }

    test("is development, but not set, when the variable is missing or empty, independent of NODE_ENV", () => {
      const code = "console.log(Configuration.environment(), ConfigurationInternals.isEnvironmentSet())";
      assert.equal(run(code, { env: { NODE_ENV: "test" } }), "development false");
      assert.equal(run(code, { env: { FRAMEWORK_ENV: "" } }), "development false");
      assert.equal(run(code, { env: { FRAMEWORK_ENV: "development" } }), "development true");
    });
  });

  suite("the root", () => {
    test("is the nearest parent folder with a version-control folder", () => {
      for (const name of [".git", ".hg", ".svn", ".bzr", "_darcs"]) {
        const root = join(folder, `with${name}`);
        const inner = join(root, "a", "b");
        mkdirSync(join(root, name), { recursive: true });
        mkdirSync(inner, { recursive: true });
        assert.equal(run("console.log(ConfigurationInternals.root())", { cwd: inner }), root);
      }
    });

    test("is the working directory without version control", () => {
      assert.equal(run("console.log(ConfigurationInternals.root())", { cwd: folder }), folder);
    });

    test("is the folder that the application passes, and ROOT_PATH overrides it", () => {
      setProjectRoot(folder);
      assert.equal(ConfigurationInternals.root(), folder);
      Configuration.store([["ROOT_PATH", tmpdir()]]);
      assert.equal(ConfigurationInternals.root(), tmpdir());
      Configuration.store([["ROOT_PATH", join(folder, "missing")]]);
      assert.throws(() => ConfigurationInternals.root(), { code: "E_CONFIGURATION_INVALID", message: /^ROOT_PATH/ });
    });
  });

  suite("a field", () => {
    test("returns its value, its default, or undefined", () => {
      const field = Configuration.int("LIMMAT_KEY", { description });
      assert.equal(Configuration.read(field), undefined);
      assert.equal(Configuration.read(Configuration.int("LIMMAT_KEY", { description, default: 3 })), 3);
      Configuration.store([["LIMMAT_KEY", "4"]]);
      assert.equal(Configuration.read(field), 4);
    });

    test("can have a default that depends on the environment", () => {
      const field = Configuration.string("HOST", {
        description,
        default: (environment) => (environment === "production" ? "0.0.0.0" : "127.0.0.1"),
      });
      assert.equal(Configuration.read(field), "127.0.0.1");
      Configuration.store([["FRAMEWORK_ENV", "production"]]);
      assert.equal(Configuration.read(field), "0.0.0.0");
    });

    test("can be required always, or in some environments", () => {
      const always = Configuration.string("LIMMAT_KEY", { description, required: true });
      const there = Configuration.string("LIMMAT_KEY", { description, required: ["production"] });
      assert.throws(() => Configuration.read(always), { code: "E_CONFIGURATION_MISSING", message: /^LIMMAT_KEY/ });
      assert.equal(Configuration.read(there), undefined);
      Configuration.store([["FRAMEWORK_ENV", "production"]]);
      assert.throws(() => Configuration.read(there), { code: "E_CONFIGURATION_MISSING" });
    });

    test("converts its text by a schema of any library, and shows none of its messages", () => {
      const schemaOf = (
        convert: (text: string) => readonly number[],
      ): StandardSchemaV1<unknown, readonly number[]> => ({
        "~standard": {
          version: 1,
          vendor: "other",
          validate: (input) => {
            const value = convert(String(input));
            return value.includes(Number.NaN) ? { issues: [{ message: `was ${String(input)}` }] } : { value };
          },
        },
      });
      const type = "ports, separated by commas";
      const schema = schemaOf((text) => text.split(",").map(Number));
      const field = Configuration.schema("LIMMAT_PORTS", { description, schema, type, default: [80] });
      const ports: readonly number[] = Configuration.read(field);
      assert.deepEqual(ports, [80]);
      Configuration.store([["LIMMAT_PORTS", "1,2"]]);
      assert.deepEqual(Configuration.read(field), [1, 2]);
      Configuration.store([["LIMMAT_PORTS", "1,hidden"]]);
      const isPlain = (thrown: Error): boolean =>
        thrown.message.includes(`must be ${type}`) && !thrown.message.includes("hidden");
      assert.throws(() => Configuration.read(field), isPlain);
      const parsing = schemaOf((text) => JSON.parse(text) as number[]);
      const parsed = Configuration.schema("LIMMAT_PORTS", { description, schema: parsing, type });
      assert.throws(() => Configuration.read(parsed), isPlain);
      for (const validate of [async () => ({ value: "" }), () => Promise.reject(new Error("hidden"))]) {
        const later: StandardSchemaV1<unknown, string> = { "~standard": { version: 1, vendor: "other", validate } };
        const asynchronous = Configuration.schema("LIMMAT_PORTS", { description, schema: later, type });
        assert.throws(() => Configuration.read(asynchronous), /asynchronous/);
      }
    });

    test("keeps a whole number within its limits", () => {
      const field = Configuration.int("DATABASE_POOL_SIZE", { description, default: 10, min: 1, max: 1000 });
      for (const value of ["0", "-1", "1e9", "1000000000", "ten", "1001"]) {
        Configuration.store([["DATABASE_POOL_SIZE", value]]);
        assert.throws(() => Configuration.read(field), {
          message: "DATABASE_POOL_SIZE must be a whole number from 1 to 1000, in digits.",
        });
      }
      Configuration.store([["DATABASE_POOL_SIZE", "1000"]]);
      assert.equal(Configuration.read(field), 1000);
    });

    test("accepts only one of its values", () => {
      const field = Configuration.oneOf("LEVEL", { values: ["low", "high"], description, default: "low" });
      const level: "low" | "high" = Configuration.read(field);
      assert.equal(level, "low");
      for (const value of ["High", "", "constructor"]) {
        Configuration.store([["LEVEL", value]]);
        if (value === "") assert.equal(Configuration.read(field), "low");
        else assert.throws(() => Configuration.read(field), { message: "LEVEL must be one of low, high." });
      }
    });

    test("can have its own validation", () => {
      const field = Configuration.string("PREFIX_PATH", {
        description,
        validate: (value) => (value.startsWith("/") ? undefined : "must start with a slash"),
      });
      Configuration.store([["PREFIX_PATH", "x"]]);
      assert.throws(() => Configuration.read(field), { message: "PREFIX_PATH must start with a slash." });
    });
  });

  test("the type of a field includes undefined only if the value can be missing", () => {
    const { secret, string, oneOf, int } = Configuration;
    const required: string = Configuration.read(string("PATH", { description, required: true }));
    const fallback: number = Configuration.read(int("LIMMAT_KEY", { description, default: () => 3 }));
    // @ts-expect-error it is not required in every environment
    const somewhere: string = Configuration.read(secret("LIMMAT_KEY", { description, required: ["production"] }));
    // @ts-expect-error its default may be undefined
    const sometimes: string = Configuration.read(string("LIMMAT_KEY", { description, default: () => undefined }));
    // @ts-expect-error its default is none of its values
    oneOf("LIMMAT_KEY", { description, values: ["a", "b"], default: "c" });
    assert.deepEqual([required, fallback, somewhere, sometimes], [process.env["PATH"], 3, undefined, undefined]);
  });

  test("a group returns typed values, and the same object until a value is stored", () => {
    const settings = Configuration.group({
      port: Configuration.int("PORT", { description, default: 3000 }),
      host: Configuration.string("LIMMAT_HOST", { description }),
      wait: Configuration.duration("WAIT", { description, default: 1000 }),
    });
    const { port, host, wait }: { port: number; host: string | undefined; wait: number } = settings.read();
    assert.deepEqual([port, host, wait], [3000, undefined, 1000]);
    assert.equal(settings.read(), settings.read());
    Configuration.store([["PORT", "80"]]);
    assert.equal(settings.read().port, 80);
    assert.deepEqual(
      settings.fields.map(({ key }) => key),
      ["PORT", "LIMMAT_HOST", "WAIT"],
    );
  });

  suite("the check", () => {
    const fields = [
      Configuration.string("LIMMAT_URL", { description: "the database", required: true }),
      Configuration.int("LIMMAT_PORT", { description, default: 3000, max: 65_535 }),
      Configuration.bool("LIMMAT_FLAG", { description }),
      Configuration.secret("LIMMAT_PASSWORD", { description, required: true }),
      Configuration.string("LIMMAT_FINE", { description }),
    ];

    test("reports all missing and invalid keys at once, and no value", () => {
      Configuration.store([
        ["LIMMAT_PORT", "canary1"],
        ["LIMMAT_FLAG", "canary2"],
        ["LIMMAT_URL", ""],
      ]);
      const problems = checkFields([...fields, ...fields]);
      assert.deepEqual(
        problems.map(({ key }) => key),
        ["LIMMAT_URL", "LIMMAT_PORT", "LIMMAT_FLAG", "LIMMAT_PASSWORD"],
      );
      const report = formatProblems(problems);
      for (const { key, problem } of problems) assert.ok(report.includes(key) && report.includes(problem));
      assert.ok(!report.includes("canary"));
      assert.throws(() => requireFields(fields), { code: "E_CONFIGURATION", message: report });
    });

    test("looks for misspelled keys of those that are not set only, whatever a validation says", () => {
      writeFileSync(join(folder, ".env"), "LIMMAT_HOSTT=x\n");
      const validate = (): string => "is not set to a host";
      const host = Configuration.string("LIMMAT_HOST", { description, required: true, validate });
      assert.match(formatProblems(checkFields([host]), [host]), /Did you mean LIMMAT_HOST/);
      Configuration.store([["LIMMAT_HOST", "x"]]);
      assert.doesNotMatch(formatProblems(checkFields([host]), [host]), /Did you mean/);
    });

    test("reports nothing when all keys are valid", () => {
      Configuration.store([
        ["LIMMAT_URL", "x"],
        ["LIMMAT_PASSWORD", "y"],
      ]);
      assert.deepEqual(checkFields(fields), []);
      requireFields(fields);
    });

    test("reports an env file that cannot be read", () => {
      mkdirSync(join(folder, ".env"));
      assert.deepEqual(checkFields(fields), [{ key: join(folder, ".env"), problem: "is a folder" }]);
    });
  });

  test("a URL field accepts http and https without user, query and fragment", () => {
    const page = Configuration.url("LIMMAT_URL", { description, default: "http://localhost:3000/a" });
    assert.equal(Configuration.read(page), "http://localhost:3000/a");
    for (const good of ["https://example.com", "HTTP://localhost:3000/a/b"]) {
      Configuration.store([["LIMMAT_URL", good]]);
      assert.equal(Configuration.read(page), good);
    }
    for (const bad of [
      "/a",
      "ftp://a",
      "https://u:p@a",
      "https://u@a",
      "https://a/?b",
      "https://a/?b=c",
      "https://a/#b",
    ]) {
      Configuration.store([["LIMMAT_URL", bad]]);
      assert.throws(() => Configuration.read(page), { code: "E_CONFIGURATION_INVALID" }, bad);
    }
  });

  test("appUrl joins APP_URL, or the address of the server, and a path with one slash", () => {
    const page = (path?: string): string => Configuration.appUrl(path).href;
    assert.equal(page(), "http://localhost:3000/");
    Configuration.store([
      ["PORT", "8080"],
      ["PREFIX_PATH", "/shop"],
    ]);
    assert.equal(page("/orders/7?paid=1"), "http://localhost:8080/shop/orders/7?paid=1");
    Configuration.store([["DEVELOPMENT_PORT", "3000"]]);
    assert.equal(page("/orders/7"), "http://localhost:3000/shop/orders/7");
    for (const set of ["https://example.com", "https://example.com/", "https://example.com//"]) {
      Configuration.store([["APP_URL", set]]);
      for (const path of ["/orders/7", "orders/7", "//orders/7"])
        assert.equal(page(path), "https://example.com/orders/7");
      assert.equal(page(".evil.example/"), "https://example.com/.evil.example/");
    }
    Configuration.store([["APP_URL", "https://example.com/shop/"]]);
    assert.equal(page("/orders/7"), "https://example.com/shop/orders/7");
    Configuration.store([
      ["APP_URL", ""],
      ["FRAMEWORK_ENV", "production"],
    ]);
    assert.throws(() => page(), { code: "E_CONFIGURATION_MISSING", message: /APP_URL/ });
  });

  test("a field description contains everything but the value", () => {
    const field = Configuration.duration("LIMMAT_WAIT", { description, default: 90_000, required: ["production"] });
    const unset = { key: "LIMMAT_WAIT", type: "duration", description, default: "1m30s", isRequired: false };
    assert.deepEqual(describeField(field), { ...unset, isSet: false, source: undefined });
    Configuration.store([["LIMMAT_WAIT", "7s"]]);
    assert.deepEqual(describeField(field), { ...unset, isSet: true, source: "Configuration.store" });
    const secret = Configuration.secret("LIMMAT_PASSWORD", { description, default: "canary" });
    assert.ok(!JSON.stringify(describeField(secret)).includes("canary"));
  });
});
