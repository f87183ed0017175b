import { suppressUnhandledRejection } from "../../core/index.ts";
import { type HtmlValue, printText } from "../print.ts";
import { type Html, type SafeJson, unsafeHtml } from "../safe.ts";
import { printElement, type Props } from "./element.ts";
import type { BooleanName, Words } from "../attribute.ts";

export type { Attributes, AttributeValue };

/** Function that makes HTML from its attributes and children. */
export type Component = (props: never) => HtmlValue;

/**
 * Prints an element or a component. The JSX transform calls it: set `"jsx": "react-jsx"` and
 * `"jsxImportSource": "limmat"` in `tsconfig.json`.
 *
 * @throws E_HTML_NAME, E_HTML_VALUE
 */
export function jsx(type: string | Component, props: Props): Html {
  try {
    return unsafeHtml(typeof type === "string" ? printElement(type, props) : printText(type(props as never)));
  } catch (error) {
    // Such as promises of a list whose first one was refused.
    Object.values(props).forEach(suppressUnhandledRejection);
    throw error;
  }
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

/** Value of an attribute. `false`, `null` and `undefined` omit the attribute, `true` prints its name alone. */
type AttributeValue = string | number | bigint | boolean | null | undefined;

// The type checker finds misspelt attributes by these names.
type HtmlName = Words<
  | "abbr accept accesskey action allow alt as autocapitalize autocomplete blocking charset cite class color"
  | "cols colspan content contenteditable coords crossorigin data datetime decoding dir dirname download"
  | "draggable enctype enterkeyhint fetchpriority for form formaction formenctype formmethod formtarget"
  | "headers height hidden high href hreflang id imagesizes imagesrcset inputmode integrity is itemid itemprop"
  | "itemref itemtype kind label lang list loading low max maxlength media method min minlength name nonce"
  | "optimum part pattern ping placeholder popover popovertarget popovertargetaction poster preload"
  | "referrerpolicy rel role rows rowspan sandbox scope shape size sizes slot span spellcheck src srclang"
  | "srcset start step tabindex target title translate type usemap value width wrap"
>;

type SvgName = Words<
  | "cx cy d dx dy fill gradientTransform gradientUnits markerHeight markerWidth mask offset opacity orient"
  | "pathLength patternUnits points preserveAspectRatio r refX refY rotate rx ry stroke transform viewBox x x1"
  | "x2 xmlns y y1 y2"
>;

/** Attributes with their names in HTML and SVG: `class`, `for`, `viewBox`. All names with a hyphen are allowed. */
type Attributes = { readonly [Name in BooleanName]?: boolean | null | undefined } & {
  readonly [Name in HtmlName | SvgName]?: AttributeValue;
} & {
  /** Event handler, which runs as a script: the value prints as JSON. */
  readonly [Name in `on${string}`]?: AttributeValue | SafeJson;
} & {
  readonly children?: HtmlValue;
  readonly key?: AttributeValue;
  /** CSS properties by name: `{ "font-size": "2em" }`. */
  readonly style?: Readonly<Record<string, string | number>> | null | undefined;
  /** HTML of an embedded document. */
  readonly srcdoc?: string | Html | null | undefined;
};
