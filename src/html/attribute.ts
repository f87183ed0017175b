/** What the value of an attribute means to a browser, and so how it is printed. */
export type Meaning = "plain" | "aria" | "boolean" | "url" | "srcset" | "style" | "script" | "document" | "refused";

const booleans = new Set(
  (
    "allowfullscreen async autofocus autoplay checked controls default defer disabled formnovalidate inert ismap " +
    "itemscope loop multiple muted nomodule novalidate open playsinline readonly required reversed selected"
  ).split(" "),
);

const urls = new Set(
  (
    "action archive background cite classid codebase data formaction href icon longdesc manifest ping poster profile " +
    "src usemap xlink:href hx-get hx-post hx-put hx-patch hx-delete hx-push-url hx-replace-url"
  ).split(" "),
);

// Event handlers, and the attributes that HTMX, Alpine and Vue run as scripts.
const scripts =
  /^(?:on|(?:data-)?hx-on|(?:data-)?hx-(?:vals|vars|headers)$|@|:|v-|x-(?:on|bind|data|init|show|text|html|model|if|for|effect)(?:[:.]|$))/;

/** What an attribute means. Both names in lower case. */
export function meaningOf(element: string, name: string): Meaning {
  if (booleans.has(name)) return "boolean";
  if (urls.has(name)) return "url";
  if (name === "srcset" || name === "imagesrcset") return "srcset";
  if (name === "style") return "style";
  if (name === "srcdoc") return "document";
  if (scripts.test(name)) return "script";
  if (name.startsWith("aria-")) return "aria";
  // A script's type decides how its text is printed; an animation can put a value into an attribute of any name.
  if (element === "script" && name === "type") return "refused";
  if (element === "animate" || element === "set" || element.startsWith("animate")) return "refused";
  return "plain";
}
