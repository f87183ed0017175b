import { html, type Html, type HtmlValue } from "../../../html/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
import { Schema } from "../../../schema/index.ts";
import { csv, itemPage, listPage, type ResourcePages } from "../../../web/components/index.ts";
import { type Cursors, type FilterType, Query, type Request, type Response, Rest } from "../../../web/index.ts";
import type { AuditEntry } from "../contract.ts";
import { errors } from "../errors.ts";
import type { AuditRouterOptions } from "./router.ts";

/** Entry with the names of the users in it, by id. */
interface ShownEntry extends AuditEntry {
  readonly names: ReadonlyMap<string, string>;
}

type Page = readonly [entries: readonly ShownEntry[], total: undefined, cursors: Cursors];

type Filters = NonNullable<Query["filterBy"]>;

/** Handlers of the routes. */
export interface AuditPages {
  readonly index: ReturnType<typeof listPage<ShownEntry, object>>;
  readonly show: ReturnType<typeof itemPage<ShownEntry, object>>;
  readonly search: (query: Query) => Promise<Page>;
  readonly find: (id: string) => Promise<ShownEntry | undefined>;
  readonly download: (request: Request) => Promise<Response>;
}

const csvColumns =
  "id created_at action user_id impersonator_id credential system subject_table subject_id details personal client request_id".split(
    " ",
  ) as readonly (keyof AuditEntry)[];

const maxExportPage = 1000;
const userTable = "user_users";

const auditTexts = (): LanguageInternals.ServiceTexts["audit"] => LanguageInternals.frameworkTexts().services.audit;

export function makePages(options: AuditRouterOptions, filterBy: Readonly<Record<string, FilterType>>): AuditPages {
  const { audit, user, layout, components } = options;
  const labels = (): Readonly<Record<string, string>> => ({ ...auditTexts().actions, ...options.actions });
  const actionOf = ({ action }: AuditEntry): string => {
    const texts = labels();
    return (Object.hasOwn(texts, action) ? texts[action] : undefined) ?? action;
  };
  const pages: ResourcePages<ShownEntry, object> = {
    texts: {
      get one() {
        return auditTexts().one;
      },
      get many() {
        return auditTexts().many;
      },
      get fields() {
        return auditTexts().fields;
      },
    },
    labelOf: actionOf,
    schema: Schema.record({}),
    layout,
    components,
    only: ["index", "show"],
    filterBy,
  };

  const withNames = async (entries: readonly AuditEntry[]): Promise<readonly ShownEntry[]> => {
    const ids = new Set(
      entries.flatMap(({ user_id, impersonator_id, subject_table, subject_id }) => [
        user_id,
        impersonator_id,
        subject_table === userTable ? subject_id : undefined,
      ]),
    );
    const names = new Map<string, string>();
    for (const id of ids) {
      const found = id === undefined ? undefined : await user?.findOpt(id);
      if (id !== undefined) names.set(id, found?.email ?? id);
    }
    return entries.map((entry) => ({ ...entry, names }));
  };

  /** Returns the filters of a query, with ids for addresses of users; `undefined` if there is no such user. */
  const filtersOf = async ({ filterBy: filters = {} }: Query): Promise<Filters | undefined> => {
    const withIds = { ...filters };
    for (const name of ["user_id", "impersonator_id"]) {
      const person = filters[name];
      if (typeof person !== "string") continue;
      const id = Schema.isUuid(person) ? person : (await user?.findByEmailOpt(person))?.id;
      if (id === undefined) return undefined;
      withIds[name] = id;
    }
    return withIds;
  };

  const search = async (query: Query): Promise<Page> => {
    const filters = await filtersOf(query);
    if (filters === undefined) return [[], undefined, { offset: undefined }];
    // Uncounted: a trail has millions of entries.
    const [entries, total, cursors] = await audit.search({ ...query, filterBy: filters, total: false });
    return [await withNames(entries), total, cursors];
  };

  async function* allEntries(filters: Filters, sort: Query["sort"]): AsyncGenerator<AuditEntry> {
    let after: string | undefined;
    do {
      const parameters = { sort, filterBy: filters, limit: maxExportPage, after, total: false } as const;
      const [entries, , { next }] = await audit.search(parameters);
      yield* entries;
      after = next;
    } while (after !== undefined);
  }

  return {
    search,
    find: async (id) => {
      const entry = await audit.findOpt(id);
      return entry && (await withNames([entry]))[0];
    },
    download: async (request) => {
      const query = Query.ofRequest(request, { filterBy });
      const filters = await filtersOf(query);
      if (filters !== undefined) {
        const actor = await audit.actor();
        if (actor.user === undefined && actor.system === undefined) throw errors.E_AUDIT_ACTOR();
        const details = { query: Query.toQueryString({ filterBy: filters }) };
        await audit.record({ action: "audit.export", details, actor });
      }
      const columns = csvColumns.map((name) => ({ name, label: name }));
      return csv(filters === undefined ? [] : allEntries(filters, query.sort), columns, { filename: "audit.csv" });
    },
    index: listPage<ShownEntry, object>(pages, {
      columns: (request) => [
        "created_at",
        { label: auditTexts().fields["action"], value: (entry) => renderAction(actionOf(entry), entry) },
        { label: auditTexts().who, value: renderActor },
        { label: auditTexts().row, value: (entry) => renderRow(request, entry) },
      ],
      heading: (request, _, query) => renderHeading(request, query),
      filters: () => ({
        request_id: false,
        ...(options.actions && {
          action: { choices: Object.entries(labels()) },
        }),
      }),
      search: false,
    }),
    show: itemPage<ShownEntry, object>(pages, {
      facts: [
        {
          name: "created_at",
          value: ({ created_at }) => created_at.toISOString().replace("T", " ").replace("Z", " UTC"),
        },
        "action",
        { name: "user_id", value: ({ user_id, names }) => user_id && renderName(names.get(user_id), user_id) },
        {
          name: "impersonator_id",
          value: ({ impersonator_id: id, names }) => id && renderName(names.get(id), id),
        },
        "credential",
        "system",
        "subject_table",
        "subject_id",
        "request_id",
      ],
      after: renderFacts,
    }),
  };
}

