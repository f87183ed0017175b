import { html, type Html, type HtmlValue } from "../../../html/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
import type { Form } from "../../../schema/index.ts";
import {
  choicesOf,
  type ColumnDefinition,
  editPage,
  humanize,
  itemPage,
  listPage,
  table as renderTable,
} from "../../../web/components/index.ts";
import { link, type Query, type Request, type Rest } from "../../../web/index.ts";
import type { AuditEntry } from "../../audit/contract.ts";
import type { RouterOptions } from "./options.ts";
import { type AdminRow, linkedTo, type ShownTable } from "./shown-table.ts";

type Tables = ReadonlyMap<string, ShownTable>;
type Values = Readonly<Record<string, unknown>>;
type Page = readonly [items: readonly AdminRow[], total: number];

/** Pages of the tables of a router. */
interface AdminPages {
  /** Renders the tables and their numbers of rows. */
  readonly start: (request: Request) => Promise<Html>;
  /** Returns the pages of a table. */
  readonly viewOf: (table: ShownTable) => Pick<Rest.ResourceView<AdminRow>, "index" | "show" | "edit" | "layout">;
}

/** Maximum number of rows that a select control offers, and that the page of a row shows of a relation. */
const maxChoices = 100;
const maxHistoryEntries = 10;

const adminTexts = (): LanguageInternals.ServiceTexts["admin"] => LanguageInternals.frameworkTexts().services.admin;

const capitalize = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const titleOf = ({ options }: ShownTable): string => capitalize(options.texts.many);

const namesIn = (fields: unknown): string => (Array.isArray(fields) ? fields.join(", ") : "");

