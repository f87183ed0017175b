import { errors } from "./errors.ts";
import { type ColumnType, type Fragment, Row, sql, type SqlPart } from "../database/index.ts";
import type { CustomFilter } from "./search/filter-by.ts";
import { fullTextIndex } from "./search/search-index.ts";
import type { AnySearchParameters } from "./search/search-parameters.ts";
import {
  prepareSearchRequest,
  runCursorSearch,
  runSearchRequest,
  type SearchRequest,
} from "./search/search-request.ts";
import { columnFragment, relevance } from "./search/sort-order.ts";
import { conditionPart } from "./conditions.ts";
import type { TableDatabase } from "./database.ts";
import { hidesDeleted, type LoadOptions, loadRelations, planOf } from "./load.ts";
import type { AnyRow, TableModel } from "./model.ts";

/** Options of `search` and `searchPage`. */
export interface SearchOptions extends LoadOptions {
  readonly where?: unknown;
  readonly total?: boolean;
}

/** Creates the searches of a table. They are prepared on first use. */
export function searchOperations(model: TableModel): object {
  const requests = new Map<boolean, SearchRequest<AnyRow>>();
  const operation =
    <Result extends readonly [items: readonly AnyRow[], ...unknown[]]>(
      run: (
        database: TableDatabase,
        request: SearchRequest<AnyRow>,
        parameters: AnySearchParameters,
        options: SearchOptions,
      ) => Promise<Result>,
    ) =>
    async (database: TableDatabase, parameters: AnySearchParameters = {}, options: SearchOptions = {}) => {
      const { where, total, withDeleted = false } = options;
      const plan = planOf(model, options);
      let request = requests.get(withDeleted);
      if (request === undefined) requests.set(withDeleted, (request = prepare(model, withDeleted)));
      const condition = where === undefined ? {} : { where: both(conditionPart(model, where), parameters.where) };
      const counting = total === undefined ? {} : { total };
      const result = await run(database, request, { ...parameters, ...condition, ...counting }, options);
      await loadRelations(model, database, result[0], plan, options);
      return result;
    };
  return { search: operation(runSearchRequest<AnyRow>), searchPage: operation(runCursorSearch<AnyRow>) };
}

const both = (first: SqlPart, second: SqlPart | undefined): SqlPart =>
  second === undefined ? first : sql`(${first}) and (${second})`;

function prepare(model: TableModel, withDeleted: boolean): SearchRequest<AnyRow> {
  const { filter, filterBy, sortBy, fullText } = model.search;
  // A search with a text is sorted by relevance unless it names other columns. A search without one never is.
  const sort = fullText.length === 0 ? sortBy : [relevance, ...(sortBy.length === 0 ? ["id"] : sortBy)];
  return prepareSearchRequest({
    from: sql`${columnFragment(model.name)}`,
    row: model.row,
    ...(filter.length === 0 ? {} : { filter }),
    filterBy: Object.fromEntries(filterBy.map((name) => [name, filterOf(model, name, withDeleted)])),
    ...(sort.length === 0 ? {} : { sort }),
    ...(fullText.length === 0 ? {} : { fullText: fullTextIndex(model.name, fullText) }),
    ...(model.softDelete && !withDeleted ? { where: sql`${columnFragment("deleted_at")} is null` } : {}),
  });
}

/** Returns the filter by a column, or by the ids of the rows that a relation links. NULL selects the rows without a link. */
function filterOf(model: TableModel, name: string, withDeleted: boolean): ColumnType<unknown> | CustomFilter {
  const column = model.columnsByName.get(name);
  if (column !== undefined) return column.type;
  const relation = model.relations().get(name);
  if (relation?.join === undefined) {
    const problem = `"search.filterBy" names the relation "${name}", which has no join table.`;
    const advice = relation?.kind === "belongsTo" ? ` Name its column "${relation.column}".` : "";
    throw errors.E_TABLE(model.name, problem + advice);
  }
  const { table, targetColumn } = relation.join;
  const [id, key, target] = ["id", relation.column, targetColumn].map(columnFragment) as [Fragment, Fragment, Fragment];
  const isHidden = hidesDeleted(relation.target, { withDeleted });
  const isVisible = sql`${target} in (select ${id} from ${columnFragment(relation.target.name)} where ${columnFragment("deleted_at")} is null)`;
  const linked = (condition: SqlPart): SqlPart =>
    sql`select ${key} from ${columnFragment(table)} where ${isHidden ? sql`${condition} and ${isVisible}` : condition}`;
  return {
    type: Row.nullable(Row.uuid),
    condition: (value: string | null) =>
      value === null ? sql`${id} not in (${linked(sql`1 = 1`)})` : sql`${id} in (${linked(sql`${target} = ${value}`)})`,
  };
}
