import { background, Context, type LimmatError, Service } from "../../core/index.ts";
import { type Database, deleteExpired } from "../../database/index.ts";
import { Log, LogInternals } from "../../log/index.ts";
import { Random } from "../../random/index.ts";
import { Schema } from "../../schema/index.ts";
import { runCursorSearch } from "../../table/search/index.ts";
import { Time } from "../../time/index.ts";
import { auditCommands } from "./commands.ts";
import type { Audit, AuditActor, AuditEntry, AuditEvent } from "./contract.ts";
import { currentActor } from "./current-actor.ts";
import { errors } from "./errors.ts";
import { auditMigration, entrySearch, forgetUser, insertEntry, rowId, toEntry } from "./store/entries.ts";

const log = Log.source("limmat.audit");

/** Options of `Audit.service`. */
export interface AuditOptions {
  readonly database: Database;
  /** Time after which entries are deleted, in milliseconds. Default 400 days. */
  readonly keepMs?: number;
}

/**
 * Creates the service that records who did what, in the table `audit_entries`. Give it to `User.service`, which records logins
 * and changes of accounts.
 *
 * @example
 * export const audit = Audit.service({ database });
 * export const user = User.service({ database, audit });
 */
export function service({ database, keepMs = Time.days(400) }: AuditOptions): Audit {
  const audit: Audit = {
    ...Service.make({
      name: "audit",
      implementation: "sql",
      dependencies: () => [database],
      commands: auditCommands(() => audit),
      ...background(() => [
        database.registerExpiry({
          intervalMs: Time.hours(1),
          run: (options) => {
            const until = new Date(Time.now().getTime() - keepMs);
            return deleteExpired(database, { table: "audit_entries", column: "created_at", until }, options);
          },
          onError: (error) => log.warning("Old entries could not be deleted", { error }),
        }),
      ]),
    }),
    migrations: [auditMigration],
    record: async (event, options) => {
      const actor = event.actor ?? (await currentActor.getStore()?.()) ?? actorOfContext(options?.ctx);
      await database.exec(insertEntry(entryOf(event, actor)), options);
    },
    search: async (parameters, options) => {
      const [entries, total, cursors] = await runCursorSearch(database, entrySearch, parameters, options);
      return [entries.map(toEntry), total, cursors];
    },
    forget: async ({ id }, options) => (Schema.isUuid(id) ? forgetUser(database, id.toLowerCase(), options) : 0),
  };
  return audit;
}

const actorOfContext = (ctx: Context | undefined): AuditActor => ({ user: Context.get(ctx, "user_id") });

/** Maximum size of facts, in bytes of JSON. */
const maxFactsBytes = 16_384;

/** Returns the entry of an event. @throws E_AUDIT_EVENT */
function entryOf(event: AuditEvent, actor: AuditActor): AuditEntry {
  const { action, subject, details, personal } = event;
  const fail = (problem: string): LimmatError => errors.E_AUDIT_EVENT(action, problem);
  if (!/^[\w.-]{1,100}$/.test(action)) {
    throw fail("its action must be letters, digits, dots, dashes and underscores, at most 100");
  }
  const shortText = (name: string, value: string | undefined, max: number): string | undefined => {
    if (value === undefined || (value.length <= max && value.isWellFormed() && !value.includes("\0"))) return value;
    throw fail(`${name} must be well-formed text of at most ${max} characters, without NUL`);
  };
  const userId = (name: string, id: string | undefined): string | undefined => {
    if (id === undefined || Schema.isUuid(id)) return id?.toLowerCase();
    throw fail(`${name} must be the id of a user`);
  };
  for (const [name, facts] of Object.entries({ details, personal })) {
    if (Buffer.byteLength(jsonOf(facts, fail)) > maxFactsBytes) throw fail(`${name} must be JSON of at most 16 KiB`);
  }
  const fields = LogInternals.currentFields() ?? {};
  return {
    // In order, also of entries of the same millisecond.
    id: Random.uuid7(),
    created_at: Time.now(),
    action,
    user_id: userId("the user", actor.user),
    impersonator_id: userId("the impersonator", actor.impersonator),
    credential: shortText("the credential", actor.credential, 50),
    system: shortText("the name of the system", actor.system, 100),
    subject_table: shortText("the table", subject?.table, 100),
    subject_id: shortText("the id", subject ? rowId(subject.id) : undefined, 100),
    details,
    personal,
    client: fieldText(fields["client"])?.slice(0, 100),
    request_id: fieldText(fields["request_id"])?.slice(0, 200),
  };
}

function jsonOf(facts: AuditEvent["details"], fail: (problem: string) => LimmatError): string {
  try {
    return JSON.stringify(facts ?? {});
  } catch (cause) {
    throw fail("JSON cannot represent its facts").causedBy(cause);
  }
}

/** Returns a log field as text. */
function fieldText(field: unknown): string | undefined {
  const value = field instanceof LogInternals.DeferredValue ? field.compute() : field;
  return typeof value === "string" ? value : undefined;
}
