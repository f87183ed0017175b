/** Event that the development server sends to browsers. */
export type BrowserEvent =
  /** A new version of the application runs. */
  | { readonly kind: "reload" }
  /** Only style sheets changed. */
  | { readonly kind: "styles" }
  /** The newest version failed to start, or its assets have errors. Without a reason, all is well. */
  | { readonly kind: "failure"; readonly title?: string; readonly reason: string | undefined };

/** Paths that the development server handles itself. They shadow routes of the application. */
export const developmentPaths = {
  script: "/__limmat/client.js",
  events: "/__limmat/events",
  assets: "/__limmat/assets",
} as const;

/** Script element that is appended to each page. */
export const scriptTag: string = `<script src="${developmentPaths.script}" defer></script>\n`;

/** Script in the browser: reloads the page, replaces style sheets, and shows errors in an overlay. */
export const clientScript: string = `(() => {
  const events = new EventSource("${developmentPaths.events}");
  let overlay;
  const show = ({ title = "The newest version failed to start. This page comes from the previous version.", reason }) => {
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
    const heading = document.createElement("h2");
    heading.textContent = title;
    const text = document.createElement("pre");
    text.textContent = reason;
    section.append(heading, text);
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
    const event = JSON.parse(data);
    if (event.kind === "reload") location.reload();
    else if (event.kind === "styles") restyle();
    else if (document.documentElement.dataset.limmatFailure === undefined) show(event);
  };
  addEventListener("pagehide", () => events.close());
})();
`;

/** Returns the page shown while no version runs. It reloads when one starts. */
export const failurePage = (reason: string): string => `<!doctype html>
<html lang="en" data-limmat-failure>
<meta charset="utf-8">
<title>Application not running</title>
<style>
  body { margin: 0; padding: 2rem 1.5rem; background: #2a0f12; color: #ffd9d6; font: 1rem/1.5 system-ui, sans-serif; }
  h1 { font-size: 1.3rem; color: #fff; }
  pre { font: .875rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
<h1>The application is not running</h1>
<pre>${escapeHtml(reason)}</pre>
<p>This page reloads as soon as the application starts.</p>
${scriptTag}`;

const htmlEntities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const escapeHtml = (text: string): string => text.replaceAll(/[&<>]/g, (character) => htmlEntities[character] ?? "");
