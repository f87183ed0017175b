import { createCssVariablesTheme, createHighlighter, type Highlighter } from "shiki";

const languages = [
  "css",
  "diff",
  "docker",
  "html",
  "ini",
  "javascript",
  "json",
  "nginx",
  "shellscript",
  "sql",
  "toml",
  "tsx",
  "typescript",
  "yaml",
];

const aliases: Readonly<Record<string, string>> = {
  bash: "shellscript",
  dockerfile: "docker",
  js: "javascript",
  sh: "shellscript",
  ts: "typescript",
  yml: "yaml",
};

const theme = createCssVariablesTheme({ name: "limmat", variablePrefix: "--code-" });

/** Classes of tokens, which `site.css` colours for both colour schemes. */
const classByToken: Readonly<Record<string, string>> = {
  keyword: "k",
  string: "s",
  "string-expression": "s",
  comment: "m",
  function: "f",
  inserted: "i",
  deleted: "d",
};

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for HTML and for quoted attributes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? "");

/** Returns the URL of the reference of a type, or `undefined`. */
export type LinkOf = (name: string) => string | undefined;

/** Function that returns the code of a language as HTML. */
export type Highlight = (code: string, language: string, linkOf?: LinkOf) => string;

/** Loads the grammars and returns a highlighter that caches its results. */
export async function createHighlight(): Promise<Highlight> {
  const highlighter = await createHighlighter({ themes: [theme], langs: languages });
  const cache = new Map<string, string>();
  return (code, language, linkOf) => {
    const name = aliases[language] ?? language;
    if (!languages.includes(name)) return escapeHtml(code);
    // Links depend on the page.
    if (linkOf !== undefined) return highlightCode(highlighter, code, name, linkOf);
    const key = `${name}\n${code}`;
    let html = cache.get(key);
    if (html === undefined) {
      html = highlightCode(highlighter, code, name);
      cache.set(key, html);
    }
    return html;
  };
}

function highlightCode(highlighter: Highlighter, code: string, language: string, linkOf?: LinkOf): string {
  const { tokens } = highlighter.codeToTokens(code, { lang: language as "typescript", theme: "limmat" });
  return tokens
    .map((line) => {
      const runs: { name: string; text: string }[] = [];
      for (const { content, color = "" } of line) {
        const name = classByToken[/--code-token-([\w-]+)/.exec(color)?.[1] ?? ""] ?? "";
        const last = runs.at(-1);
        if (last !== undefined && (last.name === name || content.trim() === "")) last.text += content;
        else runs.push({ name, text: content });
      }
      return runs.map(({ name, text }) => printRun(name, text, linkOf)).join("");
    })
    .join("\n");
}

function printRun(name: string, text: string, linkOf: LinkOf | undefined): string {
  const isProse = name === "m" || name === "s";
  const html =
    linkOf === undefined || isProse
      ? escapeHtml(text)
      : text
          .split(/(\b[A-Z]\w*(?:\.[A-Z]\w*)*)/)
          .map((part, index) => {
            const url = index % 2 === 1 ? linkOf(part) : undefined;
            return url === undefined ? escapeHtml(part) : `<a href="${escapeHtml(url)}">${escapeHtml(part)}</a>`;
          })
          .join("");
  return name === "" ? html : `<span class="${name}">${html}</span>`;
}
