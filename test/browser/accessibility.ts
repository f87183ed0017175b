import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns the problems that axe-core finds on a page: rule and element. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  // A click waits for the first byte of the next page only.
  await page.waitForLoadState();
  await page.evaluate(axe);
  return page.evaluate<readonly string[]>(`axe
    .run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`);
}

/** Returns the names of the elements that the Tab key reaches, in order, from the start of the page. */
export async function tabOrder(page: Page, count: number): Promise<readonly string[]> {
  const names: string[] = [];
  for (let index = 0; index < count; index += 1) {
    await page.keyboard.press("Tab");
    names.push(
      await page.evaluate<string>(
        `(({ id, name, textContent }) => name || id || textContent.trim())(document.activeElement)`,
      ),
    );
  }
  return names;
}
