import type { Instance, InstanceQuery } from "../contract.ts";
import { instanceOf } from "../instance.ts";
import type { MemoryInstance } from "./memory-instance.ts";

/** A page of the instances that match, and how many do. Those of one time are in the order of the line. */
export function searchIn(
  instances: readonly MemoryInstance[],
  query: InstanceQuery,
): readonly [readonly Instance[], number] {
  const { sort = "desc", filter = "", limit = 50, offset = 0, status, name, tag } = query;
  const text = asciiLower(filter);
  const found = instances.filter(
    (instance) =>
      (status === undefined || instance.status === status) &&
      (name === undefined || instance.name === name) &&
      (tag === undefined || instance.tag === tag) &&
      [instance.name, instance.tag ?? ""].some((value) => asciiLower(value).includes(text)),
  );
  found.sort((left, right) => (sort === "asc" ? compare(left, right) : compare(right, left)));
  return [found.slice(offset, offset + limit).map(instanceOf), found.length];
}

function compare(left: MemoryInstance, right: MemoryInstance): number {
  const time = left.created_at.getTime() - right.created_at.getTime();
  return time === 0 ? left.place - right.place : time;
}

const asciiLower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
