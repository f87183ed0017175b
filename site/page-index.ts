/** Page of the documentation, as the search reads it. */
export interface SearchPage {
  /** Path from the root of the site. */
  readonly path: string;
  readonly title: string;
  /** Groups of the navigation that contain the page. */
  readonly group: string;
  /** Words that users search for and the page may not contain. */
  readonly terms: string;
  /** Factor of the score. Pages that rarely answer a question of a user have a low one. */
  readonly weight: number;
  /** Text before the first heading, and then a section for each heading and each error code. */
  readonly sections: readonly SearchSection[];
}

/** Section of a page. */
export interface SearchSection {
  /** Anchor, empty for the text before the first heading. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

/** Returns the search index of a site: its HTML pages that have a weight. */
export function indexPages(files: Iterable<readonly [path: string, content: Buffer]>): SearchPage[] {
  return [...files].flatMap(([path, content]) => (path.endsWith(".html") ? indexPage(path, content.toString()) : []));
}

function indexPage(path: string, html: string): SearchPage[] {
  const article = /<article[^>]*data-search-weight="([\d.]+)"[^>]*>([^]*?)<\/article>/.exec(html);
  if (article === null) return [];
  const [, weight = "1", content = ""] = article;
  const [head = "", ...parts] = content.split(/<(?:h[234]|tr) id="/);
  const sections = parts.map((part) => {
    const [, id = "", heading = "", body = ""] = /^([^"]*)"[^>]*>([^]*?)<\/(?:h[234]|td)>([^]*)$/.exec(part) ?? [];
    return { id: unescapeEntities(id), heading: textOf(heading), text: textOf(body) };
  });
  const introduction = textOf(head.replace(/^[^]*<\/h1>/, ""));
  return [
    {
      path,
      title: textOf(/<h1[^>]*>([^]*?)<\/h1>/.exec(head)?.[1] ?? ""),
      group: textOf(/<p class="crumbs"[^>]*>([^]*?)<\/p>/.exec(head)?.[1] ?? ""),
      terms: unescapeEntities(/<meta name="keywords" content="([^"]*)"/.exec(html)?.[1] ?? ""),
      weight: Number(weight),
      sections: [{ id: "", heading: "", text: introduction }, ...sections],
    },
  ];
}

/** Returns the text of HTML on one line. Elements of blocks are separated by a space. */
const textOf = (html: string): string =>
  unescapeEntities(html.replaceAll(/<\/?(?:p|li|td|th|tr|div|pre|h\d)[^>]*>/g, " ").replaceAll(/<[^>]*>/g, ""))
    .replaceAll(/\s+/g, " ")
    .trim();

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Replaces the entities that the pages of the documentation use by their characters. */
const unescapeEntities = (html: string): string =>
  html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (entity, name: string) => entities[name] ?? entity);
