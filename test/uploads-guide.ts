import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./sources.ts";

/** The application of the guide's page on uploads, started, with code behind it; `address` makes it listen. */
export function guideProgram(end: string, listens: boolean): string {
  const page = readFileSync(join(root, "docs/guide/uploads.md"), "utf8");
  const [code = ""] = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
  return [
    `import { App, Migration } from "limmat";`,
    code,
    `const migration = Migration.service({ database, onPending: "run" });`,
    `const app = App.create({ services: [migration, storage, Web.Http.service({ router })] });`,
    `await app.start({ server: ${listens} });`,
    end,
  ].join("\n");
}

/** How Node is told to run it. */
export const guideArguments = (program: string): readonly string[] => [
  "--conditions=@limmat/source",
  "--input-type=module-typescript",
  "-e",
  program,
];
