import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./sources.ts";

/** Code of a program that starts the application of the uploads guide and then runs `code`. `address` makes it listen. */
export function guideProgram(end: string, listens: boolean): string {
  const page = readFileSync(join(root, "docs/guide/uploads.md"), "utf8");
  const [code = ""] = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
  return [
    `import { App, Migration } from "limmat";`,
    code,
    `const migration = Migration.service({ database, onPending: "run" });`,
    `const app = App.create({ services: [migration, storage, Web.Http.service({ router, limits: { maxEventLoopDelayMs: 0 } })] });`,
    `await app.start({ server: ${listens} });`,
    end,
  ].join("\n");
}

/** Arguments for Node to run the program. */
export const guideArguments = (program: string): readonly string[] => [
  "--conditions=@limmat/source",
  "--input-type=module-typescript",
  "-e",
  program,
];
