/** A comment, a declaration, a tag, or what stands between. No part can end at several places: the time grows with the text alone. */
const tokens =
  /<!--(?:[^]*?-->|[^]*$)|<![^<>]*>|<(?<end>\/?)(?<name>[a-z][a-z0-9]*)(?<rest>(?![a-z0-9])[^<>]*)>|[^<]+|</gi;

/** Elements that begin and end with an empty line. */
const blocks = new Set(
  "p div h1 h2 h3 h4 h5 h6 ul ol table tr blockquote section article header footer hr pre".split(" "),
);
/** What people never see. */
const unseen = new Set(["head", "script", "style", "template", "title"]);
/** Elements that hold nothing, so that they hide nothing but themselves. */
const voids = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/**
 * The text of a page, for mail programs that show no pages: paragraphs, list items, and behind each link its address.
 *
 * For pages that the application makes. It is no cleaner: the text is as trustworthy as the page.
 */
export function plainText(html: string): string {
  let text = "";
  let hidden: string | undefined;
  let link: { readonly href: string; readonly from: number } | undefined;
  for (const { 0: token, groups } of html.matchAll(tokens)) {
    const { name, end, rest = "" } = groups ?? {};
    const tag = name?.toLowerCase();
    const isEnd = end === "/";
    if (hidden !== undefined) {
      if (isEnd && tag === hidden) hidden = undefined;
    } else if (tag === undefined) {
      if (!token.startsWith("<!")) text += decode(token.replaceAll(/\s+/g, " "));
    } else if (!isEnd && (unseen.has(tag) || /^\s+hidden(?:\s|$)/i.test(rest)))
      hidden = voids.has(tag) ? undefined : tag;
    else if (tag === "br") text += "\n";
    else if (tag === "li" && !isEnd) text += "\n- ";
    else if (tag === "img") text += attribute(rest, "alt");
    else if (blocks.has(tag)) text += "\n\n";
    else if (tag === "a" && !isEnd) link = { href: attribute(rest, "href"), from: text.length };
    else if (tag === "a" && link !== undefined) {
      text += addressBehind(text.slice(link.from).trim(), link.href);
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

/** What stands behind a link: its address, unless the link says that itself. */
function addressBehind(label: string, href: string): string {
  const address = href.replace(/^mailto:/i, "");
  if (address === "" || label === address || label === href) return "";
  return label === "" ? address : ` (${address})`;
}

function attribute(tag: string, name: string): string {
  const { double, single } =
    new RegExp(`\\s${name}=(?:"(?<double>[^"]*)"|'(?<single>[^']*)')`, "i").exec(tag)?.groups ?? {};
  return decode(double ?? single ?? "");
}

const decode = (text: string): string =>
  text.replaceAll(
    /&(?:#(?<decimal>\d{1,7})|#x(?<hex>[0-9a-f]{1,6})|(?<name>\w{2,6}));/gi,
    (whole: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : "";
    },
  );
