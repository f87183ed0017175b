import { Time } from "../../../time/index.ts";
import { instanceOf } from "../instance.ts";
import type { EndStatus, Instance, InstanceQuery, Priority, Status } from "../contract.ts";
import {
  type Claim,
  type Claimed,
  type Held,
  type NewInstance,
  priorities,
  type Settlement,
  statuses,
  type Store,
  type Waiting,
} from "../store.ts";
import { Line } from "./line.ts";
import { free, type MemoryInstance, untouched } from "./memory-instance.ts";
import { searchIn } from "./search.ts";

/** Keeps instances in the memory of this process: gone when it ends, and unknown to others. */
export class MemoryStore implements Store {
  readonly implementation = "memory";
  readonly #instances = new Map<string, MemoryInstance>();
  /** The pending or running instance of each unique key. */
  readonly #users = new Map<string, string>();
  readonly #lines: Readonly<Record<Priority, Line>> = { high: new Line(), normal: new Line(), low: new Line() };
  #places = 0;

  dependencies(): readonly [] {
    return [];
  }

  async insert(instances: readonly NewInstance[]): Promise<readonly string[]> {
    return instances.map((instance) => {
      const user = this.#userOf(instance);
      if (user !== undefined) return user;
      this.#put({ ...untouched, ...instance, updated_at: instance.created_at, place: this.#places++ });
      return instance.id;
    });
  }

  afterCommit(callback: () => void): void {
    callback();
  }

  async find(id: string): Promise<Instance | undefined> {
    const found = this.#instances.get(id);
    return found === undefined ? undefined : instanceOf(found);
  }

