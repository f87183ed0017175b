import { type ContextOptions, Context } from "../../../core/index.ts";
import { Time } from "../../../time/index.ts";
import type { CacheStore, Entry, Place } from "../contract.ts";
import type { RedisClient } from "./client.ts";
import { add, increment, remove, replace, type Script, take } from "./scripts.ts";

const scanSize = 500;

/** Does something with a client that is connected. Throws E_CACHE_NOT_STARTED, E_CACHE_UNAVAILABLE. */
export type Ask = <T>(command: (client: RedisClient) => Promise<T>) => Promise<T>;

/** The entries on a server, under keys that begin with a prefix. */
export function redisStore(ask: Ask, prefix: string): CacheStore {
  const startOf = ({ ctx }: ContextOptions): string =>
    `${prefix}${encodeURIComponent(Context.find(ctx, "pool") ?? "")}:`;
  const keyOf = (place: Place): string => `${startOf(place)}${place.kind}:${place.key}`;

  const run = (script: Script, place: Place, ...values: readonly (string | number)[]): Promise<unknown> =>
    ask(async (client) => {
      const key = keyOf(place);
      try {
        return await client.evalsha(script.hash, 1, key, ...values);
      } catch (error) {
        // The server forgets scripts when it is started anew.
        if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
        return client.eval(script.text, 1, key, ...values);
      }
    });

  /** Removes all keys that begin so, and tells how many. */
  const removeAll = (start: string): Promise<number> =>
    ask(async (client) => {
      const pattern = `${start.replace(/[*?[\]\\^-]/g, String.raw`\$&`)}*`;
      let count = 0;
      let cursor = "0";
      do {
        const [next, keys] = await client.scan(cursor, "MATCH", pattern, "COUNT", scanSize);
        if (keys.length > 0) count += await client.unlink(...keys);
        cursor = next;
      } while (cursor !== "0");
      return count;
    });

  return {
    find: async (place) => {
      const text = await ask((client) => client.get(keyOf(place)));
      return text === null ? undefined : parse(text);
    },
    set: async (place, entry) => {
      const duration = durationOf(entry);
      await ask((client) =>
        duration === ""
          ? client.set(keyOf(place), format(entry))
          : client.set(keyOf(place), format(entry), "PX", duration),
      );
    },
    add: async (place, entry, now) => (await run(add, place, now, format(entry), durationOf(entry))) === 1,
    increment: async (place, by, entry, now) => {
      const sum = await run(increment, place, now, by, format(entry), durationOf(entry));
      return sum === null ? undefined : Number(sum);
    },
    extend: async (place, value, until, now) => {
      const entry = { value, expiresAt: until, keptUntil: until };
      return (await run(replace, place, now, value, format(entry), durationOf(entry))) === 1;
    },
    remove: async (place, now, value) => {
      const only = value === undefined ? [] : [value];
      return (await run(remove, place, now, ...only)) === 1;
    },
    take: async (place, { now, cost, capacity }) => {
      const duration = Math.ceil(capacity / 1000) + 1000;
      const [isAllowed, fullAt] = (await run(take, place, now, cost, capacity, duration)) as [number, string];
      return { isAllowed: isAllowed === 1, fullAt: Number(fullAt) };
    },
    clear: ({ prefix: start, isAll, ...options }) => removeAll(startOf(options) + (isAll ? "" : `value:${start}`)),
    // The server does that by itself.
    purge: async () => 0,
  };
}

const format = ({ value, expiresAt, keptUntil }: Entry): string => `${expiresAt ?? ""}:${keptUntil ?? ""}:${value}`;

function parse(text: string): Entry {
  const [, over = "", kept = "", value = ""] = /^(\d*):(\d*):([^]*)$/.exec(text) ?? [];
  return { value, expiresAt: timeOf(over), keptUntil: timeOf(kept) };
}

const timeOf = (text: string): number | undefined => (text === "" ? undefined : Number(text));

/** How long the server keeps an entry, in milliseconds; empty means for ever. */
const durationOf = ({ keptUntil }: Entry): number | "" =>
  keptUntil === undefined ? "" : Math.max(1, keptUntil - Time.timestamp());