/** Renders a text and a note on it as one element: the cell of a phone is a grid. */
const withNote = (text: string, note: string): Html => html`<span>${text} <span class="meta">${note}</span></span>`;

const renderName = (name: string | undefined, id: string): HtmlValue =>
  name === undefined || name === id ? id : withNote(name, id);

const renderAction = (label: string, { action }: AuditEntry): HtmlValue =>
  label === action ? label : withNote(label, action);

function renderActor({ user_id: id, impersonator_id: impersonator, system, details, names }: ShownEntry): HtmlValue {
  const command = details?.["command"];
  if (id === undefined && system !== undefined) return typeof command === "string" ? withNote(system, command) : system;
  if (id === undefined) return html`<span class="meta">${auditTexts().nobody}</span>`;
  const name = names.get(id) ?? id;
  if (impersonator === undefined) return name;
  return withNote(name, auditTexts().by(names.get(impersonator) ?? impersonator));
}

/** Renders the row of an entry as a link to all of its entries. */
function renderRow(request: Request, { subject_table, subject_id, names }: ShownEntry): HtmlValue {
  if (subject_table === undefined || subject_id === undefined) return undefined;
  return html`<a href="${rowLink(request, subject_table, subject_id)}"
    >${subject_table} ${names.get(subject_id) ?? subject_id}</a
  >`;
}

const rowLink = (request: Request, subject_table: string, subject_id: string): string =>
  Rest.listPath(request) + Query.toQueryString({ filterBy: { subject_table, subject_id } });

function renderHeading(request: Request, { filterBy: filters, sort }: Query): Html {
  const query = Query.toQueryString({ ...(filters && { filterBy: filters }), ...(sort && { sort }) });
  const { many, download } = auditTexts();
  return html`<div class="row space-between">
    <h1>${many.charAt(0).toUpperCase() + many.slice(1)}</h1>
    <a class="button secondary" href="${Rest.listPath(request)}.csv${query}" download>${download}</a>
  </div>`;
}

/** Renders details, personal data and the link to all entries of the row. */
function renderFacts(request: Request, { details, personal, client, subject_table, subject_id }: ShownEntry): Html {
  const texts = auditTexts();
  const personalFacts = { ...personal, ...(client !== undefined && { [texts.fields["client"] ?? "client"]: client }) };
  const list = (facts: Readonly<Record<string, unknown>>): Html =>
    html`<dl class="facts">
      ${Object.entries(facts).map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </div>`,
      )}
    </dl>`;
  return html`${
    details &&
    html`<section class="card">
      <h2>${texts.details}</h2>
      ${list(details)}
    </section>`
  }
  ${
    Object.keys(personalFacts).length > 0 &&
    html`<section class="card">
      <h2>${texts.personal}</h2>
      <p class="meta">${texts.personalText}</p>
      ${list(personalFacts)}
    </section>`
  }
  ${
    subject_table !== undefined &&
    subject_id !== undefined &&
    html`<p><a href="${rowLink(request, subject_table, subject_id)}">${texts.allOfRow}</a></p>`
  }`;
}
