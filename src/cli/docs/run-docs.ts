import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "../../core/index.ts";
import { packagePath } from "../../project/index.ts";

/** Page of the documentation. */
interface DocsPage {
  /** Path in the folder `docs`, without its ending: `guide/uploads`. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

const maxResults = 20;

/**
 * Prints the documentation of the installed version as Markdown: the list of pages, the page with a name, or the sections
 * that contain all words. Returns `undefined` for options, which do not exist.
 */
export function runDocs(args: readonly string[], output: Command.Output): Command.Done | undefined {
  if (args.some((argument) => argument.startsWith("-"))) return undefined;
  const folder = packagePath("docs");
  const pages = readPages(folder);
  const page = findPage(pages, args.join(" "));
  if (page !== undefined) output.print(page.text.trimEnd());
  else if (args.length === 0) printTable(pages, output);
  else printTable(findSections(pages, args), output);
  if (page === undefined) output.note(`\nFolder of the pages: ${folder}\nPrint a page with: docs <path>`);
  return Command.done;
}

function readPages(folder: string): readonly DocsPage[] {
  return globSync("**/*.md", { cwd: folder }).map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const path = file.replaceAll("\\", "/").replace(/\.md$/, "");
    return { path, title: /^# (.+)$/m.exec(text)?.[1] ?? path, text };
  });
}

/** Returns the page with a path, a file name or a title. Of several, one of the guide. */
function findPage(pages: readonly DocsPage[], name: string): DocsPage | undefined {
  const wanted = name.toLowerCase().replace(/^docs\/|\.md$/g, "");
  const matches = pages.filter(({ path, title }) =>
    [path, path.split("/").at(-1), title.toLowerCase()].includes(wanted),
  );
  return matches.find(({ path }) => path === wanted || path.startsWith("guide/")) ?? matches[0];
}

type Entry = Pick<DocsPage, "path" | "title">;

/** Returns the sections that contain all words, those with most of them in their headings first. */
function findSections(pages: readonly DocsPage[], words: readonly string[]): readonly Entry[] {
  const wanted = words.map((word) => word.toLowerCase());
  const countIn = (text: string): number => wanted.filter((word) => text.toLowerCase().includes(word)).length;
  return pages
    .flatMap(({ path, title, text }) => {
      // A line of code can begin with "#", too.
      const sections = text.split(/(?=^#{1,4} [A-Z`])/m);
      return sections.map((section) => ({ path, title: `${title}: ${/^#+ (.+)/.exec(section)?.[1] ?? ""}`, section }));
    })
    .filter(({ title, section }) => countIn(`${title} ${section}`) === wanted.length)
    .sort((a, b) => countIn(b.title) - countIn(a.title))
    .slice(0, maxResults);
}

function printTable(entries: readonly Entry[], output: Command.Output): void {
  const width = Math.max(0, ...entries.map(({ path }) => path.length));
  for (const { path, title } of entries) output.print(`${path.padEnd(width)}  ${title}`);
  if (entries.length === 0) output.note("No page contains these words.");
}
