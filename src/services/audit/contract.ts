import type { OperationOptions } from "../../database/index.ts";
import type { MigratedService } from "../../migration/index.ts";
import type {
  SearchCursors,
  SearchParameters,
  UncountedCursors,
  UncountedParameters,
} from "../../table/search/index.ts";

/** Who acts. */
export interface AuditActor {
  /** Id of the user; `undefined` for a visitor. */
  readonly user?: string | undefined;
  /** Id of the administrator who acts as this user. */
  readonly impersonator?: string | undefined;
  /** How the user has proved who it is, such as `session` or `token`. At most 50 characters. */
  readonly credential?: string | undefined;
  /** Name of work that no person does, such as `reminders`. At most 100 characters. */
  readonly system?: string | undefined;
}

/** Something that was done. */
export interface AuditEvent {
  /** What was done: `issue.delete`. At most 100 letters, digits, dots, dashes and underscores. */
  readonly action: string;
  /** Row that it was done to. */
  readonly subject?: { readonly table: string; readonly id: string } | undefined;
  /** Facts about it, without secrets and personal data: JSON of at most 16 KiB and 31 levels, without `undefined`. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Personal data, such as an address: JSON of at most 16 KiB, which `forget` deletes. */
  readonly personal?: Readonly<Record<string, unknown>> | undefined;
  /** Who acts. Default: that of `actor` of the service. */
  readonly actor?: AuditActor | undefined;
}

/** Entry of the trail. */
export interface AuditEntry {
  readonly id: string;
  readonly created_at: Date;
  readonly action: string;
  /** User who acted. The id is a pseudonym once the user is deleted. */
  readonly user_id: string | undefined;
  readonly impersonator_id: string | undefined;
  readonly credential: string | undefined;
  readonly system: string | undefined;
  readonly subject_table: string | undefined;
  readonly subject_id: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly personal: Readonly<Record<string, unknown>> | undefined;
  /** Address of the client, which is personal data. */
  readonly client: string | undefined;
  /** Identifier of the request, as in the log. */
  readonly request_id: string | undefined;
}

/** Search of entries, with or without their number. */
export interface AuditSearch {
  (
    parameters?: SearchParameters,
    options?: OperationOptions,
  ): Promise<readonly [entries: readonly AuditEntry[], total: number, cursors: SearchCursors]>;
  (
    parameters: UncountedParameters,
    options?: OperationOptions,
  ): Promise<readonly [entries: readonly AuditEntry[], total: undefined, cursors: UncountedCursors]>;
}

/**
 * Trail of what was done, by whom and from where. Entries are added and expire: no function changes or deletes single ones.
 */
export interface Audit extends MigratedService {
  /**
   * Returns who acts now: the user of the request (`Audit.Web.middleware`), or of `ctx` in the options the `user_id`, or for a
   * `command` the system `command`: its name and the user of the operating system are added to the details. Ask before a change
   * that may end the session of whoever acts, and pass the result to `record`.
   */
  readonly actor: (options?: OperationOptions) => Promise<AuditActor>;
  /**
   * Adds an entry. In a transaction it belongs to it: a change and its entry are stored together, or not at all.
   *
   * @throws E_AUDIT_EVENT, E_AUDIT_UNAVAILABLE (503) if it cannot be stored: what it records must then not happen
   * @example
   * await database.transaction(async () => {
   *   await issues.delete(database, issue);
   *   await audit.record({ action: "issue.delete", subject: { table: "issues", id: issue.id } }, options);
   * });
   */
  readonly record: (event: AuditEvent, options?: OperationOptions) => Promise<void>;
  /**
   * Returns a page of entries, newest first, and their number. `filterBy` takes `action`, `user_id`, `impersonator_id`,
   * `subject_table`, `subject_id`, `request_id`, and a range of `created_at`. With `total: false` they are not counted, which takes time in a
   * long trail.
   *
   * @throws E_SEARCH (400)
   */
  readonly search: AuditSearch;
  /** Finds an entry by its id, or returns `undefined`. */
  readonly findOpt: (id: string, options?: OperationOptions) => Promise<AuditEntry | undefined>;
  /**
   * Deletes personal data of a user: `personal` and `client` of the entries about the user, of those by the user, also as
   * impersonator, and of those by nobody that name the id in `details`, such as the use of a link in a mail. The id remains, as a pseudonym. Returns the number of entries. The user service calls it when a user is deleted.
   */
  readonly forget: (user: { readonly id: string }, options?: OperationOptions) => Promise<number>;
}
