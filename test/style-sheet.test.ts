// The examples use the style sheet of the template. `npm run styles` copies it to them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { snapshot, test } from "node:test";
import { root } from "./sources.ts";

snapshot.setDefaultSnapshotSerializers([(value: unknown) => String(value)]);

const styleSheet = readFileSync(join(root, "template/public/app.css"), "utf8");

for (const example of ["notes", "todo", "tracker"]) {
  test(`examples/${example} has the style sheet of the template`, (context) => {
    context.assert.fileSnapshot(styleSheet, join(root, "examples", example, "public/app.css"));
  });
}
