import {
  type Database,
  type OperationOptions,
  Row,
  type RowType,
  sql,
  type Statement,
} from "../../../database/index.ts";
import { Migration } from "../../../migration/index.ts";
import { Schema } from "../../../schema/index.ts";
import { prepareSearchRequest, type SearchRequest } from "../../../table/search/index.ts";
import type { AuditEntry } from "../contract.ts";

/** Migration of the table `audit_entries`. */
export const auditMigration: Migration.Migration = Migration.make("audit", [
  Migration.step(
    "create table audit_entries",
    ({ uuid, string, json, timestamp }) => [
      `create table audit_entries (
        id ${uuid} primary key,
        created_at ${timestamp} not null,
        action ${string(100)} not null,
        user_id ${uuid},
        impersonator_id ${uuid},
        credential ${string(50)},
        system_name ${string(100)},
        subject_table ${string(100)},
        subject_id ${string(100)},
        details ${json},
        personal ${json},
        client ${string(100)},
        request_id ${string(200)}
      )`,
      "create index audit_entries_created_at on audit_entries (created_at, id)",
      "create index audit_entries_user_id on audit_entries (user_id, created_at)",
      "create index audit_entries_impersonator_id on audit_entries (impersonator_id)",
      "create index audit_entries_subject on audit_entries (subject_table, subject_id, created_at)",
    ],
    { down: "drop table audit_entries" },
  ),
]);

const facts = Row.optional(Row.json<Readonly<Record<string, unknown>>>());

const entryRow: RowType<Omit<AuditEntry, "system"> & { readonly system_name: string | undefined }> = Row.record({
  id: Row.uuid,
  created_at: Row.timestamp,
  action: Row.text,
  user_id: Row.optional(Row.uuid),
  impersonator_id: Row.optional(Row.uuid),
  credential: Row.optional(Row.text),
  system_name: Row.optional(Row.text),
  subject_table: Row.optional(Row.text),
  subject_id: Row.optional(Row.text),
  details: facts,
  personal: facts,
  client: Row.optional(Row.text),
  request_id: Row.optional(Row.text),
});

type StoredEntry = Row.Infer<typeof entryRow>;

/** Returns the id of a row as it is stored, so that it is found whatever the case of its UUID. */
export const rowId = (id: string): string => (Schema.isUuid(id) ? id.toLowerCase() : id);

/** Search of entries. */
export const entrySearch: SearchRequest<StoredEntry> = prepareSearchRequest({
  from: sql`audit_entries`,
  row: entryRow,
  filterBy: {
    action: Row.text,
    user_id: Row.uuid,
    impersonator_id: Row.uuid,
    subject_table: Row.text,
    subject_id: { type: Row.text, condition: (id: string) => sql`subject_id = ${rowId(id)}` },
    request_id: Row.text,
    created_at: Row.timestamp,
  },
  sort: "created_at",
});

/** Returns the statement that finds an entry. */
export const selectEntry = (id: string): Statement<StoredEntry> =>
  sql.row(entryRow)`select ${sql.columns(entryRow)} from audit_entries where id = ${id}`;

/** Returns an entry as the service returns it. `system` is a reserved word of MariaDB. */
export const toEntry = ({ system_name: system, ...entry }: StoredEntry): AuditEntry => ({ ...entry, system });

const jsonOf = (value: AuditEntry["details"]): unknown => (value === undefined ? null : sql.json(value));

/** Returns the statement that inserts an entry. */
export const insertEntry = (entry: AuditEntry): Statement<unknown> => sql`
  insert into audit_entries (id, created_at, action, user_id, impersonator_id, credential, system_name, subject_table,
    subject_id, details, personal, client, request_id)
  values (${entry.id}, ${entry.created_at}, ${entry.action}, ${entry.user_id ?? null}, ${entry.impersonator_id ?? null},
    ${entry.credential ?? null}, ${entry.system ?? null}, ${entry.subject_table ?? null}, ${entry.subject_id ?? null},
    ${jsonOf(entry.details)}, ${jsonOf(entry.personal)}, ${entry.client ?? null}, ${entry.request_id ?? null})`;

/**
 * Deletes the personal data of a user and returns the number of entries. They are found without locks: a search that locks
 * also waits in MariaDB for the neighbours in the index, which deadlocks with the deletion of another user.
 */
export const forgetUser = (database: Database, id: string, options: OperationOptions | undefined): Promise<number> =>
  database.transaction(async () => {
    for (let count = 0; ;) {
      const ids = await database.collect(
        sql.value(Row.uuid)`select id from audit_entries
          where (user_id = ${id} or impersonator_id = ${id} or (subject_table = 'user_users' and subject_id = ${id})
              or (user_id is null and concat(details, '') like ${`%${id}%`}))
            and (personal is not null or client is not null) limit 1000`,
        options,
      );
      if (ids.length === 0) return count;
      const update = sql`update audit_entries set personal = null, client = null where ${sql.in(sql`id`, ids)}`;
      count += await database.exec(update, options);
    }
  }, options);
