import type { ContextOptions } from "../../core/index.ts";
import type { Instance } from "./contract.ts";
import { Hands } from "./hands.ts";
import type { Registry } from "./registry.ts";
import type { Store } from "./store.ts";
import { claimOf } from "./supply.ts";
import { reclaim } from "./worker.ts";

/** Works what is due, one job after the other, until nothing is; gives what became of each. */
export async function runDue(store: Store, registry: Registry, options: ContextOptions): Promise<readonly Instance[]> {
  const hands = new Hands(store, registry, () => {});
  const ids = new Set<string>();
  await reclaim(store, registry.names, hands);
  for (;;) {
    const [claimed] = await store.claim(claimOf(registry.names, 1));
    if (claimed === undefined) break;
    ids.add(claimed.instance.id);
    hands.begin(claimed);
    await hands.settled();
  }
  await hands.settled();
  const instances = await Promise.all([...ids].map((id) => store.find(id, options)));
  return instances.filter((instance) => instance !== undefined);
}
