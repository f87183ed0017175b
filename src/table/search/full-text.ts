import { rawFragment, sql, type SqlPart } from "../../database/index.ts";
import { columnWeights, type FullTextIndex } from "./search-index.ts";
import { columnFragment } from "./sort-order.ts";

/** Term of a full-text search: consecutive words, of which the last may be the start of a word. */
interface Term {
  readonly words: readonly [string, ...string[]];
  readonly isPrefix: boolean;
  readonly isExcluded: boolean;
}

/** Parsed text of a full-text search. */
export type FullTextQuery = readonly Term[];

const maxWords = 32;

/**
 * Parses the text of a full-text search. Rows must contain all words, in any case and order. `"two words"` must be
 * consecutive, `-word` must be absent, and `word*` is the start of a word. Any other character separates words, so that no
 * text is an error. Words after the 32nd are ignored.
 */
export function parseFullText(text: string): FullTextQuery {
  const terms: Term[] = [];
  let wordCount = 0;
  for (const [, sign, quoted, plain, star] of text.matchAll(/(-?)(?:"([^"]*)"?|([^\s"]+?)(\*?)(?=[\s"]|$))/gu)) {
    const [first, ...others] = (quoted ?? plain ?? "").match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
    if (first === undefined) continue;
    wordCount += 1 + others.length;
    if (wordCount > maxWords) break;
    terms.push({ words: [first, ...others], isPrefix: star === "*", isExcluded: sign === "-" });
  }
  return terms;
}

const includedTerms = (query: FullTextQuery): FullTextQuery => query.filter(({ isExcluded }) => !isExcluded);

/** Returns true if the text has a word that rows must contain, so that they can be ranked. */
export const canRank = (query: FullTextQuery): boolean => query.some(({ isExcluded }) => !isExcluded);

/** Returns the condition of the rows that match. A search without a word matches nothing. */
export function fullTextCondition(index: FullTextIndex, query: FullTextQuery, idColumn: string): SqlPart {
  if (query.length === 0) return sql`1 = 0`;
  return sql.dialect({
    sqlite: sqliteCondition(index, query, idColumn),
    postgresql: sql`${columnFragment(index.name)} @@ ${postgresqlQuery(index, query)}`,
    mariadb: mariadbCondition(index, query),
  });
}

/** Returns the expression that ranks the rows that match: the best are the highest. */
export function relevanceExpression(index: FullTextIndex, query: FullTextQuery): SqlPart {
  const column = columnFragment(index.name);
  return sql.dialect({
    sqlite: sql`limmat_ranks.limmat_relevance`,
    postgresql: sql`ts_rank(${column}, ${postgresqlQuery(index, query)})`,
    mariadb: sql`match(${column}) against (lower(${mariadbTerms(includedTerms(query))}) in boolean mode)`,
  });
}

/** Returns the SQL after the tables of a search that `relevanceExpression` needs: FTS5 ranks only in a query of its own. */
export function relevanceJoin(index: FullTextIndex, query: FullTextQuery, idColumn: string): SqlPart {
  const name = columnFragment(index.name);
  const weights = index.columns.map((_, position) => columnWeights[Math.min(position, 3)]![1]).join(", ");
  const terms = sqliteTerms(includedTerms(query), " AND ");
  const ranks = sql`select r.id as limmat_id, -bm25(${name}, ${rawFragment(weights)}) as limmat_relevance
    from ${name} join ${columnFragment(`${index.name}_rows`)} as r on r.number = ${name}.rowid where ${name} match ${terms}`;
  return sql.dialect({
    sqlite: sql` left join (${ranks}) as limmat_ranks on limmat_ranks.limmat_id = ${columnFragment(idColumn)}`,
    postgresql: sql``,
    mariadb: sql``,
  });
}

/** Joins terms in the syntax of FTS5. Words have no quotation marks, so that they need no escape. */
const sqliteTerms = (query: FullTextQuery, separator: string): string =>
  query.map(({ words, isPrefix }) => `"${words.join(" ")}"${isPrefix ? "*" : ""}`).join(separator);

