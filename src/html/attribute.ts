/** Kind of an attribute's value. It decides how a value is printed in it. */
export type AttributeKind =
  | "plain" // text
  | "aria" // text; `false` prints as the word
  | "boolean" // present or absent
  | "url" // checked for its scheme
  | "srcset" // URLs, checked for their schemes
  | "style" // CSS
  | "script" // JavaScript; values print as JSON
  | "message" // text that must not begin with `js:`, where HTMX 4 would run it
  | "trigger" // events of HTMX, which runs a filter in brackets as a script: `click[shiftKey]`
  | "document" // HTML, as in `srcdoc`
  | "restricted"; // decides how other text runs; a template takes no value there

/** Words of texts that separate them by spaces. */
export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

const booleanNames = [
  "allowfullscreen async autofocus autoplay checked controls default defer disabled formnovalidate inert ismap",
  "itemscope loop multiple muted nomodule novalidate open playsinline readonly required reversed selected",
] as const;

/** Name of a boolean attribute. */
export type BooleanName = Words<(typeof booleanNames)[number]>;

const booleanAttributes = new Set(booleanNames.flatMap((names) => names.split(" ")));

const urlAttributes = new Set(
  (
    "action archive background cite classid codebase data formaction href icon longdesc manifest ping poster profile " +
    "src usemap xlink:href sse-connect ws-connect " +
    // HTMX 4 runs a URL that begins with `js:` or `javascript:`.
    "hx-get hx-post hx-put hx-patch hx-delete hx-query hx-action hx-push-url hx-replace-url " +
    "hx-sse:connect hx-ws:connect hx-multipart:connect"
  ).split(" "),
);

// Event handlers, and the attributes that HTMX and Vue run as scripts.
const scriptAttributes = /^(?:on|hx-(?:on|live)|hx-(?:vals|vars|headers|request|config)$|@|:|v-)/;

// Directives of Alpine and its plugins whose value is an expression.
const alpineExpressions =
  /^x-(?:anchor|bind|data|effect|for|html|id|if|init|intersect|mask:(?:dynamic|function)|model|modelable|on|resize|show|sort(?!:group)|text|trap)(?:[:.]|$)/;

/** Returns the kind of an attribute. Both names are in lower case. */
export function attributeKindOf(element: string, attributeName: string): AttributeKind {
  const name = withoutHtmxAffixes(attributeName);
  if (booleanAttributes.has(name)) return "boolean";
  if (urlAttributes.has(name)) return "url";
  if (name === "srcset" || name === "imagesrcset") return "srcset";
  if (name === "style") return "style";
  if (name === "srcdoc") return "document";
  if (scriptAttributes.test(name) || alpineExpressions.test(name)) return "script";
  if (name === "hx-confirm") return "message";
  if (name === "hx-trigger") return "trigger";
  if (name.startsWith("aria-")) return "aria";
  // A script's type decides how its text is printed. An SVG animation can set any attribute of another element.
  if (element === "script" && name === "type") return "restricted";
  if (element === "animate" || element === "set" || element.startsWith("animate")) return "restricted";
  return "plain";
}

// HTMX also reads `data-hx-get`, and HTMX 4 `hx-vals:inherited`, `hx-vals:append` and `hx-vals:inherited:append`.
function withoutHtmxAffixes(name: string): string {
  return /^(?:data-)?hx-/.test(name) ? name.replace(/^data-|(?::inherited)?(?::append)?$/g, "") : name;
}
