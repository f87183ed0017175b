import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Eleventy } from "@11ty/eleventy";
import ts from "typescript";
import { unsafeHtml } from "../src/html/index.ts";
import { createHighlight, type Highlight, type LinkOf } from "./highlight.ts";
import { renderHome } from "./home.ts";
import { renderDocument } from "./layout.ts";
import { twinMarkdown } from "./links.ts";
import { llmsFull, llmsIndex } from "./llms.ts";
import { apiFolder } from "./navigation.ts";
import { createMarkdown, type RenderEnvironment } from "./markdown.ts";
import { notFoundFile, notFoundPage, renderNotFound } from "./not-found.ts";
import { type Page, readSite, relativeUrl, root, type Site } from "./pages.ts";
import type { Reference, TypeTarget } from "./reference/generate-reference.ts";
import { writeSearchIndex } from "./search-index.ts";

/** Options of `createEleventy`. */
export interface SiteOptions {
  /** Folder of the built site. */
  readonly output: string;
  /** Name of the documented version, as the menu shows it. */
  readonly version: string;
  /** True if the folder above the site lists other versions. */
  readonly hasVersions: boolean;
  /** URL path at which the site is published, with a slash at both ends: the links of `404.html` begin with it. */
  readonly base: string;
  readonly reference: Reference;
}

/** Part of Eleventy's configuration that the site uses. */
interface EleventyConfig {
  addTemplate(path: string, content: unknown, data: Readonly<Record<string, unknown>>): void;
  addPassthroughCopy(paths: Readonly<Record<string, string>>): void;
  on(event: "eleventy.after", listener: () => void): void;
  addWatchTarget(path: string, options: { readonly resetConfig: boolean }): void;
  setLibrary(name: string, library: unknown): void;
  setLayoutsDirectory(path: string): void;
}

/** Data of a template that Eleventy passes to the Markdown renderer and to the layout. */
interface TemplateData {
  /** Path of the page's Markdown file in the repository. */
  readonly source: string;
  /** Content, when the layout renders it. */
  readonly content: string;
}

const publicFiles = ["icon.svg", "site.css", "site.js"];

/** Creates the generator of the site. Its paths are relative to the folder of this file. */
export async function createEleventy(options: SiteOptions): Promise<Eleventy> {
  const highlight = await createHighlight();
  return new Eleventy("public", options.output, {
    quietMode: true,
    configPath: "",
    config: (config: EleventyConfig) => configure(config, options, highlight),
  });
}

/** Adds a template for each page, its Markdown twin, the page of unknown URLs, and the indexes for language models. */
function configure(config: EleventyConfig, options: SiteOptions, highlight: Highlight): void {
  const { output, version, hasVersions, base, reference } = options;
  const site = readSite();
  const markdown = createMarkdown(site, highlight);
  const searchScript = readSearchScript();
  const fingerprint = fingerprintOf(publicFiles, searchScript);
  const environments = new Map<string, RenderEnvironment>();
  for (const page of [site.home, ...site.pages]) {
    environments.set(page.source, { page, headings: [], linkOf: linkTypes(site, page, reference.types) });
  }
  const environmentOf = ({ source }: TemplateData): RenderEnvironment => {
    const environment = environments.get(source);
    if (environment === undefined) throw new Error(`No page has the source ${source}.`);
    return environment;
  };

  config.setLibrary("md", {
    render: (text: string, data: TemplateData) => markdown.render(text, environmentOf(data)),
  });
  config.setLayoutsDirectory("_layouts");
  const renderLayout = (data: TemplateData): string => {
    const { page, headings } = environmentOf(data);
    const body = unsafeHtml(data.content);
    return renderDocument(site, { page, body, headings, version, hasVersions, fingerprint });
  };
  config.addTemplate("_layouts/page.11ty.js", { render: renderLayout }, {});

  const { home } = site;
  const pageData = ({ source, url }: Page) => ({ source, permalink: `/${url}`, layout: "page.11ty.js" });
  config.addTemplate("index.11ty.js", { render: () => renderHome(site, highlight).toString() }, pageData(home));
  for (const page of site.pages) {
    config.addTemplate(page.twin, page.markdown, { ...pageData(page), templateEngineOverride: "md" });
  }
  const addText = (path: string, render: () => string): void =>
    config.addTemplate(`text/${path}.11ty.js`, { render }, { permalink: `/${path}` });
  for (const page of [home, ...site.pages]) addText(page.twin, () => twinMarkdown(site, page));
  addText(notFoundFile, () => {
    const page = notFoundPage(base);
    const body = renderNotFound(site, page);
    return renderDocument(site, { page, body, headings: [], version, hasVersions, fingerprint });
  });
  addText("search.js", () => searchScript);
  addText("llms.txt", () => llmsIndex(site));
  addText("llms-full.txt", () => llmsFull(site));

  config.on("eleventy.after", () => writeSearchIndex(output));

  for (const path of globSync("docs/**/*.{svg,png}", { cwd: root })) {
    const name = path.replaceAll("\\", "/");
    config.addPassthroughCopy({ [`../${name}`]: name.replace(/^docs\//, "") });
  }
  for (const name of publicFiles) config.addPassthroughCopy({ [`public/${name}`]: name });
  for (const path of ["../docs/**/*.md", "../*.md", "public"]) config.addWatchTarget(path, { resetConfig: true });
}

/** Returns a function that finds the reference of a type: on the same page, or where the name is unique. */
function linkTypes(site: Site, page: Page, types: readonly TypeTarget[]): LinkOf | undefined {
  if (!page.source.startsWith(`${apiFolder}/`)) return undefined;
  return (name) => {
    const candidates = types.filter((type) => type.name === name || type.name.endsWith(`.${name}`));
    if (candidates.length === 0) candidates.push(...types.filter(({ declaredName }) => declaredName === name));
    const target =
      candidates.find(({ source }) => source === page.source) ?? (candidates.length === 1 ? candidates[0] : undefined);
    const targetPage = target === undefined ? undefined : site.pageBySource.get(target.source);
    if (target === undefined || targetPage === undefined) return undefined;
    return targetPage === page ? `#${target.anchor}` : `${relativeUrl(page.url, targetPage.url)}#${target.anchor}`;
  };
}

/** Returns the search as JavaScript for the browser. */
function readSearchScript(): string {
  const source = readFileSync(join(import.meta.dirname, "search.ts"), "utf8");
  const compilerOptions = { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext, removeComments: true };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}

/** Returns a hash of files of the folder `public`, and of the search. It changes their URLs when their content changes. */
function fingerprintOf(names: readonly string[], searchScript: string): string {
  const hash = createHash("sha256").update(searchScript);
  for (const name of names) hash.update(readFileSync(join(import.meta.dirname, "public", name)));
  return hash.digest("hex").slice(0, 8);
}
