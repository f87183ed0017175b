import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import GithubSlugger from "github-slugger";
import ts from "typescript";
import { apiFolder } from "../navigation.ts";
import { generatedFolder } from "../pages.ts";
import {
  type ApiExport,
  type ApiLink,
  type ApiPage,
  collectExports,
  docComment,
  type DocComment,
  type ExportKind,
} from "./collect-exports.ts";
import { loadDeclarations } from "./declarations.ts";
import { formatCodeBlocks } from "./format-code.ts";
import { introductionOf } from "./introductions.ts";
import { documentedMethods, methodSignature, signature } from "./signature.ts";

/** Result of the generator. */
export interface Reference {
  readonly pages: number;
  readonly exports: number;
  /** Names of the exports without a doc comment, and of the pages without an introduction. */
  readonly undocumented: readonly string[];
  /** Types and classes that code of the reference can link to. */
  readonly types: readonly TypeTarget[];
}

/** Place that documents a type or class. */
export interface TypeTarget {
  /** Name with its namespace: `Web.Request`. */
  readonly name: string;
  /** Name in the declarations, which other signatures use. */
  readonly declaredName: string;
  /** Path of the page's Markdown file. */
  readonly source: string;
  readonly anchor: string;
}

const sections: readonly (readonly [ExportKind, string])[] = [
  ["function", "Functions"],
  ["value", "Values"],
  ["class", "Classes"],
  ["type", "Types"],
];

/** Writes the reference of all entry points, as Markdown files, from their declarations and doc comments. */
export async function generateReference(): Promise<Reference> {
  const pages = collectExports(loadDeclarations());
  rmSync(generatedFolder, { recursive: true, force: true });
  mkdirSync(generatedFolder, { recursive: true });
  writeFileSync(join(generatedFolder, "README.md"), formatIndex(pages));
  for (const page of pages) {
    writeFileSync(join(generatedFolder, `${page.id}.md`), await formatCodeBlocks(formatPage(page)));
  }
  const exports = pages.flatMap((page) => page.exports);
  const undocumented = exports
    .filter(({ exportDoc, declarations }) => !exportDoc && !declarations.some((node) => docComment(node)?.text))
    .map(({ name }) => name)
    .concat(pages.filter(({ id }) => introductionOf(id) === undefined).map(({ title }) => title));
  const types = pages.flatMap((page) =>
    page.exports
      .filter(({ kind }) => kind === "type" || kind === "class")
      .map(({ name, declarations }) => ({
        name,
        declaredName: declaredName(declarations),
        source: `${apiFolder}/${page.id}.md`,
        anchor: anchorOf(page, name),
      })),
  );
  return { pages: pages.length, exports: exports.length, undocumented, types };
}

function declaredName([declaration]: ApiExport["declarations"]): string {
  const name = declaration === undefined ? undefined : ts.getNameOfDeclaration(declaration);
  return name?.getText() ?? "";
}

const anchorsByPage = new WeakMap<ApiPage, ReadonlyMap<string, string>>();

/** Returns the id of an export's heading. Headings that differ only in their case get numbers, as on the repository's host. */
function anchorOf(page: ApiPage, name: string): string {
  let anchors = anchorsByPage.get(page);
  if (anchors === undefined) {
    const slugger = new GithubSlugger();
    anchors = new Map(headingsOf(page).map((heading) => [heading, slugger.slug(heading)]));
    anchorsByPage.set(page, anchors);
  }
  return anchors.get(name) ?? "";
}

/** Returns the headings of a page in their order. */
const headingsOf = (page: ApiPage): string[] =>
  [...formatPage(page, () => "").matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) => text);

function formatIndex(pages: readonly ApiPage[]): string {
  const rows = pages
    .filter(({ title }) => title.startsWith("limmat"))
    .map(
      (page) =>
        `| [\`${page.title}\`](${page.id}.md) | ${introductionOf(page.id)?.content ?? ""}<br>${contentsOf(page)} |`,
    );
  return `# API reference

All exports of the package, generated from its declarations and doc comments. A name links to its namespace, or to its entry point.

| Entry point | Contents |
| --- | --- |
${rows.join("\n")}
`;
}

function contentsOf({ namespaces, exports, others }: ApiPage): string {
  const links = namespaces.map(({ name, page }) => `[\`${name}\`](${page.id}.md)`);
  const names = [
    ...exports.filter(({ kind }) => kind !== "type").map(({ name }) => `\`${name}\``),
    ...others.map(linkTo(anchorOf)),
  ];
  const shown = [...links, ...names.slice(0, 6)];
  return names.length > 6 ? `${shown.join(", ")} …` : shown.join(", ");
}

