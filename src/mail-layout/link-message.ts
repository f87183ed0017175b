import { html, type Html } from "../html/index.ts";
import { LanguageInternals } from "../language/index.ts";
import { button, layout } from "./layout.ts";

/**
 * Returns a short mail of the framework as text and as HTML with the same words, and a link to `url` if it is given. The HTML
 * shows the host of the link above the card, and the
 * whole link below the button, for those who want to see or copy it.
 */
export function linkMessage(
  { subject, before, link = "", after = [] }: LanguageInternals.MailText,
  url?: string,
): {
  readonly subject: string;
  readonly text: string;
  readonly html: Html;
} {
  const paragraphs = (texts: readonly string[]): readonly Html[] => texts.map((text) => html`<p>${text}</p>`);
  const linkParts = url !== undefined && [
    button(link, url),
    html`<p class="soft" style="font-size:13px;color:#51606e;word-break:break-all">${url}</p>`,
  ];
  return {
    subject,
    text: `${[...before, ...(url === undefined ? [] : [url]), ...after].join("\n\n")}\n`,
    html: layout(
      {
        title: subject,
        language: LanguageInternals.frameworkLanguage(),
        ...(url === undefined ? {} : { header: new URL(url).host }),
      },
      html`<h1>${subject}</h1>
        ${paragraphs(before)}${linkParts}${paragraphs(after)}`,
    ),
  };
}
