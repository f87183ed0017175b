import { isDeepStrictEqual } from "node:util";
import { error, ok, type Result } from "../../../core/index.ts";
import { attempt, type Database, type WriteRefusal } from "../../../database/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
import type { Rest, CompleteQuery } from "../../../web/index.ts";
import type { AuditTrail } from "./options.ts";
import { type AdminRow, currentRequest, type ShownTable } from "./shown-table.ts";

type Values = Readonly<Record<string, unknown>>;
type Outcome<T> = Promise<Result<T, WriteRefusal>>;
type Options = Rest.ServiceOptions | undefined;

/** Creates the service of a table, which records each change and deletion in the audit trail, in one transaction with it. */
export function makeService(
  table: ShownTable,
  tables: ReadonlyMap<string, ShownTable>,
  database: Database,
  trail: AuditTrail | undefined,
): Pick<Rest.ResourceService<AdminRow, Values>, "find" | "search" | "update" | "delete"> {
  const { name, operations, model, schema, references } = table;
  const texts = (): LanguageInternals.ServiceTexts["admin"] => LanguageInternals.frameworkTexts().services.admin;
  const itemOf = (id: string, options: Options) => ({ id, version: options?.version ?? "any" }) as const;

  const record = async (change: string, id: string, details?: Values): Promise<void> => {
    const request = currentRequest.getStore();
    const user = request && (await trail?.user(request));
    const event = { action: `${name}.${change}`, subject: { table: name, id }, details };
    await trail?.audit.record(event, user && { ctx: [["user_id", user.id]] });
  };

  const find = (id: string): Promise<AdminRow | undefined> =>
    table.ask((where) => operations.findOpt(database, [{ id }, ...where]));

  /** Returns the messages for what a form does not check: rules of hidden fields, and rows that do not exist. */
  const problemsOf = async (row: AdminRow, value: Values, changed: readonly string[]) => {
    const missing = await Promise.all(
      changed.map(async (field) => {
        const [target, id] = [tables.get(references.get(field) ?? ""), value[field]];
        if (target === undefined || id === undefined || id === null) return [];
        const count = await target.ask((where) => target.operations.count(database, [{ id }, ...where]));
        return count === 0 ? [[field, texts().missing] as const] : [];
      }),
    );
    const rules = schema === model.schema ? {} : model.schema.check({ ...row, ...value });
    return { ...rules, ...Object.fromEntries(missing.flat()) };
  };

  const update = async (id: string, value: Values, options?: Options): Outcome<AdminRow> => {
    const row = await find(id);
    // `update` throws what the resource answers for a row that is gone.
    const changed = schema.fields.filter((field) => !isDeepStrictEqual(row?.[field] ?? undefined, value[field]));
    if (row !== undefined && changed.length === 0) return ok(row);
    const problems = row === undefined ? {} : await problemsOf(row, value, changed);
    // Messages about fields that the form does not have are one message of the form.
    const isShown = Object.keys(problems).some((field) => schema.fields.includes(field));
    if (Object.keys(problems).length > 0) return error(isShown ? problems : Object.values(problems).join(" "));
    const write = (): Promise<AdminRow> =>
      table.ask(async () => {
        const written = await operations.update(database, itemOf(id, options), value);
        await record("change", id, { fields: changed });
        return written;
      });
    const { taken, missing } = texts();
    const unique = model.unique.map((columns) => {
      const field = columns.find((column) => schema.fields.includes(column));
      return { columns: columns as [string, ...string[]], refusal: field === undefined ? taken : { [field]: taken } };
    });
    return attempt(database, write, { foreignKey: missing, unique });
  };

  const remove = async ({ id }: AdminRow, options?: Options): Outcome<unknown> => {
    const write = (): Promise<void> =>
      table.ask(async () => {
        await operations.delete(database, itemOf(id, options));
        await record("delete", id);
      });
    return attempt(database, write, { foreignKey: texts().inUse });
  };

  return {
    find,
    search: ({ filter, filterBy = {}, ...query }: CompleteQuery) => {
      // Foreign keys are no filters of the table's own search.
      const isOwn = ([column]: readonly [string, unknown]): boolean => model.search.filterBy.includes(column);
      const filters = Object.entries(filterBy);
      const keys = Object.fromEntries(filters.filter((entry) => !isOwn(entry)));
      const own = { filterBy: Object.fromEntries(filters.filter(isOwn)) };
      const text = filter === undefined || !table.canSearch ? {} : { filter };
      return table.ask((where) =>
        operations.search(database, { ...query, ...own, ...text }, { where: [keys, ...where] }),
      );
    },
    update,
    delete: remove,
  };
}