  async search(query: InstanceQuery): Promise<readonly [readonly Instance[], number]> {
    return searchIn([...this.#instances.values()], query);
  }

  async counts(): Promise<Readonly<Record<Status, number>>> {
    const counts = Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>;
    for (const { status } of this.#instances.values()) counts[status] += 1;
    return counts;
  }

  async cancel(id: string): Promise<boolean> {
    const found = this.#instances.get(id);
    if (found?.status !== "pending" && found?.status !== "running") return false;
    this.#end(found, "cancelled");
    return true;
  }

  async requeue(id: string): Promise<boolean> {
    const found = this.#instances.get(id);
    if (found === undefined || found.status === "running") return false;
    const user = this.#userOf(found);
    if (user !== undefined && user !== id) return false;
    this.#wait(found, { ...this.#last(Time.now()), tries: 0 });
    return true;
  }

  async purge(ended: readonly EndStatus[], before: Date): Promise<number> {
    const old = this.#all(
      ({ status, finished_at }) =>
        ended.some((each) => each === status) && finished_at !== undefined && finished_at <= before,
    );
    old.forEach(({ id }) => this.#instances.delete(id));
    return old.length;
  }

  async clean(): Promise<void> {
    this.#instances.clear();
    this.#users.clear();
    for (const priority of priorities) this.#lines[priority].clear();
  }

  async waiting(): Promise<readonly Waiting[]> {
    const due = priorities.flatMap((priority) => [...this.#lines[priority]].filter(isDue));
    return [...Map.groupBy(due, ({ name }) => name)].map(([name, group]) => ({
      name,
      count: group.length,
      since: earliest(group.map(({ next_run_at }) => next_run_at)) ?? Time.now(),
    }));
  }

  async nextDue(names: readonly string[]): Promise<Date | undefined> {
    return earliest(
      priorities.flatMap((priority) => {
        for (const { name, next_run_at } of this.#lines[priority]) if (names.includes(name)) return [next_run_at];
        return [];
      }),
    );
  }

  async claim({ names, limit, lease, until }: Claim): Promise<readonly Claimed[]> {
    const due: MemoryInstance[] = [];
    for (const priority of priorities) {
      for (const instance of this.#lines[priority]) {
        if (due.length === limit || !isDue(instance)) break;
        if (names.includes(instance.name)) due.push(instance);
      }
    }
    const held = { status: "running", lease, leased_until: until, started_at: Time.now() } as const;
    return due.map((instance) => claimed(this.#change(instance, { ...held, tries: instance.tries + 1 })));
  }

  async renew(asked: readonly Held[], until: Date): Promise<ReadonlySet<Held>> {
    return this.#ofHeld(asked, (instance) => this.#change(instance, { leased_until: until }));
  }

  async settle(settlements: readonly Settlement[]): Promise<ReadonlySet<Settlement>> {
    return this.#ofHeld(settlements, (instance, settlement) => {
      if (settlement.to === "succeeded") this.#end(instance, "succeeded");
      else if (settlement.to === "failed") this.#end(instance, "failed", lastError(settlement.error));
      else if (settlement.to === "released") this.#wait(instance, { tries: instance.tries - 1 });
      else this.#wait(instance, { ...this.#last(settlement.at), ...lastError(settlement.error) });
    });
  }

  async reclaim(
    names: readonly string[],
    error: string,
  ): Promise<{ readonly freed: number; readonly failed: readonly Claimed[] }> {
    const now = Time.now();
    const lost = this.#all(
      ({ status, leased_until, name }) =>
        status === "running" && leased_until !== undefined && leased_until < now && names.includes(name),
    );
    const failed = lost.filter(({ tries, max_tries }) => tries >= max_tries);
    const freed = lost.filter(({ tries, max_tries }) => tries < max_tries);
    freed.forEach((instance) => this.#wait(instance, lastError(error)));
    return { freed: freed.length, failed: failed.map((each) => claimed(this.#end(each, "failed", lastError(error)))) };
  }

  /** Puts an instance into the place of the one with its id, and keeps lines and keys as they must be. */
  #put(instance: MemoryInstance): MemoryInstance {
    const { id, status, priority, unique_key } = instance;
    const former = this.#instances.get(id);
    if (former?.status === "pending") this.#lines[former.priority].remove(former);
    if (status === "pending") this.#lines[priority].add(instance);
    if (unique_key !== undefined) {
      if (status === "pending" || status === "running") this.#users.set(unique_key, id);
      else if (this.#users.get(unique_key) === id) this.#users.delete(unique_key);
    }
    this.#instances.set(id, instance);
    return instance;
  }

  #change(instance: MemoryInstance, changes: Partial<MemoryInstance>): MemoryInstance {
    return this.#put({ ...instance, ...changes, updated_at: Time.now() });
  }

  /** The last place among those of a time. */
  #last(at: Date): Partial<MemoryInstance> {
    return { next_run_at: at, place: this.#places++ };
  }

  #wait(instance: MemoryInstance, changes: Partial<MemoryInstance>): MemoryInstance {
    return this.#change(instance, { ...free, status: "pending", finished_at: undefined, ...changes });
  }

  #end(instance: MemoryInstance, status: EndStatus, changes: Partial<MemoryInstance> = {}): MemoryInstance {
    return this.#change(instance, { ...free, status, finished_at: Time.now(), ...changes });
  }

  #userOf({ unique_key }: NewInstance): string | undefined {
    return unique_key === undefined ? undefined : this.#users.get(unique_key);
  }

  #all(matches: (instance: MemoryInstance) => boolean): readonly MemoryInstance[] {
    return [...this.#instances.values()].filter(matches);
  }

  /** Does something to those that are still held, and gives these. */
  #ofHeld<T extends Held>(asked: readonly T[], act: (instance: MemoryInstance, held: T) => void): ReadonlySet<T> {
    const found = new Set<T>();
    for (const held of asked) {
      const instance = this.#instances.get(held.id);
      if (instance?.status !== "running" || instance.lease !== held.lease) continue;
      act(instance, held);
      found.add(held);
    }
    return found;
  }
}

const isDue = ({ next_run_at }: MemoryInstance): boolean => next_run_at.getTime() <= Time.timestamp();

const lastError = (error: string): Partial<MemoryInstance> => ({ last_error: error, last_error_at: Time.now() });

const claimed = (instance: MemoryInstance): Claimed => ({
  instance: instanceOf(instance),
  lease: instance.lease ?? "",
  log_fields: instance.log_fields,
});

const earliest = (dates: readonly Date[]): Date | undefined =>
  dates.length === 0 ? undefined : new Date(Math.min(...dates.map((date) => date.getTime())));
