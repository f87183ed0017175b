import { error, isError, ok, type Result } from "limmat";
import type { AnySearchParameters, OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import { record } from "../activity/record.ts";
import { deleteFilesOf } from "../attachment/files.ts";
import { type Input, type Issue, issues, relations, type StoredRow } from "./entity.ts";

export { type Input, type Issue, labelOf, schema, stateChoices } from "./entity.ts";

/** The written issue, or an error message, or error messages by field. */
export type Outcome = Result<Issue, string | Readonly<Record<string, string>>>;

export interface Options extends OperationOptions {
  /** Version that a change is based on. Default: any. */
  readonly version?: number;
}

/** Options of a list and of a new issue. */
export interface ListOptions extends Options {
  readonly params: { readonly project: string };
}

type Page = readonly [items: readonly Issue[], total: number];

/** Finds an issue by id. */
export async function find(id: string, options?: Options): Promise<Issue | undefined> {
  const item = await issues.findOpt(database, id, { ...options, with: relations });
  return item && withIds(item);
}

/** Returns one page of the matching issues, by default the newest first, and their total number. */
export async function search(parameters: AnySearchParameters, options: ListOptions): Promise<Page> {
  const searchOptions = { ...options, where: { project_id: options.params.project }, with: relations };
  const [items, total] = await issues.search(database, parameters, searchOptions);
  return [items.map(withIds), total];
}

/** Creates an issue. */
export async function insert({ label_ids, ...input }: Input, options: ListOptions): Promise<Outcome> {
  const values = { ...input, project_id: options.params.project };
  return write(async () => {
    const written = await issues.insert(database, values, options);
    await record("opened", written.title, written.project_id, options);
    await links.labels.set(database, written, label_ids, options);
    return load(written.id, options);
  }, options);
}

/** Replaces the fields of an issue. */
export async function update(id: string, { label_ids, ...input }: Input, options?: Options): Promise<Outcome> {
  const item = { id, version: options?.version ?? "any" } as const;
  return write(async () => {
    const before = await issues.findOpt(database, id, options);
    const written = await issues.update(database, item, input, options);
    const isClosed = written.state === "closed" && before?.state === "open";
    await record(isClosed ? "closed" : "changed", written.title, written.project_id, options);
    await links.labels.set(database, written, label_ids, options);
    return load(written.id, options);
  }, options);
}

/** Deletes an issue, unless other entries refer to it. */
async function remove({ id, title, project_id }: Issue, options?: Options): Promise<Result<undefined>> {
  const item = { id, version: options?.version ?? "any" } as const;
  try {
    await database.transaction(async () => {
      await deleteFilesOf("issue", id, options);
      await issues.delete(database, item, options);
      await record("deleted", title, project_id, options);
    }, options);
    return ok();
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_FOREIGN_KEY")) return error("This issue is still in use");
    if (isError(thrown, "E_DATABASE_NO_ROW")) return error("This issue no longer exists");
    throw thrown;
  }
}

export { remove as delete };

const { links } = issues;

async function load(id: string, options?: Options): Promise<Issue> {
  return withIds(await issues.find(database, id, { ...options, with: relations }));
}

/** Adds the ids of the related entries, which the form shows. */
const withIds = (item: StoredRow): Issue => ({
  ...item,
  label_ids: item.labels.map(({ id }) => id),
});

/**
 * Runs a write and returns constraint violations as errors. The write runs in a transaction of its own, so that an
 * outer transaction can continue after a violation.
 */
async function write(change: () => Promise<Issue>, options?: Options): Promise<Outcome> {
  try {
    return ok(await database.transaction(change, options));
  } catch (thrown) {
    if (isError(thrown, "E_DATABASE_NO_ROW")) return error("This issue no longer exists");
    if (isError(thrown, "E_DATABASE_FOREIGN_KEY")) {
      return error("A chosen entry does not exist");
    }
    throw thrown;
  }
}
