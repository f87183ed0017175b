// Accessibility of the documentation site.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems } from "../browser/accessibility.ts";
import { readerSkip, useSite } from "./documentation-site.ts";

/** Size and colours of a browser. */
export interface Screen {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
}

const reader = useSite();

const paths = [
  "",
  "why.html",
  "guide/getting-started.html",
  "guide/index.html",
  "guide/resources.html",
  "concepts/services.html",
  "reference/errors.html",
  "reference/api/index.html",
  "reference/api/web.html",
  "reference/api/database-mariadb.html",
  "benchmarks.html",
  "changelog.html",
  "coming-from/rails.html",
  "no-such-page",
];

/** Defines the test of the documentation site on a screen. */
export function testAccessibility({ width, colorScheme }: Screen): void {
  test(
    `axe-core finds nothing on ${paths.length} pages, and none is too wide: ${width} pixels, ${colorScheme}`,
    { skip: readerSkip },
    async () => {
      const problems: string[] = [];
      for (const path of paths) {
        await reader().visit(path, { width, colorScheme, isMissing: path === "no-such-page" }, async (page) => {
          problems.push(...(await accessibilityProblems(page)).map((problem) => `/${path} ${problem}`));
          const pageWidth = await page.evaluate<number>("document.documentElement.scrollWidth");
          if (pageWidth > width) problems.push(`/${path} is ${pageWidth} pixels wide`);
        });
      }
      assert.deepEqual(problems, []);
    },
  );
}
