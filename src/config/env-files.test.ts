import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, suite, test } from "node:test";
import { array, assert as assertProperty, constantFrom, property } from "fast-check";
import { isError } from "../core/index.ts";
import { Configuration, ConfigurationInternals } from "./index.ts";
import { describeField } from "./internal.ts";
import { rounds } from "../../test/rounds.ts";

suite("env files", () => {
  let folder: string;

  const write = (name: string, content: string | Buffer): void => writeFileSync(join(folder, name), content);
  const setUp = (environment = "development"): void =>
    Configuration.store([
      ["ENV_FILES_PATH", folder],
      ["FRAMEWORK_ENV", environment],
    ]);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "limmat-"));
    ConfigurationInternals.reset();
    setUp();
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
    ConfigurationInternals.reset();
    delete process.env["LIMMAT_A"];
  });

  for (const [description, text, values] of [
    ["a byte order mark", "\uFEFFLIMMAT_A=1", { LIMMAT_A: "1" }],
    ["lines that end in CR LF", "LIMMAT_A=1\r\nLIMMAT_B=2\r\n", { LIMMAT_A: "1", LIMMAT_B: "2" }],
    ["the word export", "export LIMMAT_A=1", { LIMMAT_A: "1" }],
    ["single quotes", "LIMMAT_A=' x # \"y '", { LIMMAT_A: ' x # "y ' }],
    ["double quotes, in which \\n is a line feed", String.raw`LIMMAT_A="x\ny"`, { LIMMAT_A: "x\ny" }],
    ["backquotes", "LIMMAT_A=`'x\"`", { LIMMAT_A: "'x\"" }],
    ["quoted values over several lines", "LIMMAT_A='x\r\ny=z'\nLIMMAT_B=1", { LIMMAT_A: "x\ny=z", LIMMAT_B: "1" }],
    ["equals signs in values", "LIMMAT_A=postgres://h/d?a=b&c==", { LIMMAT_A: "postgres://h/d?a=b&c==" }],
    ["unexpanded dollar signs", "LIMMAT_A=$LIMMAT_B${X}", { LIMMAT_A: "$LIMMAT_B${X}" }],
    ["comments", "# LIMMAT_B=1\nLIMMAT_A=x # y\n  # z", { LIMMAT_A: "x", LIMMAT_B: undefined }],
    ["blanks around keys and values", "  LIMMAT_A  =  x y  ", { LIMMAT_A: "x y" }],
    ["only blanks after the equals sign", "LIMMAT_A= \t\nLIMMAT_B=1", { LIMMAT_A: undefined, LIMMAT_B: "1" }],
    ["the last of doubled keys", "LIMMAT_A=1\nLIMMAT_A=2", { LIMMAT_A: "2" }],
    ["an empty value as not set", "LIMMAT_A=\nLIMMAT_B=''\n\nLIMMAT_C=1", { LIMMAT_A: undefined, LIMMAT_B: undefined }],
    ["the names of object properties", "__proto__=a\nconstructor=b", { __proto__: undefined, constructor: "b" }],
  ] as const) {
    test(`support ${description}`, () => {
      write(".env", text);
      for (const [key, value] of Object.entries(values)) assert.equal(Configuration.readString(key), value, key);
    });
  }

  test("set the key __proto__ without changing any prototype", () => {
    write(".env", "__proto__=polluted");
    assert.equal(Configuration.readString("__proto__"), "polluted");
    assert.equal(Configuration.readString("toString"), undefined);
    assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  });

  for (const [description, content] of [
    ["a line without an equals sign", "LIMMAT_A=1\nLIMMAT_B: canary"],
    ["a line without a key", "=canary"],
    ["a key with a blank", "LIMMAT A=canary"],
    ["a quote that is not closed", 'LIMMAT_A="canary'],
    ["a # inside a value without quotes", "LIMMAT_A=canary#x"],
    ["text after a closed quote", 'LIMMAT_A="x" canary'],
    ["a NUL character", "LIMMAT_A=can\0ary"],
    ["bytes that are not UTF-8", Buffer.from([0x41, 0x3d, 0xff])],
    ["UTF-16", Buffer.from("LIMMAT_A=canary", "utf16le")],
  ] as const) {
    test(`are refused with ${description}, and the error does not contain the line`, () => {
      write(".env", content);
      assert.throws(
        () => Configuration.readString("LIMMAT_A"),
        (error) => {
          assert.ok(isError(error, "E_CONFIGURATION_FILE"));
          assert.ok(error.message.includes(join(folder, ".env")));
          assert.ok(!error.message.includes("canary"));
          return true;
        },
      );
    });
  }

  test("are refused with the number of the invalid line", () => {
    write(".env", "A=1\nB='x\ny'\n\nwrong");
    assert.throws(() => Configuration.readString("A"), /line 5/);
  });

  test("are refused when one is a folder", () => {
    mkdirSync(join(folder, ".env.development"));
    assert.throws(() => Configuration.readString("A"), { code: "E_CONFIGURATION_FILE", message: /is a folder/ });
  });

  test("are refused when one cannot be read", { skip: process.getuid?.() === 0 && "root reads everything" }, () => {
    write(".env", "A=1");
    chmodSync(join(folder, ".env"), 0);
    assert.throws(() => Configuration.readString("A"), { code: "E_CONFIGURATION_FILE", message: /EACCES/ });
  });

  test("take precedence from .env up to the environment's local file, below the process environment and the store", () => {
    const sources = [".env", ".env.local", ".env.development", ".env.development.local"];
    const field = Configuration.string("LIMMAT_A", { description: "a letter" });
    for (const name of sources) {
      write(name, `LIMMAT_B='two\nlines'\nLIMMAT_A=${name}`);
      ConfigurationInternals.reset();
      setUp();
      assert.equal(Configuration.readString("LIMMAT_A"), name);
      assert.equal(describeField(field).source, `${name}:3`);
    }
    process.env["LIMMAT_A"] = "process";
    assert.equal(Configuration.readString("LIMMAT_A"), "process");
    assert.equal(describeField(field).source, "process environment");
    Configuration.store([["LIMMAT_A", "store"]]);
    assert.equal(Configuration.readString("LIMMAT_A"), "store");
    assert.equal(describeField(field).source, "Configuration.store");
  });

  test("are used for a process variable that is empty", () => {
    write(".env", "LIMMAT_A=file");
    process.env["LIMMAT_A"] = "";
    assert.equal(Configuration.readString("LIMMAT_A"), "file");
  });

  test("include .env.test.local but not .env.local in tests", () => {
    write(".env.local", "LIMMAT_A=local\nLIMMAT_B=local");
    write(".env.test.local", "LIMMAT_B=test");
    setUp("test");
    assert.equal(Configuration.readString("LIMMAT_A"), undefined);
    assert.equal(Configuration.readString("LIMMAT_B"), "test");
  });

  test("are read once, and again when a key that selects them is stored", () => {
    write(".env", "LIMMAT_A=1");
    assert.equal(Configuration.readString("LIMMAT_A"), "1");
    write(".env", "LIMMAT_A=2");
    assert.equal(Configuration.readString("LIMMAT_A"), "1");
    setUp("test");
    assert.equal(Configuration.readString("LIMMAT_A"), "2");
  });

  test("may repeat the environment but not change it", () => {
    write(".env", "FRAMEWORK_ENV=development\nLIMMAT_A=1");
    assert.equal(Configuration.readString("LIMMAT_A"), "1");
    setUp("production");
    assert.throws(() => Configuration.readString("LIMMAT_A"), {
      code: "E_CONFIGURATION_FILE",
      message: /FRAMEWORK_ENV/,
    });
  });

  test("must be in a folder that exists", () => {
    Configuration.store([["ENV_FILES_PATH", join(folder, "missing")]]);
    assert.throws(() => Configuration.readString("A"), {
      code: "E_CONFIGURATION_INVALID",
      message: /^ENV_FILES_PATH/,
    });
  });

  test("are either refused or set every key that they assign", () => {
    const part = constantFrom("A", "B", "=", "=", "\n", "\r\n", "'", '"', "`", "#", " ", "export ", "x", "\\n", "$");
    assertProperty(
      property(array(part, { maxLength: 14 }), (parts) => {
        const text = parts.join("");
        write(".env", `${text}\nLIMMAT_LAST=1`);
        setUp();
        try {
          assert.equal(Configuration.readString("LIMMAT_LAST"), "1");
        } catch (error) {
          assert.ok(isError(error, "E_CONFIGURATION_FILE"), `${JSON.stringify(text)}: ${String(error)}`);
        }
      }),
      { numRuns: rounds(2000) },
    );
  });
});
