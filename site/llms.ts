import { twinMarkdown } from "./links.ts";
import type { NavigationNode, Page, Site } from "./pages.ts";

const summary =
  "limmat is a batteries-included web framework for TypeScript: HTTP, HTML, forms, databases, users, mail, queue, cache, storage and a command line in one package.";

/** Returns `llms.txt`: every page with its Markdown twin, in the order of the navigation. */
export function llmsIndex(site: Site): string {
  const sections = site.tree.map((node) => `## ${node.title}\n\n${pagesOf(node).map(formatEntry).join("\n")}`);
  return `# limmat\n\n> ${summary}\n\n[All pages in one file](llms-full.txt), without decisions, benchmarks and the changelog.\n\n${sections.join("\n\n")}\n`;
}

/** Returns `llms-full.txt`: the Markdown of all pages that answer questions of a user. */
export function llmsFull(site: Site): string {
  const pages = site.pages.filter(({ isSecondary }) => !isSecondary);
  return [site.home, ...pages]
    .map((page) => `<!-- ${page.twin} -->\n\n${twinMarkdown(site, page, "llms-full.txt").trim()}\n`)
    .join("\n");
}

const pagesOf = (node: NavigationNode): readonly Page[] => ("nodes" in node ? node.nodes.flatMap(pagesOf) : [node]);

function formatEntry({ title, twin, description }: Page): string {
  return `- [${title}](${twin})${description === "" ? "" : `: ${description}`}`;
}
