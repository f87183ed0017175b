export { type MarkdownOptions, renderMarkdown } from "./markdown.ts";
