const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Replaces the entities that the pages of the documentation use by their characters. */
export const unescapeEntities = (html: string): string =>
  html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (entity, name: string) => entities[name] ?? entity);
