import { type HtmlValue, printText } from "../print.ts";
import { type Html, unsafeHtml } from "../safe.ts";
import { printElement, type Props } from "./element.ts";
import type { Attributes, AttributeValue } from "./types.ts";

export type { Attributes, AttributeValue } from "./types.ts";

/** Function that makes HTML from its attributes and children. */
export type Component = (props: never) => HtmlValue;

/**
 * Prints an element or a component. The JSX transform calls it: set `"jsx": "react-jsx"` and
 * `"jsxImportSource": "limmat"` in `tsconfig.json`.
 *
 * @throws E_HTML_NAME, E_HTML_VALUE
 */
export function jsx(type: string | Component, props: Props): Html {
  if (typeof type === "string") return unsafeHtml(printElement(type, props));
  return unsafeHtml(printText(type(props as never)));
}

/** Prints an element or a component with several children. */
export const jsxs: typeof jsx = jsx;

/** Prints an element or a component in development builds. */
export const jsxDEV: typeof jsx = jsx;

/** Prints children without a parent element: `<>…</>`. */
export function Fragment(props: { readonly children?: HtmlValue }): HtmlValue {
  return props.children;
}

/** Types that the compiler uses to check JSX. */
// oxlint-disable-next-line typescript/no-namespace -- TypeScript requires a namespace of this name
export declare namespace JSX {
  type Element = Html;
  type ElementType = string | Component;
  interface ElementChildrenAttribute {
    readonly children: unknown;
  }
  interface IntrinsicAttributes {
    readonly key?: AttributeValue;
  }
  interface IntrinsicElements {
    readonly [element: string]: Attributes;
  }
}