/** Creates the pages of the tables of a router. */
export function makeAdminPages(tables: Tables, { database, audit, components, ...options }: RouterOptions): AdminPages {
  const layout = (request: Request, title: string, content: Html): Html | Promise<Html> =>
    options.layout(
      request,
      title,
      html`<p><a href="${link(request, "admin")}">${adminTexts().title}</a></p>
        ${content}`,
    );

  const linkTo = (request: Request, { name, options: { labelOf } }: ShownTable, row: AdminRow): Html =>
    html`<a href="${link(request, `admin.${name}.show`, { id: row.id })}">${labelOf(row)}</a>`;

  const targetOf = (table: ShownTable, name: string): ShownTable | undefined =>
    tables.get(table.references.get(name) ?? table.links.find((relation) => relation.name === name)?.target.name ?? "");

  /** Returns the label of a reference or relation. A catalogue may lack that of a column which its own forms do not show. */
  const labelOfField = (table: ShownTable, name: string): string => {
    const { fields } = table.options.texts;
    const { one, many } = targetOf(table, name)?.options.texts ?? {};
    const words = table.references.has(name) ? one : many;
    return fields?.[name] ?? (fields === undefined || words === undefined ? humanize(name) : capitalize(words));
  };

  /** Returns a function that renders ids as links to the rows of a table, those that the user may see. */
  const linksTo = async (request: Request, target: ShownTable | undefined, ids: readonly unknown[]) => {
    const id = [...new Set(ids.filter((value) => typeof value === "string"))];
    const rows =
      id.length === 0
        ? []
        : await target?.ask((where) => target.operations.collect(database, { where: [{ id }, ...where] }));
    const links = new Map(rows?.map((row) => [row.id, linkTo(request, target!, row)]));
    return (value: unknown): HtmlValue => links.get(value as string) ?? (value as HtmlValue);
  };

  /** Returns columns, in which foreign keys are links. */
  const columnsOf = (request: Request, table: ShownTable, names: readonly string[], rows: readonly AdminRow[]) =>
    Promise.all(
      names.map(async (name): Promise<string | ColumnDefinition<AdminRow>> => {
        if (!table.references.has(name)) return name;
        const values = rows.map((row) => row[name]);
        const show = await linksTo(request, targetOf(table, name), values);
        return { name, label: labelOfField(table, name), value: (row) => show(row[name]) };
      }),
    );

  /** Returns the options of fields and filters whose values are rows: choices, or a hint if there are too many. */
  const choicesFor = async (table: ShownTable, names: readonly string[], item?: AdminRow) => {
    const entries = names.map(async (name) => {
      const target = targetOf(table, name);
      if (target === undefined) return [];
      const limit = maxChoices + 1;
      const rows = await target.ask((where) => target.operations.collect(database, { where, limit }));
      const label = labelOfField(table, name);
      if (rows.length === limit)
        return [[name, { label, hint: adminTexts().idHint(target.options.texts.one) }] as const];
      const choices = choicesOf(rows, target.options.labelOf).toSorted(([, a], [, b]) => a.localeCompare(b));
      // A row that is deleted, or that the user may not see, stays chosen: the form would clear the reference.
      const current = item?.[name];
      const isKept = typeof current === "string" && !rows.some(({ id }) => id === current);
      return [[name, { label, choices: isKept ? [...choices, [current, current] as const] : choices }] as const];
    });
    return Object.fromEntries((await Promise.all(entries)).flat());
  };

  const section = (title: string, content: HtmlValue): Html =>
    html`<section class="card">
      <h2>${title}</h2>
      ${content}
    </section>`;

  const related = async (request: Request, table: ShownTable, { id }: AdminRow): Promise<HtmlValue> => {
    const lists = [...tables.values()].flatMap((other) => {
      const columns = [...other.references].filter(([, name]) => name === table.name).map(([column]) => column);
      return columns.map(async (column) => {
        const count = await other.ask((where) => other.operations.count(database, [{ [column]: id }, ...where]));
        const href = link(request, `admin.${other.name}.index`, {}, { [column]: id });
        const label = columns.length === 1 ? titleOf(other) : `${titleOf(other)}, ${labelOfField(other, column)}`;
        return html`<li><a href="${href}">${label}</a> (${count})</li>`;
      });
    });
    const linked = table.links.map(async (relation) => {
      const target = targetOf(table, relation.name)!;
      const rows = await target.ask((where) =>
        target.operations.collect(database, { where: [linkedTo(relation, id), ...where], limit: maxChoices }),
      );
      const links = rows.map((row, index) => html`${index > 0 && ", "}${linkTo(request, target, row)}`);
      return html`<li>${labelOfField(table, relation.name)}: ${rows.length === 0 ? "–" : links}</li>`;
    });
    const items = await Promise.all([...lists, ...linked]);
    return (
      items.length > 0 &&
      section(
        adminTexts().related,
        html`<ul>
          ${items}
        </ul>`,
      )
    );
  };

  const history = async (request: Request, { name }: ShownTable, { id }: AdminRow): Promise<HtmlValue> => {
    if (audit === undefined) return undefined;
    const subject = { subject_table: name, subject_id: id };
    const [entries] = await audit.audit.search({ filterBy: subject, limit: maxHistoryEntries, total: false });
    const actors = entries.flatMap(({ user_id, impersonator_id }) => [user_id, impersonator_id]);
    const show = await linksTo(request, tables.get("user_users"), actors);
    const { audit: auditTexts, admin: texts } = LanguageInternals.frameworkTexts().services;
    const impersonator: ColumnDefinition<AuditEntry> = {
      name: "impersonator_id",
      value: ({ impersonator_id }) => show(impersonator_id),
    };
    const list = renderTable(entries, {
      caption: texts.history,
      columns: [
        "created_at",
        "action",
        { name: "user_id", value: ({ user_id, system }) => show(user_id ?? system) },
        ...(entries.some(({ impersonator_id }) => impersonator_id) ? [impersonator] : []),
        { label: auditTexts.details, value: ({ details }) => namesIn(details?.["fields"]) },
      ],
      texts: { fields: auditTexts.fields },
      empty: html`<p class="meta">–</p>`,
    });
    const href = `${request.prefix}${audit.path ?? ""}?${new URLSearchParams(subject).toString()}`;
    return section(
      texts.history,
      html`${list} ${audit.path !== undefined && html`<p><a href="${href}">${auditTexts.allOfRow}</a></p>`}`,
    );
  };

  const viewOf: AdminPages["viewOf"] = (table) => {
    const { texts, labelOf } = table.options;
    const { schema, actions, filterBy, sortBy, references } = table;
    const pages = { texts, labelOf, schema, layout, components, only: actions, filterBy, sortBy };
    return {
      layout,
      index: async (request: Request, csrf: string, page: Page, query: Query): Promise<Html> => {
        const columns = await columnsOf(request, table, table.columns, page[0]);
        const [first = ""] = table.columns;
        // The first column is the link to the row, so that it cannot be one to another row.
        const title = first === "" || references.has(first) ? [{ label: capitalize(texts.one), value: labelOf }] : [];
        return listPage<AdminRow, Values>(pages, {
          columns: [...title, ...columns],
          filters: await choicesFor(table, Object.keys(filterBy)),
          search: table.canSearch ? undefined : false,
          hasOrder: sortBy.length === 0,
        })(request, csrf, page, query);
      },
      show: async (request: Request, item: AdminRow): Promise<Html> =>
        itemPage<AdminRow, Values>(pages, {
          facts: await columnsOf(request, table, table.facts, [item]),
          after: async () => html`${await related(request, table, item)} ${await history(request, table, item)}`,
        })(request, item),
      edit: async (request: Request, csrf: string, form: Form, item: AdminRow): Promise<Html> =>
        editPage<AdminRow, Values>(pages, { fields: await choicesFor(table, schema.fields, item) })(
          request,
          csrf,
          form,
          item,
        ),
    };
  };

  const start: AdminPages["start"] = async (request) => {
    const rows = [...tables.values()].map(async (table) => ({
      table,
      count: await table.ask((where) => table.operations.count(database, where)),
    }));
    const texts = adminTexts();
    const list = renderTable(await Promise.all(rows), {
      caption: texts.title,
      columns: [
        {
          label: LanguageInternals.frameworkTexts().services.audit.fields["subject_table"],
          value: ({ table }) => titleOf(table),
        },
        { label: texts.rows, value: ({ count }) => count },
      ],
      rowLink: ({ table }) => link(request, `admin.${table.name}.index`),
    });
    return options.layout(
      request,
      texts.title,
      html`<h1>${texts.title}</h1>
        <div class="card">${list}</div>`,
    );
  };

  return { start, viewOf };
}
