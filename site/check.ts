import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { notFoundFile } from "./not-found.ts";

/** Result of the check of a built site. */
export interface SiteCheck {
  readonly pages: number;
  readonly links: number;
  /** Broken links: page, and target or anchor. */
  readonly broken: readonly string[];
}

/**
 * Checks all links of the HTML pages and Markdown files of a folder: the file exists, and has the anchor. Links are relative;
 * those of `404.html` begin with `base`, the URL path at which the folder is published.
 */
export function checkLinks(folder: string, base: string): SiteCheck {
  const paths = globSync("**/*.{html,md,txt}", { cwd: folder }).map((path) => path.replaceAll("\\", "/"));
  const texts = new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
  const anchors = new Map(
    [...texts].map(([path, text]) => [path, new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id))]),
  );
  const broken: string[] = [];
  let links = 0;
  for (const [path, text] of texts) {
    for (const href of path.endsWith(".html") ? htmlLinks(text) : markdownLinks(text)) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(href)) continue;
      links += 1;
      const [target = "", fragment = ""] = href.split("#");
      const file = targetOf(path, target.replace(/\?.*$/, ""), base);
      const ids = anchors.get(file?.replace(/\.md$/, ".html") ?? "");
      if (file === undefined || !existsSync(join(folder, file))) broken.push(`${path}: ${href}`);
      else if (fragment !== "" && ids?.has(decodeURIComponent(fragment)) !== true) broken.push(`${path}: ${href}`);
    }
  }
  return { pages: paths.filter((path) => path.endsWith(".html")).length, links, broken };
}

/** Returns the file that a page links; `undefined` for a relative link of `404.html`, which is correct at one depth only. */
function targetOf(path: string, target: string, base: string): string | undefined {
  if (target === "") return path;
  if (path !== notFoundFile) return posix.join(posix.dirname(path), target);
  return target.startsWith(base) ? target.slice(base.length) : undefined;
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

const htmlLinks = (text: string): string[] =>
  [...text.matchAll(/<(?:a|link|img|script|source)\s[^>]*?(?:href|src)="([^"]*)"/g)].map(([, href = ""]) =>
    href.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity),
  );

function markdownLinks(text: string): string[] {
  const prose = text.replaceAll(/^ *(`{3,})[^]*?^ *\1 *$/gm, "").replaceAll(/``[^]*?``|`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, href = ""]) => href);
}
