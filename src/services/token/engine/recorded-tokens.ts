import { type ContextOptions, ok, type Service } from "../../../core/index.ts";
import { Schema } from "../../../schema/index.ts";
import type { Audit, AuditActor } from "../../audit/contract.ts";
import type { OwnerOptions, PurposeOptions, StoredTokenService, TokenContent, TokenService } from "../contract.ts";
import type { TokenStore } from "../store/contract.ts";
import { consumeOperation, type ConsumeWith } from "./consume.ts";

/** Operations of a store that entries of the audit trail need. */
interface RecordedStore extends Pick<TokenStore, "transaction"> {
  /** Finds the content of a token, also of one that is not valid any more. */
  readonly find: (token: string, options: PurposeOptions) => Promise<TokenContent | undefined>;
  /** Ends or deletes the tokens of an owner. Returns their number; `undefined` if it is unknown. */
  readonly consumeAll: (options: OwnerOptions) => Promise<number | undefined>;
  readonly deleteAll: (options: OwnerOptions) => Promise<number | undefined>;
}

type TokenOperations = Omit<TokenService, keyof Service.Service>;

// Concurrent changes of the tokens of one owner can deadlock on MariaDB.
const maxRetries = 20;

/** Maximum number of abilities in an entry. */
const maxAbilities = 50;

/** Returns operations that record in an audit trail, if there is one, which tokens were made and ended: in one transaction. */
export function recordedOperations<Operations extends TokenOperations>(
  operations: Operations & Partial<Pick<StoredTokenService, "deactivateById">>,
  store: RecordedStore,
  audit: Audit | undefined,
): Operations {
  if (audit === undefined) return operations;

  const change = async <T>(run: () => Promise<T>, options: ContextOptions): Promise<T> => {
    const undo = async (): Promise<void> => {};
    const result = await store.transaction(async () => ok(await run()), undo, { ctx: options.ctx ?? [], maxRetries });
    return (result as { readonly value: T }).value;
  };
  const record = (action: string, id: string | undefined, facts: Facts, { ctx = [] }: ContextOptions): Promise<void> =>
    audit.record(
      { action: `token.${action}`, subject: id === undefined ? undefined : { table: "tokens", id }, ...facts },
      { ctx },
    );
  const recordContent = async (
    action: string,
    content: TokenContent | undefined,
    options: ContextOptions,
    actor?: AuditActor,
  ): Promise<void> => {
    if (content !== undefined) await record(action, content.id, { ...factsOf(content), actor }, options);
  };
  const consumeWith: ConsumeWith = async (token, options, apply) => {
    // Found first: what is applied may end the session of whoever acts.
    const actor = await audit.actor({ ctx: options.ctx ?? [] });
    return operations.consume(token, options, async (content) => {
      const result = await apply(content);
      if (result.ok) await recordContent("consume", content, options, actor);
      return result;
    });
  };
  const changeStatus =
    (name: "activate" | "deactivate"): TokenService["activate"] =>
    (token, options) =>
      change(async () => {
        const isChanged = await operations[name](token, options);
        if (isChanged) await recordContent(name, await store.find(token, options), options);
        return isChanged;
      }, options);
  const endTokens =
    (action: "revoke" | "delete", end: RecordedStore["consumeAll"]): TokenService["deactivateAll"] =>
    (options) =>
      change(async () => {
        const tokens = await end(options);
        if (tokens === 0) return;
        const { details, personal } = ownerFacts(options);
        await record(
          action,
          undefined,
          { details: { ...details, ...(tokens !== undefined && { tokens }) }, personal },
          options,
        );
      }, options);

  const { deactivateById } = operations;
  return {
    ...operations,
    create: (data, options) =>
      change(async () => {
        const token = await operations.create(data, options);
        await recordContent("create", await store.find(token, options), options);
        return token;
      }, options),
    consume: consumeOperation(async (token, options) => {
      const result = await consumeWith(token, options, async (content) => ok(content));
      return result?.ok === true ? result.value : undefined;
    }, consumeWith),
    activate: changeStatus("activate"),
    deactivate: changeStatus("deactivate"),
    deactivateAll: endTokens("revoke", store.consumeAll),
    deleteAll: endTokens("delete", store.deleteAll),
    ...(deactivateById &&
      ({
        deactivateById: (id, options = {}) =>
          change(async () => {
            const isEnded = await deactivateById(id, options);
            if (isEnded) await record("revoke", id, {}, options);
            return isEnded;
          }, options),
      } satisfies Pick<StoredTokenService, "deactivateById">)),
  };
}

type Facts = Pick<Parameters<Audit["record"]>[0], "actor" | "details" | "personal">;

/** Returns an owner as facts. A text that is no id may be personal, such as an address. */
const ownerFacts = ({ owner, purpose }: { readonly owner: string | undefined; readonly purpose?: string }): Facts => {
  const facts = { ...(purpose !== undefined && { purpose }) };
  if (owner === undefined) return { details: facts };
  return Schema.isUuid(owner) ? { details: { ...facts, owner } } : { details: facts, personal: { owner } };
};

/** Returns the facts of a token, without its data and its name, which may be personal: "Ada's laptop". */
function factsOf({ abilities, expires_at, ...content }: TokenContent): Facts {
  const { details, personal } = ownerFacts(content);
  return { details: { ...details, abilities: abilities.slice(0, maxAbilities), expires_at }, personal };
}
