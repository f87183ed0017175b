import { html, type Html, unsafeHtml } from "../../../html/index.ts";
import type { View } from "./views.ts";

const style = `:root{color-scheme:light dark;--ink:#1d2433;--paper:#fbfaf7;--line:#1d243399;--accent:#3b5bdb;--on:#fff;--wrong:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaf0;--paper:#14161c;--line:#ffffff77;--accent:#91a7ff;--on:#14161c;--wrong:#ffb4ab}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem;
background:var(--paper);color:var(--ink);font:1.0625rem/1.6 system-ui,sans-serif}main{max-width:26rem;width:100%}
h1{margin:0 0 .75rem;font-size:clamp(1.75rem,6vw,2.25rem);line-height:1.15;letter-spacing:-.02em;text-wrap:balance}
p{margin:0 0 1rem}a{color:var(--accent)}.field{margin:0 0 1rem}label{display:block;margin:0 0 .25rem;font-weight:600}
input:not([type=hidden]){width:100%;padding:.75rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.5rem}
input[readonly]{border-style:dashed}input[aria-invalid=true]{border-color:var(--wrong)}.error{margin:.25rem 0 0;color:var(--wrong)}.error:empty{display:none}
button{width:100%;padding:.75rem;font:inherit;font-weight:600;color:var(--on);background:var(--accent);border:0;border-radius:.5rem;cursor:pointer}
:is(a,button,input):focus-visible{outline:3px solid var(--accent);outline-offset:3px}`;

/** A whole page around a view, for applications that give no layout of their own: it needs no other file. */
export function frame({ title, content }: View, nonce: string): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${unsafeHtml(`<style nonce="${nonce}">${style}</style>`)}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`;
}
