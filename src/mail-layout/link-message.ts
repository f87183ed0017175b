import { html, type Html } from "../html/index.ts";
import { button, layout } from "./layout.ts";

/** Content of a short mail: paragraphs, with a link between them. */
interface LinkMessage {
  readonly subject: string;
  readonly before: readonly string[];
  /** Link and its label, which only the HTML shows. */
  readonly link?: { readonly label: string; readonly url: string };
  readonly after?: readonly string[];
}

/**
 * Returns a short mail as text and as HTML with the same words. The HTML shows the host of the link above the card, and the
 * whole link below the button, for those who want to see or copy it.
 */
export function linkMessage({ subject, before, link, after = [] }: LinkMessage): {
  readonly subject: string;
  readonly text: string;
  readonly html: Html;
} {
  const paragraphs = (texts: readonly string[]): readonly Html[] => texts.map((text) => html`<p>${text}</p>`);
  const linkParts = link && [
    button(link.label, link.url),
    html`<p class="soft" style="font-size:13px;color:#51606e;word-break:break-all">${link.url}</p>`,
  ];
  return {
    subject,
    text: `${[...before, ...(link === undefined ? [] : [link.url]), ...after].join("\n\n")}\n`,
    html: layout(
      { title: subject, ...(link === undefined ? {} : { header: new URL(link.url).host }) },
      html`<h1>${subject}</h1>
        ${paragraphs(before)}${linkParts}${paragraphs(after)}`,
    ),
  };
}
