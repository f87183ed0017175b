import { html, type Html, unsafeHtml } from "../html/index.ts";
import { Language } from "../language/index.ts";

/** Options of `Email.layout`. */
export interface LayoutOptions {
  /** Title of the document, for screen readers: usually the subject. */
  readonly title: string;
  /** Text that mail clients show after the subject in lists. Default: the beginning of the content. */
  readonly preview?: string;
  /** Content above the card: usually the name of the application. */
  readonly header?: Html | string;
  /** Content below the card, in smaller type: the sender, the reason, how to unsubscribe. */
  readonly footer?: Html | string;
  /** Language of the content (BCP 47). Default: the current language. */
  readonly language?: string;
}

/** Styles that mail clients may ignore: essential ones are inline. Colors as in `template/public/app.css`. */
const optionalStyles = unsafeHtml(`<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
.card h1{margin:0 0 16px;font-size:24px;line-height:1.2}.card>:first-child{margin-top:0}.card>:last-child{margin-bottom:0}
@media(prefers-color-scheme:dark){.paper{background:#0f161d!important}.card{background:#17212b!important;border-color:#2c3946!important}
.card,.card p,.card h1,.card h2,.card li,.card td{color:#e8eef4!important}.soft,.soft p,.card p.soft{color:#9fb0c0!important}
.card a{color:#5cc0e8!important}.card .button{background:#5cc0e8!important}.card .button a{color:#06202c!important}}
</style>`);

/**
 * Returns an HTML mail that looks alike in the common mail clients: a column of at most 600 pixels with inline styles, and a
 * dark theme where the client supports it. Headings, paragraphs and lists need no styles of their own.
 *
 * @example
 * Email.layout({ title: "Welcome", footer: "You have an account at example.com." }, html`
 *   <h1>Welcome, ${user.name}</h1>
 *   <p>Please confirm that this is your address.</p>
 *   ${Email.button("Confirm", link)}
 * `);
 */
export function layout(options: LayoutOptions, content: Html): Html {
  const { title, preview, header, footer, language = Language.current() } = options;
  const headerRow = html`<tr>
    <td class="soft" style="padding:0 8px 16px;font-size:14px;font-weight:600;color:#51606e">${header}</td>
  </tr>`;
  const footerRow = html`<tr>
    <td class="soft" style="padding:16px 8px 0;font-size:13px;line-height:1.5;color:#51606e">${footer}</td>
  </tr>`;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${optionalStyles}
      </head>
      <body class="paper" style="margin:0;padding:0;background:#f4f7f9">
        ${preview === undefined ? "" : html`<div hidden style="display:none;max-height:0;overflow:hidden">${preview}</div>`}
        <table
          class="paper"
          role="presentation"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          style="background:#f4f7f9"
        >
          <tr>
            <td align="center" style="padding:32px 16px">
              <table
                role="presentation"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                style="max-width:600px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
              >
                ${header === undefined ? "" : headerRow}
                <tr>
                  <td
                    class="card"
                    style="padding:24px 32px;border:1px solid #d8e0e7;border-radius:10px;background:#ffffff;font-size:16px;line-height:1.6;color:#14202b"
                  >
                    ${content}
                  </td>
                </tr>
                ${footer === undefined ? "" : footerRow}
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>`;
}

/** Returns a link styled as a button, in a form that all common mail clients display. */
export function button(label: string, href: string): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:24px 0">
    <tr>
      <td class="button" style="border-radius:10px;background:#0b6e99">
        <a
          href="${href}"
          style="display:inline-block;padding:12px 24px;font-weight:600;color:#ffffff;text-decoration:none;border-radius:10px"
          >${label}</a
        >
      </td>
    </tr>
  </table>`;
}
