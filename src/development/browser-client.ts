import { lineKind } from "./failure.ts";

/** Event that the development server sends to browsers. */
export type BrowserEvent =
  /** A new version of the application runs. */
  | { readonly kind: "reload" }
  /** Only style sheets changed. */
  | { readonly kind: "styles" }
  /** The newest version failed to start, or its assets have errors. Without a reason, all is well. */
  | { readonly kind: "failure"; readonly title?: string; readonly reason: string | undefined }
  /** The type checker found errors. Without a text, it found none. */
  | { readonly kind: "types"; readonly count: number; readonly text: string | undefined };

/** Paths that the development server handles itself. They shadow routes of the application. */
export const developmentPaths = {
  prefix: "/__limmat/",
  script: "/__limmat/client.js",
  events: "/__limmat/events",
  assets: "/__limmat/assets",
  migrate: "/__limmat/migrate",
  policyReports: "/__limmat/policy-reports",
} as const;

/** Script element that is appended to each page. */
export const scriptTag: string = `<script src="${developmentPaths.script}" defer></script>\n`;

/** Colours of errors and their source in light and dark, as custom properties and classes by `lineKind`. */
export const failureColors = `
      --text: light-dark(#14202b, #e8eef4); --muted: light-dark(#51606e, #9fb0c0);
      --background: light-dark(#f4f7f9, #0f161d); --surface: light-dark(#fff, #17212b); --border: light-dark(#d8e0e7, #2c3946);
      --error: light-dark(#991b1b, #fbb4b4); --mark: light-dark(#fdeaea, #3a1717); --hint: light-dark(#14532d, #a7e3bd);
      --warning: light-dark(#7a4b00, #f5cf8a); --warning-background: light-dark(#fff4dc, #33270f); --accent: light-dark(#0b6e99, #5cc0e8);`;

/** Rules of the lines of an error. */
export const failureRules = `
      pre { margin: 0; overflow-x: auto; font: .85rem/1.6 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2; }
      pre span { display: block; min-height: 1.6em; }
      .message { font: 600 1.05rem/1.5 system-ui, sans-serif; color: var(--error); }
      .location { color: var(--accent); }
      .code, .marked { width: max-content; min-width: 100%; white-space: pre; }
      .code { color: var(--muted); }
      .marked { background: var(--mark); font-weight: 600; }
      .hint { font: 1rem/1.5 system-ui, sans-serif; color: var(--hint); }`;

/** Script in the browser: reloads the page, replaces style sheets, and shows errors in an overlay and types in a badge. */
export const clientScript: string = `(() => {
  const events = new EventSource("${developmentPaths.events}");
  const lineKind = ${String(lineKind)};
  const add = (parent, name, text, className) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (className !== undefined) element.className = className;
    parent.append(element);
    return element;
  };
  const addLines = (parent, text, offset) => {
    const pre = add(parent, "pre");
    text.split("\\n").forEach((line, index) => add(pre, "span", line, lineKind(line, index + offset)));
  };
  const panels = {};
  const show = (name, rules, fill) => {
    panels[name]?.remove();
    panels[name] = undefined;
    if (fill === undefined) return;
    const host = document.createElement("div");
    const root = host.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(\`:host { all: initial; color-scheme: light dark; ${failureColors} } * { box-sizing: border-box; }
      ${failureRules}\` + rules);
    root.adoptedStyleSheets = [style];
    fill(root);
    document.documentElement.append(host);
    panels[name] = host;
  };
  const showFailure = ({ title = "The newest version does not run. This page comes from the previous version.", reason }) =>
    show("failure", \`section { position: fixed; inset: auto 0 0; z-index: 2147483647; max-height: 70vh; overflow: auto;
        padding: 1rem 1.5rem 1.5rem; background: var(--surface); color: var(--text); border-top: 4px solid var(--error);
        box-shadow: 0 -.5rem 2rem rgb(0 0 0 / .25); }
      header { display: flex; gap: 1rem; justify-content: space-between; align-items: start; margin: 0 0 .5rem; }
      h2 { margin: 0; font: 400 .875rem/1.4 system-ui, sans-serif; color: var(--muted); }
      button { min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--border); border-radius: .6rem; background: transparent;
        color: var(--text); font: 500 .875rem/1.4 system-ui, sans-serif; cursor: pointer; }
      button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }\`,
      reason === undefined ? undefined : (root) => {
        const section = add(root, "section");
        section.setAttribute("role", "alert");
        const header = add(section, "header");
        add(header, "h2", title);
        add(header, "button", "Hide").addEventListener("click", () => show("failure"));
        addLines(section, reason, 0);
      });
  let isOpen = false;
  const showTypes = ({ count, text }) =>
    show("types", \`details { position: fixed; inset: auto auto 1rem 1rem; z-index: 2147483646; max-width: min(60rem, calc(100vw - 2rem));
        max-height: 60vh; overflow: auto; background: var(--warning-background); color: var(--text);
        border: 1px solid var(--warning); border-radius: .6rem; box-shadow: 0 .25rem 1rem rgb(0 0 0 / .2); }
      summary { padding: .5rem 1rem; font: 600 .875rem/1.5 system-ui, sans-serif; color: var(--warning); cursor: pointer; }
      summary:focus-visible { outline: 3px solid var(--accent); }
      pre { padding: .25rem 1rem 1rem; }\`,
      text === undefined ? undefined : (root) => {
        const details = add(root, "details");
        details.open = isOpen;
        details.addEventListener("toggle", () => { isOpen = details.open; });
        add(details, "summary", count === 1 ? "1 type error" : count + " type errors");
        addLines(details, text, 1);
      });
  const restyle = () => {
    for (const link of document.querySelectorAll('link[rel="stylesheet"]')) {
      const url = new URL(link.href);
      if (url.origin !== location.origin) continue;
      url.searchParams.set("limmat", Date.now());
      link.href = url.href;
    }
  };
  const isFailurePage = document.documentElement.dataset.limmatFailure !== undefined;
  events.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.kind === "reload") location.reload();
    else if (event.kind === "styles") restyle();
    else if (event.kind === "types") showTypes(event);
    else if (!isFailurePage) showFailure(event);
  };
  addEventListener("pagehide", () => events.close());
})();
`;
