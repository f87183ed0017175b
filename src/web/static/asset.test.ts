import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { TimeInternals } from "../../time/index.ts";
import { isolate } from "../application/fetch.test.ts";
import { asset } from "./asset.ts";

isolate();

let root = "";
const write = (path: string, text = ""): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const writeManifest = (files: Readonly<Record<string, string>>): void =>
  write("public/built/.manifest.json", JSON.stringify(files));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "limmat-asset-"));
  ConfigurationInternals.setProjectRoot(root);
});
afterEach(() => rmSync(root, { recursive: true }));

describe("the URL of a built asset", () => {
  test("is that of its file in the manifest, below the prefixes", () => {
    writeManifest({ "app.js": "app-KWJ46ML7.js", "a b.css": "a b-KWJ46ML7.css" });
    assert.equal(asset("app.js"), "/assets/built/app-KWJ46ML7.js");
    Configuration.store([["PREFIX_PATH", "/shop"]]);
    assert.equal(asset("a b.css"), "/shop/assets/built/a%20b-KWJ46ML7.css");
  });

  test("has one slash if the static files are at the root of the site", () => {
    Configuration.store([["PUBLIC_URI_PREFIX", "/"]]);
    writeManifest({ "app.js": "app-KWJ46ML7.js" });
    write("public/plain.css");
    assert.equal(asset("app.js"), "/built/app-KWJ46ML7.js");
    assert.match(asset("plain.css"), /^\/plain\.css\?v=/);
  });

  test("is read again a second later", async (context) => {
    const clock = TimeInternals.fakeClock();
    context.after(TimeInternals.useClock(clock));
    writeManifest({ "app.js": "app-AAAAAAA2.js" });
    assert.equal(asset("app.js"), "/assets/built/app-AAAAAAA2.js");
    writeManifest({ "app.js": "app-BBBBBBB2.js" });
    await clock.advance(999);
    assert.equal(asset("app.js"), "/assets/built/app-AAAAAAA2.js");
    await clock.advance(1);
    assert.equal(asset("app.js"), "/assets/built/app-BBBBBBB2.js");
  });

  test("gives way to a file of the public directory with this name", () => {
    writeManifest({ "app.js": "app-KWJ46ML7.js" });
    write("public/app.js");
    assert.match(asset("app.js"), /^\/assets\/app\.js\?v=/);
  });
});

describe("an asset with a source that is not built", () => {
  for (const [source, name] of [
    ["a.ts", "a.js"],
    ["a.tsx", "a.js"],
    ["a.js", "a.js"],
    ["a.jsx", "a.js"],
    ["a.css", "a.css"],
    ["a.b.ts", "a.b.js"],
  ] as const)
    test(`is ${name} of ${source} in tests, and an error in production`, () => {
      write(`resources/${source}`);
      assert.equal(asset(name), `/assets/built/${name}`);
      // Another root, because the location of the file above is cached.
      ConfigurationInternals.setProjectRoot(join(root, "deployed"));
      Configuration.store([["FRAMEWORK_ENV", "production"]]);
      write(`deployed/resources/${source}`);
      assert.throws(
        () => asset(name),
        (error: Error & { code?: string }) =>
          error.code === "E_ASSET_MISSING" && error.message.includes(`resources/${source} is not built`),
      );
    });

  test("is missing if its source is in a folder, or has another extension", () => {
    write("resources/parts/lazy.ts");
    write("resources/image.ts");
    for (const name of ["parts/lazy.js", "image.svg", "image", "image.ts", "other.js"])
      assert.throws(() => asset(name), { code: "E_ASSET_MISSING", message: /^(?:(?!is not built)[^])*$/ });
  });

  test("is in the file of the manifest if there is one", () => {
    write("resources/app.ts");
    writeManifest({ "app.js": "app-KWJ46ML7.js" });
    assert.equal(asset("app.js"), "/assets/built/app-KWJ46ML7.js");
  });
});

describe("behind the development server", () => {
  beforeEach(() =>
    Configuration.store([
      ["FRAMEWORK_ENV", "development"],
      ["DEVELOPMENT_ASSETS", "/__limmat/assets"],
      ["PREFIX_PATH", "/shop"],
    ]),
  );

  test("an asset with a source has the path of that server, without a prefix", () => {
    write("resources/my app.ts");
    writeManifest({ "my app.js": "app-KWJ46ML7.js" });
    assert.equal(asset("my app.js"), "/__limmat/assets/my%20app.js");
  });

  test("a built file without a source is served by the application", () => {
    writeManifest({ "app.js": "app-KWJ46ML7.js" });
    assert.equal(asset("app.js"), "/shop/assets/built/app-KWJ46ML7.js");
  });

  test("a name without a file and a source is an error, which names a similar asset", () => {
    write("public/img/logo.svg");
    writeManifest({ "app.js": "app-KWJ46ML7.js" });
    for (const [name, similar] of [
      ["nope.js", undefined],
      ["img/lgo.svg", "img/logo.svg"],
      ["ap.js", "app.js"],
      // A file is no folder.
      ["img/logo.svg/a.svg", undefined],
    ] as const) {
      const hint = similar === undefined ? "Add the file, or" : `Did you mean "${similar}"? Otherwise add the file, or`;
      const message = `There is no file "${join(root, "public", name)}". ${hint} correct PUBLIC_DIR or the name.`;
      assert.throws(() => asset(name), { code: "E_ASSET_MISSING", message });
    }
  });
});
