/** A comment, a declaration, a tag, or text between. No part can match in several ways, so matching takes linear time. */
const tokenPattern =
  /<!--(?:[^]*?-->|[^]*$)|<![^<>]*>|<(?<end>\/?)(?<name>[a-z][a-z0-9]*)(?<rest>(?![a-z0-9])[^<>]*)>|[^<]+|</gi;

/** Elements that are separated by an empty line. */
const blockElements = new Set(
  "p div h1 h2 h3 h4 h5 h6 ul ol table tr blockquote section article header footer hr pre".split(" "),
);
/** Elements whose content is invisible. */
const invisibleElements = new Set(["head", "script", "style", "template", "title"]);
/** Void elements: if hidden, they hide only themselves. */
const voidElements = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/**
 * Converts HTML to plain text, with paragraphs, list items and the URL after each link. For mail clients without HTML.
 *
 * For HTML of the application. It is not a sanitizer: the text is as trustworthy as the HTML.
 */
export function htmlToText(html: string): string {
  let text = "";
  let hiddenElement: string | undefined;
  let link: { readonly href: string; readonly labelStart: number } | undefined;
  for (const { 0: token, groups } of html.matchAll(tokenPattern)) {
    const { name, end, rest: attributes = "" } = groups ?? {};
    const tag = name?.toLowerCase();
    const isEnd = end === "/";
    if (hiddenElement !== undefined) {
      if (isEnd && tag === hiddenElement) hiddenElement = undefined;
    } else if (tag === undefined) {
      if (!token.startsWith("<!")) text += decodeEntities(token.replaceAll(/\s+/g, " "));
    } else if (!isEnd && (invisibleElements.has(tag) || /^\s+hidden(?:\s|$)/i.test(attributes)))
      hiddenElement = voidElements.has(tag) ? undefined : tag;
    else if (tag === "br") text += "\n";
    else if (tag === "li" && !isEnd) text += "\n- ";
    else if (tag === "img") text += readAttribute(attributes, "alt");
    else if (blockElements.has(tag)) text += "\n\n";
    else if (tag === "a" && !isEnd) link = { href: readAttribute(attributes, "href"), labelStart: text.length };
    else if (tag === "a" && link !== undefined) {
      text += linkSuffix(text.slice(link.labelStart).trim(), link.href);
      link = undefined;
    }
  }
  return text
    .split("\n")
    .map((line) => line.replaceAll(/ {2,}/g, " ").trim())
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** Returns the URL to print after a link, or nothing if the label is the URL. */
function linkSuffix(label: string, href: string): string {
  const address = href.replace(/^mailto:/i, "");
  if (address === "" || label === address || label === href) return "";
  return label === "" ? address : ` (${address})`;
}

function readAttribute(tag: string, name: string): string {
  const { double, single } =
    new RegExp(`\\s${name}=(?:"(?<double>[^"]*)"|'(?<single>[^']*)')`, "i").exec(tag)?.groups ?? {};
  return decodeEntities(double ?? single ?? "");
}

const decodeEntities = (text: string): string =>
  text.replaceAll(
    /&(?:#(?<decimal>\d{1,7})|#x(?<hex>[0-9a-f]{1,6})|(?<name>\w{2,6}));/gi,
    (entity: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? entity;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : "";
    },
  );