type AnchorOf = (page: ApiPage, name: string) => string;

const linkTo =
  (anchor: AnchorOf) =>
  ({ name, page, target }: ApiLink): string =>
    `[\`${name}\`](${page.id}.md${target === undefined ? "" : `#${anchor(page, target)}`})`;

function formatPage(page: ApiPage, anchor: AnchorOf = anchorOf): string {
  const formatLink = linkTo(anchor);
  const parts = [`# ${page.title}`];
  const introduction = introductionOf(page.id);
  parts.push(page.doc === "" ? (introduction?.content ?? "") : formatText(page.doc));
  if (introduction !== undefined) parts.push(`Explained in ${introduction.link}.`);
  parts.push(fence(page.importCode));
  if (page.namespaces.length > 0) {
    const rows = page.namespaces.map(
      (link) => `| ${formatLink(link)} | ${introductionOf(link.page.id)?.content ?? ""} |`,
    );
    parts.push("## Namespaces", `| Namespace | Content |\n| --- | --- |\n${rows.join("\n")}`);
  }
  for (const [kind, title] of sections) {
    const exports = page.exports.filter((entry) => entry.kind === kind);
    if (exports.length > 0)
      parts.push(`## ${title}`, ...exports.map((entry) => formatExport(entry, (name) => anchor(page, name))));
  }
  if (page.others.length > 0) {
    parts.push(
      "## Also exported",
      `These exports are documented with another entry point: ${page.others.map(formatLink).join(", ")}.`,
    );
  }
  return `${parts.join("\n\n")}\n`;
}

function formatExport({ name, declarations, aliasOf, exportDoc }: ApiExport, anchor: (name: string) => string): string {
  if (aliasOf !== undefined) {
    const doc = exportDoc === "" ? "" : `\n\n${formatText(exportDoc)}`;
    return `### ${name}\n\nAlias of [\`${aliasOf}\`](#${anchor(aliasOf)}).${doc}`;
  }
  const parts = [`### ${name}`, fence(declarations.map((declaration) => signature(declaration, name)).join("\n\n"))];
  if (exportDoc !== "") parts.push(formatText(exportDoc));
  parts.push(...declarations.flatMap(formatDoc));
  for (const declaration of declarations) {
    for (const method of documentedMethods(declaration)) {
      const owner = name.split(".").at(-1) ?? name;
      const receiver = method.isStatic ? owner : owner.charAt(0).toLowerCase() + owner.slice(1);
      parts.push(`#### ${receiver}.${method.name}()`, fence(method.declarations.map(methodSignature).join("\n\n")));
      parts.push(...method.declarations.flatMap(formatDoc));
    }
  }
  return parts.join("\n\n");
}

function formatDoc(declaration: Parameters<typeof docComment>[0]): string[] {
  const comment = docComment(declaration);
  if (comment === undefined) return [];
  const texts = (name: string): string[] => comment.tags.filter((tag) => tag.name === name).map(({ text }) => text);
  const parameters = comment.tags.filter(({ parameter }) => parameter !== undefined);
  const throws = texts("throws").map((text) => `- ${formatText(text)}`);
  const examples = texts("example");
  return [
    formatText(comment.text),
    parameters.length === 0 ? "" : `Parameters:\n\n${parameters.map(formatParameter).join("\n")}`,
    ...texts("returns").map((text) => `Returns ${formatText(text)}`),
    throws.length === 0 ? "" : `Throws:\n\n${throws.join("\n")}`,
    ...(examples.length === 0 ? [] : [examples.length === 1 ? "Example:" : "Examples:", ...examples.map(fence)]),
  ].filter((part) => part !== "");
}

const formatParameter = ({ parameter, text }: DocComment["tags"][number]): string =>
  `- \`${parameter}\`: ${formatText(text)}`;

function fence(code: string): string {
  const marks = code.includes("```") ? "````" : "```";
  return code.startsWith("```") ? code : `${marks}ts\n${code}\n${marks}`;
}

/** Formats the text of a doc comment: escapes `<` outside of code, as it is not HTML, and links error codes to their rows. */
const formatText = (text: string): string =>
  text
    .split(/(``[^]*?``|`[^`]*`)/)
    .map((part, index) => {
      const isCode = index % 2 === 1;
      if (isCode) return part.replace(/^`(E_[A-Z0-9_]+)`$/, linkCode);
      return part.replaceAll("<", "&lt;").replaceAll(/\b(E_[A-Z0-9_]+)\b/g, linkCode);
    })
    .join("");

const linkCode = (_: string, code: string): string => `[\`${code}\`](../errors.md#${code})`;
