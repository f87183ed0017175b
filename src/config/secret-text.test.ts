// Paths on which a secret of the configuration could be printed by mistake.
import assert from "node:assert/strict";
import { Console } from "node:console";
import { PassThrough } from "node:stream";
import { afterEach, describe, test } from "node:test";
import { format, inspect } from "node:util";
import { App, Configuration, Log, Service, Web } from "limmat";
import { capturedLog, configuration, runCommand } from "limmat/testing";
import { ConfigurationInternals } from "./index.ts";

const secret = "canary-f7c1-9b2d";
const values = { FRAMEWORK_ENV: "development", BANK_KEY: secret, BANK_URL: `https://user:${secret}@example.com` };
const settings = Configuration.group({
  key: Configuration.secret("BANK_KEY", { description: "key of the bank", required: true }),
  fallback: Configuration.secret("BANK_FALLBACK", { description: "its fallback", default: secret }),
});

/** Passes a secret on as code without types does: the linter refuses it in a template. */
const untyped = (value: unknown): string => value as string;

/** Returns an error whose message, cause and properties were built from the settings. */
function failure(): Error {
  const { key } = settings.read();
  return Object.assign(new Error(`The bank refused ${untyped(key)}`, { cause: new TypeError("Key " + key) }), { key });
}

function loggedText(write: () => void): string {
  using log = capturedLog();
  write();
  return JSON.stringify(log.entries.map(({ message, fields }) => ({ message, fields })));
}

async function errorPage(accept: string): Promise<string> {
  using _ = capturedLog();
  const fail = (): never => {
    throw failure();
  };
  const router = Web.choose([Web.get("/", fail)], { middlewares: [Web.Middleware.error()] });
  const { fetch } = Web.Http.service({ router });
  return await (await fetch(new Request("http://localhost/", { headers: { accept } }))).text();
}

async function command(...args: [string, ...string[]]): Promise<string> {
  const bank = { ...Service.make({ name: "bank", configuration: settings.fields }), settings };
  const { stdout, stderr } = await runCommand(App.create({ services: [bank] }), ...args);
  return stdout + stderr;
}

/** Texts that each path prints, and a word that shows that the path was taken. */
const paths: Readonly<Record<string, readonly [print: () => string | Promise<string>, expected: string]>> = {
  "a template string": [() => `a ${untyped(settings.read().key)} text`, "a ••• text"],
  concatenation: [() => "key " + settings.read().key, "key •••"],
  String: [() => String(settings.read().key), "•••"],
  join: [() => [settings.read().key, settings.read().fallback].join(), "•••,•••"],
  "JSON.stringify": [() => JSON.stringify(settings.read()), `{"key":"•••","fallback":"•••"}`],
  "util.inspect": [() => inspect({ a: { b: [settings.read()] } }, { depth: 9, showHidden: true }), "•••"],
  "util.format": [() => format("%s %o %j %O", ...Array.from({ length: 4 }, () => settings.read().key)), "•••"],
  "console.log": [
    () => {
      const stream = new PassThrough();
      new Console(stream).log(settings.read(), settings.read().key);
      return String(stream.read());
    },
    "•••",
  ],
  entries: [() => inspect(Object.entries(settings.read().key)), "[]"],
  "structured clone": [() => inspect(structuredClone(settings.read())), "key: {}"],
  "an error message": [() => failure().message, "refused •••"],
  "an inspected error": [() => inspect(failure()), "refused •••"],
  "a field of the log": [
    () => loggedText(() => Log.source("app").info("Started", { bank: settings.read(), value: settings.read().key })),
    `"value":"•••"`,
  ],
  "an error in the log": [
    () => loggedText(() => Log.source("app").error("Failed", { error: failure() })),
    "refused •••",
  ],
  "the development error page": [() => errorPage("text/html"), "refused •••"],
  "the development problem document": [() => errorPage("application/json"), "refused •••"],
  "a query string": [() => String(new URLSearchParams({ key: untyped(settings.read().key) })), "key=%E2%80%A2"],
  config: [() => command("config"), "BANK_KEY"],
  "config --json": [() => command("config", "--json"), "BANK_KEY"],
  "config --check": [() => command("config", "--check"), "complete"],
  "the value in the console": [() => command("console", "--eval", "bank.settings.read()"), "•••"],
  "an error in the console": [
    () => command("console", "--eval", "throw new Error(`no ${bank.settings.read().key}`)"),
    "no •••",
  ],
  "derived keys": [() => inspect(Configuration.secretKeys("x")) + JSON.stringify(Configuration.secretKeys("x")), "•••"],
};

describe("a secret of the configuration is not printed by", () => {
  afterEach(ConfigurationInternals.reset);

  for (const [name, [print, expected]] of Object.entries(paths)) {
    test(name, async () => {
      using _ = configuration(values);
      const text = await print();
      assert.ok(text.includes(expected), text);
      assert.ok(!text.includes(secret), text);
    });
  }
});

test("a secret is revealed by a call, with its default, and undefined if it is not set", () => {
  using _ = configuration({ BANK_KEY: "a,b" });
  assert.equal(settings.read().key.reveal(), "a,b");
  assert.equal(settings.read().fallback.reveal(), secret);
  const unset = Configuration.secret("BANK_UNSET", { description: "nothing" });
  assert.equal(Configuration.read(unset)?.reveal(), undefined);
});