function sqliteCondition(index: FullTextIndex, query: FullTextQuery, idColumn: string): SqlPart {
  const name = columnFragment(index.name);
  const matching = (terms: string): SqlPart =>
    sql`(select r.id from ${name} join ${columnFragment(`${index.name}_rows`)} as r on r.number = ${name}.rowid
      where ${name} match ${terms})`;
  return bothConditions(
    query,
    (included) => sql`${columnFragment(idColumn)} in ${matching(sqliteTerms(included, " AND "))}`,
    (excluded) => sql`${columnFragment(idColumn)} not in ${matching(sqliteTerms(excluded, " OR "))}`,
  );
}

/** Combines the condition of the terms that must be present with that of the terms that must be absent. */
function bothConditions(
  query: FullTextQuery,
  include: (terms: FullTextQuery) => SqlPart,
  exclude: (terms: FullTextQuery) => SqlPart,
): SqlPart {
  const included = includedTerms(query);
  const excluded = query.filter(({ isExcluded }) => isExcluded);
  if (excluded.length === 0) return include(included);
  return included.length === 0 ? exclude(excluded) : sql`${include(included)} and ${exclude(excluded)}`;
}

/** Returns `to_tsquery(…)`. Each word is quoted. */
function postgresqlQuery({ language }: FullTextIndex, query: FullTextQuery): SqlPart {
  const terms = query.map(({ words, isPrefix, isExcluded }) => {
    const phrase = words.map((word, index) => `'${word}'${isPrefix && index === words.length - 1 ? ":*" : ""}`);
    return `${isExcluded ? "!" : ""}(${phrase.join(" <-> ")})`;
  });
  return sql`to_tsquery('${rawFragment(language)}', ${terms.join(" & ")})`;
}

// Words that InnoDB indexes by default (innodb_ft_min_token_size, innodb_ft_max_token_size).
const isIndexed = (word: string): boolean => /^[\p{L}\p{N}]{3,84}$/u.test(word);

const mariadbTerms = (query: FullTextQuery): string => query.map(mariadbTerm).join(" ");

/** Returns a term in the syntax of InnoDB, which finds the start of one word only. */
const mariadbTerm = ({ words, isPrefix }: Term): string =>
  isPrefix ? `${words[0]}*` : words.length === 1 ? words[0] : `"${words.join(" ")}"`;

function mariadbCondition({ name }: FullTextIndex, query: FullTextQuery): SqlPart {
  const column = columnFragment(name);
  const conditionOf = (term: Term): SqlPart => {
    const { words, isPrefix } = term;
    const isNative = words.every(isIndexed) && !(isPrefix && words.length > 1);
    if (isNative) return sql`match(${column}) against (lower(${`+${mariadbTerm(term)}`}) in boolean mode)`;
    // Words that the index leaves out are looked up in the text of the rows that contain the others.
    const phrase = sql.join(
      words.map((word) => sql`lower(${word})`),
      sql`, ${"[^\\pL\\pN\\pM]+"}, `,
    );
    const found = sql`${column} regexp concat(${"(*UCP)\\b"}, ${phrase}, ${isPrefix ? "" : "\\b"})`;
    const others = words.slice(0, isPrefix ? -1 : undefined).filter(isIndexed);
    if (others.length === 0) return found;
    return sql`match(${column}) against (lower(${others.map((word) => `+${word}`).join(" ")}) in boolean mode) and ${found}`;
  };
  const all = (terms: FullTextQuery): SqlPart =>
    terms.map(conditionOf).reduce((left, right) => sql`${left} and ${right}`);
  const none = (terms: FullTextQuery): SqlPart =>
    terms
      .map((term) => sql`not (${conditionOf(term)})`)
      .reduce<SqlPart>((left, right) => sql`${left} and ${right}`, sql`1 = 1`);
  return bothConditions(query, all, none);
}
