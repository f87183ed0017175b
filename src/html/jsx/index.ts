import { type HtmlValue, printText } from "../print.ts";
import { type Html, unsafeHtml } from "../safe.ts";
import { printElement, type Props } from "./element.ts";
import type { Attributes, AttributeValue } from "./types.ts";

export type { Attributes, AttributeValue } from "./types.ts";

/** A function that makes HTML of its attributes and children. */
export type Component = (props: never) => HtmlValue;

/**
 * What the JSX transform calls for an element or a component. Nobody calls it by hand: set `"jsx": "react-jsx"` and
 * `"jsxImportSource": "limmat"` in `tsconfig.json`.
 *
 * @throws E_HTML_NAME, E_HTML_VALUE
 */
export function jsx(type: string | Component, props: Props): Html {
  if (typeof type === "string") return unsafeHtml(printElement(type, props));
  return unsafeHtml(printText(type(props as never)));
}

/** The same, for several children. */
export const jsxs: typeof jsx = jsx;

/** The same, as development builds call it. */
export const jsxDEV: typeof jsx = jsx;

/** Children without an element around them: `<>…</>`. */
export function Fragment(props: { readonly children?: HtmlValue }): HtmlValue {
  return props.children;
}

/** What the type checker asks for. */
// oxlint-disable-next-line typescript/no-namespace -- the compiler looks for a namespace of this name
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
