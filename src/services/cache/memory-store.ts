import { type ContextOptions, Context } from "../../core/index.ts";
import { takeFrom } from "../../token-bucket/index.ts";
import { isFresh, isKept, numberOf } from "./checks.ts";
import type { CacheStore, Entry, EntryKind, Place } from "./contract.ts";
import { Shelf } from "./shelf.ts";

/** Entries in memory, at most about so many bytes of values. */
export function memoryStore(maxBytes: number): CacheStore {
  // Locks must never make way for others. A quota takes some 250 bytes: room for 100,000 clients.
  const shelves: Readonly<Record<EntryKind, Shelf>> = {
    value: new Shelf(maxBytes),
    maker: new Shelf(Infinity),
    lock: new Shelf(Infinity),
    quota: new Shelf(25_000_000),
  };
  const get = ({ kind, ...place }: Place): Entry | undefined => shelves[kind].get(idOf(place));
  const set = ({ kind, ...place }: Place, entry: Entry): void => shelves[kind].set(idOf(place), entry);
  const fresh = (place: Place, now: number): Entry | undefined => {
    const entry = get(place);
    return entry !== undefined && isFresh(entry, now) ? entry : undefined;
  };

  return {
    find: async (place) => get(place),
    set: async (place, entry) => set(place, entry),
    add: async (place, entry, now) => {
      if (fresh(place, now) !== undefined) return false;
      set(place, entry);
      return true;
    },
    increment: async (place, by, entry, now) => {
      const known = fresh(place, now) ?? { ...entry, value: "0" };
      const number = numberOf(known.value);
      if (number === undefined) return undefined;
      const sum = Math.min(Math.max(number + by, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
      set(place, { ...known, value: String(sum) });
      return sum;
    },
    extend: async (place, value, until, now) => {
      if (fresh(place, now)?.value !== value) return false;
      set(place, { value, expiresAt: until, keptUntil: until });
      return true;
    },
    remove: async (place, now, value) => {
      const known = fresh(place, now);
      if (value !== undefined && known?.value !== value) return false;
      shelves[place.kind].delete(idOf(place));
      return known !== undefined;
    },
    take: async (place, attempt) => {
      const fullAt = get(place)?.value;
      const taken = takeFrom(fullAt === undefined ? undefined : Number(fullAt), attempt);
      const keptUntil = Math.ceil(taken.fullAt / 1000);
      set(place, { value: String(taken.fullAt), expiresAt: keptUntil, keptUntil });
      return taken;
    },
    clear: async ({ prefix, isAll, ...options }) => {
      const start = idOf({ ...options, key: prefix });
      const shelvesToClear = isAll ? Object.values(shelves) : [shelves.value];
      return shelvesToClear.reduce((count, shelf) => count + shelf.deleteWhere((id) => id.startsWith(start)), 0);
    },
    purge: async (now, options) => {
      const start = idOf({ ...options, key: "" });
      const isOver = (id: string, entry: Entry): boolean => id.startsWith(start) && !isKept(entry, now);
      return Object.values(shelves).reduce((count, shelf) => count + shelf.deleteWhere(isOver), 0);
    },
  };
}

/** The pool first: no name of a pool has a line feed before its end, as no key has one. */
const idOf = ({ key, ctx }: ContextOptions & { readonly key: string }): string =>
  `${JSON.stringify(Context.find(ctx, "pool") ?? "")}\n${key}`;
