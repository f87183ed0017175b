/** What browsers are told. */
export type News =
  /** There is a new version of the application. */
  | { readonly kind: "reload" }
  /** Style sheets changed, and nothing else. */
  | { readonly kind: "styles" }
  /** The newest version does not run; `undefined` when it does. */
  | { readonly kind: "failure"; readonly reason: string | undefined };

/** Where the development server answers itself, whatever the application has there. */
export const ownPaths = { script: "/__limmat/client.js", events: "/__limmat/events" } as const;

/** What is added to each page. */
export const scriptTag: string = `<script src="${ownPaths.script}" defer></script>\n`;

/** The script in the browser: reloads, swaps style sheets, and lays what went wrong over the page. */
export const clientScript: string = `(() => {
  const events = new EventSource("${ownPaths.events}");
  let overlay;
  const show = (reason) => {
    overlay?.remove();
    overlay = undefined;
    if (reason === undefined) return;
    overlay = document.createElement("div");
    const root = overlay.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(\`
      section { position: fixed; inset: auto 0 0; z-index: 2147483647; max-height: 70vh; overflow: auto;
        background: #2a0f12; color: #ffd9d6; border-top: 4px solid #e5484d; padding: 1rem 1.5rem; }
      h2 { font: 600 1rem/1.4 system-ui, sans-serif; margin: 0 0 .5rem; color: #fff; }
      pre { font: .85rem/1.5 ui-monospace, monospace; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }\`);
    root.adoptedStyleSheets = [style];
    const section = document.createElement("section");
    section.setAttribute("role", "alert");
    const title = document.createElement("h2");
    title.textContent = "The newest version does not run. This is the one before.";
    const text = document.createElement("pre");
    text.textContent = reason;
    section.append(title, text);
    root.append(section);
    document.body.append(overlay);
  };
  const restyle = () => {
    for (const link of document.querySelectorAll('link[rel="stylesheet"]')) {
      const url = new URL(link.href);
      if (url.origin !== location.origin) continue;
      url.searchParams.set("limmat", Date.now());
      link.href = url.href;
    }
  };
  events.onmessage = ({ data }) => {
    const news = JSON.parse(data);
    if (news.kind === "reload") location.reload();
    else if (news.kind === "styles") restyle();
    else if (document.documentElement.dataset.limmatFailure === undefined) show(news.reason);
  };
  addEventListener("pagehide", () => events.close());
})();
`;

/** The page while there is no version that runs; reloads by itself when there is one. */
export const failurePage = (reason: string): string => `<!doctype html>
<html lang="en" data-limmat-failure>
<meta charset="utf-8">
<title>Does not run</title>
<style>
  body { margin: 0; padding: 2rem 1.5rem; background: #2a0f12; color: #ffd9d6; font: 1rem/1.5 system-ui, sans-serif; }
  h1 { font-size: 1.3rem; color: #fff; }
  pre { font: .875rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
<h1>The application does not run</h1>
<pre>${escape(reason)}</pre>
<p>This page reloads as soon as it does.</p>
${scriptTag}`;

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const escape = (text: string): string => text.replaceAll(/[&<>]/g, (sign) => entities[sign] ?? "");
