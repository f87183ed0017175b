import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join, posix, resolve } from "node:path";
import { apiFolder, type Group, type Item, navigation, searchWeights, secondarySources } from "./navigation.ts";
import { searchTerms } from "./search-terms.ts";

/** Root of the repository. */
export const root: string = resolve(import.meta.dirname, "..");

/** Folder of the generated Markdown files of the reference. Git ignores it. */
export const generatedFolder: string = join(import.meta.dirname, "tmp/reference");

/** Page as the layout shows it. */
export interface LayoutPage {
  /** Path in the site, such as `guide/web.html`. */
  readonly url: string;
  readonly title: string;
  /** First paragraph, as text. */
  readonly description: string;
  /** URL path of the site, for a page that a host shows at any URL: its links are absolute. Default: links are relative. */
  readonly base?: string;
}

/** Page of the site, made from a Markdown file. */
export interface Page extends LayoutPage {
  /** Path of the Markdown file in the repository, such as `docs/guide/web.md`. */
  readonly source: string;
  /** Path of the Markdown twin in the site, such as `guide/web.md`. */
  readonly twin: string;
  readonly markdown: string;
  /** Titles of the groups that contain the page, the section first. */
  readonly path: readonly string[];
  /** True if the page rarely answers a question of a user. */
  readonly isSecondary: boolean;
  /** Factor of the score in a search. */
  readonly searchWeight: number;
  /** Words that users search for and the page may not contain. */
  readonly searchTerms: string;
}

/** Node of the navigation: a page, or a group with its nodes. */
export type NavigationNode = Page | { readonly title: string; readonly nodes: readonly NavigationNode[] };

/** All pages of the site and their order. */
export interface Site {
  /** First page. Its Markdown twin is the README. */
  readonly home: Page;
  readonly tree: readonly NavigationNode[];
  /** Pages in the order of the navigation, without the first page. */
  readonly pages: readonly Page[];
  readonly pageBySource: ReadonlyMap<string, Page>;
}

/** Reads the pages of the navigation. Throws an error that names pages which are missing, or which the navigation lacks. */
export function readSite(): Site {
  const pages: Page[] = [];
  const nodesOf = (items: readonly Item[], path: readonly string[]): NavigationNode[] =>
    items.flatMap((item): NavigationNode[] => {
      if (typeof item === "string") {
        const page = readPage(item, path);
        pages.push(page);
        return [page];
      }
      if ("folder" in item) return nodesOf(sourcesIn(item.folder), path);
      const nodes = nodesOf(item.items, [...path, item.title]);
      return nodes.length === 0 ? [] : [{ title: item.title, nodes }];
    });
  const tree = nodesOf(navigation satisfies readonly Group[], []);
  const home = readPage("README.md", []);
  const pageBySource = new Map([home, ...pages].map((page) => [page.source, page]));
  const unlisted = globSync("docs/**/*.md", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !pageBySource.has(path))
    .sort();
  const unknown = Object.keys(searchTerms).filter((source) => !pageBySource.has(source));
  if (unknown.length > 0) throw new Error(`site/search-terms.ts names missing pages:\n${unknown.join("\n")}`);
  if (unlisted.length > 0) {
    throw new Error(`site/navigation.ts does not list these pages. Add each to a group:\n${unlisted.join("\n")}`);
  }
  return { home, tree, pages, pageBySource };
}

function sourcesIn(folder: string): string[] {
  const directory = folder === apiFolder ? generatedFolder : join(root, folder);
  if (!existsSync(directory)) return [];
  // `web.csrf.md`, a namespace of `web.md`, follows it. The main entry point of the reference comes first.
  const rank = (name: string): string =>
    name === "README.md"
      ? ""
      : name
          .replace(/\.md$/, "")
          .replace(/^limmat\b/, folder === apiFolder ? "\u0001" : "$&")
          .replaceAll(".", "\u0001");
  return globSync("*.md", { cwd: directory })
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map((name) => `${folder}/${name}`);
}

function readPage(source: string, path: readonly string[]): Page {
  const file = source.startsWith(`${apiFolder}/`) ? join(generatedFolder, basename(source)) : join(root, source);
  if (!existsSync(file)) throw new Error(`site/navigation.ts lists ${source}, which does not exist.`);
  const markdown = readFileSync(file, "utf8");
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  if (title === undefined) throw new Error(`${source} has no title: its first line has to be "# Title".`);
  const twin = source.replace(/^docs\//, "").replace(/[A-Z]+(?=\.md$)/, (name) => name.toLowerCase());
  const isSecondary = secondarySources.some((pattern) => pattern.test(source));
  const weight = searchWeights.find(([pattern]) => pattern.test(source))?.[1] ?? 1;
  return {
    source,
    url: twin.replace(/(?:(?<=^|\/)readme)?\.md$/, (name) => (name === ".md" ? ".html" : "index.html")),
    twin: twin.replace(/(?<=^|\/)readme\.md$/, "index.md"),
    title: plainText(title),
    description: firstParagraph(markdown),
    markdown,
    path,
    isSecondary,
    searchWeight: isSecondary ? 0.2 : weight,
    searchTerms: searchTerms[source] ?? "",
  };
}

function firstParagraph(markdown: string): string {
  const blocks = markdown.replace(/^# .*$/m, "").split(/\n{2,}/);
  const paragraph = blocks.map((block) => block.trim()).find((block) => /^[^\s#|`>!<*-]|^`[^`]/.test(block)) ?? "";
  return plainText(paragraph.replaceAll("\n", " "));
}

/** Returns the beginning of a text with whole words and at most `maxLength` characters. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\s,;:.(]+\S*$/, "")}…`;
}

/** Returns Markdown of one line without its marks. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll("\\", "")
    .trim();
}

/** Returns the URL of a link on a page to a page or file of the site. */
export function linkUrl({ url, base }: LayoutPage, to: string): string {
  return base === undefined ? relativeUrl(url, to) : base + to;
}

/** Returns the relative URL from one page or file of the site to another. */
export function relativeUrl(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path === "" ? posix.basename(to) : path;
}
