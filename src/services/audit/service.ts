import { userInfo } from "node:os";
import { currentImpersonation } from "../../authorization/index.ts";
import { background, Context, isError, type LimmatError, Service } from "../../core/index.ts";
import { type Database, Json, keepRows, type OperationOptions } from "../../database/index.ts";
import { LogInternals } from "../../log/index.ts";
import { Random } from "../../random/index.ts";
import { Schema } from "../../schema/index.ts";
import { type AnySearchParameters, runCursorSearch } from "../../table/search/index.ts";
import { Time } from "../../time/index.ts";
import { auditCommands } from "./commands.ts";
import type { Audit, AuditActor, AuditEntry, AuditEvent, AuditSearch } from "./contract.ts";
import { currentActor } from "./current-actor.ts";
import { errors } from "./errors.ts";
import { auditMigration, entrySearch, forgetUser, insertEntry, rowId, selectEntry, toEntry } from "./store/entries.ts";

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
 * @throws E_DATABASE_KEEP for an invalid `keepMs`
 * @example
 * export const audit = Audit.service({ database });
 * export const user = User.service({ database, audit });
 */
export function service({ database, keepMs = Time.days(400) }: AuditOptions): Audit {
  const keepEntries = keepRows(database, { table: "audit_entries", column: "created_at", keepMs });
  const audit: Audit = {
    ...Service.make({
      name: "audit",
      implementation: "sql",
      dependencies: () => [database],
      commands: auditCommands(() => audit),
      ...background(() => [keepEntries()]),
    }),
    migrations: [auditMigration],
    actor: async (options) => (await currentActor.getStore()?.()) ?? actorOfContext(options?.ctx),
    record: async (event, options) => {
      const actor = event.actor ?? (await audit.actor(options));
      const entry = entryOf({ ...event, details: withCommand(event.details, options?.ctx) }, withImpersonator(actor));
      try {
        await database.exec(insertEntry(entry), options);
      } catch (failure) {
        throw isTemporary(failure, options) ? failure : errors.E_AUDIT_UNAVAILABLE(event.action).causedBy(failure);
      }
    },
    search: (async (parameters: AnySearchParameters = {}, options?: OperationOptions) => {
      const [entries, ...others] = await runCursorSearch(database, entrySearch, parameters, options);
      return [entries.map(toEntry), ...others] as const;
    }) as AuditSearch,
    findOpt: async (id, options) => {
      const entry = Schema.isUuid(id) ? await database.findOpt(selectEntry(id.toLowerCase()), options) : undefined;
      return entry && toEntry(entry);
    },
    forget: async ({ id }, options) => (Schema.isUuid(id) ? forgetUser(database, id.toLowerCase(), options) : 0),
  };
  return audit;
}

/** Adds the administrator who acts as the user of the request, and the user, if others are not named. */
function withImpersonator(actor: AuditActor): AuditActor {
  const acting = currentImpersonation.getStore();
  if (acting === undefined) return actor;
  const { user, system, impersonator = acting.impersonator } = actor;
  return { ...actor, impersonator, user: user ?? (system === undefined ? acting.user : undefined) };
}

function actorOfContext(ctx: Context | undefined): AuditActor {
  const system = Context.get(ctx, "command") === undefined ? undefined : "command";
  return { user: Context.get(ctx, "user_id"), system };
}

/** Adds the command in `ctx`, and the user of the operating system that runs it. */
function withCommand(details: AuditEvent["details"], ctx: Context | undefined): AuditEvent["details"] {
  const command = Context.get(ctx, "command");
  return command === undefined ? details : { ...details, command, ...systemUser() };
}

function systemUser(): { readonly os_user?: string } {
  try {
    return { os_user: userInfo().username };
  } catch {
    // A container may run under a user id without a name.
    return {};
  }
}

/** Returns true for an error that has a status, which a retry may depend on, and for an aborted operation. */
const isTemporary = (failure: unknown, options: OperationOptions | undefined): boolean =>
  options?.signal?.aborted === true || (isError(failure) && failure.status !== undefined);

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
    details: factsOf(details, () => fail(`its details ${factsRule}`)),
    personal: factsOf(personal, () => fail(`its personal data ${factsRule}`)),
    client: fieldText(fields["client"])?.slice(0, 100),
    request_id: fieldText(fields["request_id"])?.slice(0, 200),
  };
}

const factsRule =
  "must be JSON of at most 16 KiB and 31 levels, without undefined, numbers that are not finite, NUL and lone surrogates";

/** Returns facts as they are stored. Throws the error that `fail` makes for those that a database cannot store. */
function factsOf(facts: AuditEvent["details"], fail: () => LimmatError): AuditEvent["details"] {
  if (facts === undefined) return undefined;
  try {
    // MariaDB allows the fewest levels.
    const text = new Json(facts).textFor("mariadb");
    if (Buffer.byteLength(text) > maxFactsBytes) throw new RangeError(`They have more than ${maxFactsBytes} bytes`);
    JSON.stringify(facts, refuseOmitted);
    return JSON.parse(text) as AuditEvent["details"];
  } catch (cause) {
    throw fail().causedBy(cause);
  }
}

/** Refuses what `JSON.stringify` leaves out, or replaces by null, such as an invalid date. */
function refuseOmitted(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const isOmitted = value === undefined || typeof value === "function" || typeof value === "symbol";
  if (isOmitted || (value === null && this[key] !== null)) {
    throw new TypeError(`JSON cannot represent the value of ${JSON.stringify(key)}`);
  }
  return value;
}

/** Returns a log field as text. */
function fieldText(field: unknown): string | undefined {
  const value = field instanceof LogInternals.DeferredValue ? field.compute() : field;
  return typeof value === "string" ? value : undefined;
}
