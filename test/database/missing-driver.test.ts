import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../sources.ts";

for (const [driver, name, version] of [
  ["postgresql", "pg", 8],
  ["mariadb", "mariadb", 3],
] as const) {
  test(`${driver} throws E_DATABASE_DRIVER_MISSING with install instructions if the package "${name}" is missing`, async () => {
    const code = `
      import { registerHooks } from "node:module";
      registerHooks({
        resolve: (specifier, context, next) => {
          if (specifier !== "${name}") return next(specifier, context);
          throw Object.assign(new Error("Cannot find package '${name}'"), { code: "ERR_MODULE_NOT_FOUND" });
        },
      });
      const { ${driver} } = await import("limmat/database/${driver}");
      const database = ${driver}({ url: "${driver}://user:canary@localhost/app" });
      await database.start({ services: [database] }).catch((error) => console.log(error.code, error.message));`;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ["--conditions=@limmat/source", "--input-type=module", "-e", code],
      { cwd: root },
    );
    const expected = `E_DATABASE_DRIVER_MISSING The package "${name}" is not installed. Install it with: npm install ${name}@${version}`;
    assert.ok(stdout.startsWith(expected), stdout);
    assert.equal(stderr, "");
  });
}
