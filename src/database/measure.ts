import type { Service } from "../core/index.ts";
import type { Pools } from "./pools.ts";

/**
 * How the exclusive connections of a database's pools are used, by the names of OpenTelemetry. The default pool has the
 * name of the service.
 */
export function measure(database: string, pools: Pools): readonly Service.Measurement[] {
  const uses = pools.counts.map(([name, counts]) => ({
    ...counts,
    labels: { db_client_connection_pool_name: name === undefined ? database : `${database}/${name}` },
  }));
  const gauge = (name: string, help: string, samples: readonly Service.Sample[]): Service.Measurement => ({
    name: `db_client_connection_${name}`,
    type: "gauge",
    help,
    samples,
  });
  const count = uses.flatMap(({ lent, idle, labels }) => [
    { value: lent, labels: { ...labels, db_client_connection_state: "used" } },
    { value: idle, labels: { ...labels, db_client_connection_state: "idle" } },
  ]);
  const max = uses.map(({ size, labels }) => ({ value: size, labels }));
  const pending = uses.map(({ waiting, labels }) => ({ value: waiting, labels }));
  return [
    gauge("count", "Open connections of a pool, in use and free", count),
    gauge("max", "Connections that a pool may open", max),
    gauge("pending_requests", "Operations that wait for a connection of a pool", pending),
  ];
}
