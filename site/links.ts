import { existsSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { type Page, relativeUrl, root, type Site } from "./pages.ts";

/** Target of a link in a Markdown file. */
export type LinkTarget =
  | { readonly kind: "page"; readonly page: Page; readonly hash: string }
  /** File that the site copies from `docs/`, such as an image. */
  | { readonly kind: "file"; readonly path: string }
  /** File or folder of the repository that is not part of the site. */
  | { readonly kind: "repository"; readonly url: string | undefined; readonly path: string }
  | { readonly kind: "external"; readonly url: string }
  /** Link to nothing. It stays as it is, and the check of the built site reports it. */
  | { readonly kind: "broken" };

const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly repository?: { readonly url: string };
};

/** URL of the repository in a browser, if `package.json` names one. */
export const repositoryUrl: string | undefined = repository?.url.replace(/^git\+/, "").replace(/\.git$/, "");

/** Version of the package: the newest one of the changelog. */
export const packageVersion: string =
  /^## (\d+\.\d+\.\d+\S*)/m.exec(readFileSync(join(root, "CHANGELOG.md"), "utf8"))?.[1] ?? "0.0.0";

/** Returns the target of a link on a page. The link is relative to the Markdown file, as the repository's host shows it. */
export function resolveLink(site: Site, source: string, href: string): LinkTarget {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return { kind: "external", url: href };
  const [path = "", fragment] = href.split("#");
  const hash = fragment === undefined ? "" : `#${fragment}`;
  const target = path === "" ? source : posix.normalize(posix.join(posix.dirname(source), path)).replace(/\/$/, "");
  const page = site.pageBySource.get(target) ?? site.pageBySource.get(`${target}/README.md`);
  if (page !== undefined) return { kind: "page", page, hash };
  const file = join(root, target);
  if (target.startsWith("..") || !existsSync(file)) return { kind: "broken" };
  if (/^docs\/.*\.(?:svg|png)$/.test(target)) return { kind: "file", path: target.replace(/^docs\//, "") };
  const view = statSync(file).isDirectory() ? "tree" : "blob";
  const url = repositoryUrl === undefined ? undefined : `${repositoryUrl}/${view}/v${packageVersion}/${target}${hash}`;
  return { kind: "repository", url, path: target };
}

/**
 * Returns the Markdown of a page with links that are correct at a path of the site: to other twins and to copied files. Links to
 * files that are not part of the site become text if the repository has no URL.
 */
export function twinMarkdown(site: Site, page: Page, path: string = page.twin): string {
  const rewrite = (text: string): string =>
    text.replaceAll(
      /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g,
      (link, image: string, label: string, href: string) => {
        const target = resolveLink(site, page.source, href);
        const inner = rewrite(label);
        if (target.kind === "external" || target.kind === "broken") return link;
        if (href.startsWith("#") && path === page.twin) return link;
        if (target.kind === "page") return `${image}[${inner}](${relativeUrl(path, target.page.twin)}${target.hash})`;
        if (target.kind === "file") return `${image}[${inner}](${relativeUrl(path, target.path)})`;
        return target.url === undefined ? inner : `[${inner}](${target.url})`;
      },
    );
  return splitCode(page.markdown)
    .map(({ text, isCode }) => (isCode ? text : rewrite(text)))
    .join("");
}

/** Splits Markdown into fenced code blocks, inline code, and the text between them. */
function splitCode(markdown: string): { readonly text: string; readonly isCode: boolean }[] {
  return markdown
    .split(/(^ *(`{3,})[^]*?^ *\2 *$)/m)
    .filter((_, index) => index % 3 !== 2)
    .map((text, index) => ({ text, isCode: index % 2 === 1 }));
}
