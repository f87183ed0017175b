import type { Service } from "../../core/index.ts";
import type { PoolRegistry } from "./pool-registry.ts";

/**
 * Returns gauges of the exclusive connections of a database's pools, named as in OpenTelemetry. The default pool has the
 * name of the service.
 */
export function poolMetrics(database: string, pools: PoolRegistry): readonly Service.Metric[] {
  const labelledStats = pools.stats.map(([name, stats]) => ({
    ...stats,
    labels: { db_client_connection_pool_name: name === undefined ? database : `${database}/${name}` },
  }));
  const gauge = (name: string, help: string, samples: readonly Service.Sample[]): Service.Metric => ({
    name: `db_client_connection_${name}`,
    type: "gauge",
    help,
    samples,
  });
  const count = labelledStats.flatMap(({ used, idle, labels }) => [
    { value: used, labels: { ...labels, db_client_connection_state: "used" } },
    { value: idle, labels: { ...labels, db_client_connection_state: "idle" } },
  ]);
  const max = labelledStats.map(({ size, labels }) => ({ value: size, labels }));
  const pending = labelledStats.map(({ waiting, labels }) => ({ value: waiting, labels }));
  return [
    gauge("count", "Open connections of a pool, in use and idle", count),
    gauge("max", "Maximum number of connections of a pool", max),
    gauge("pending_requests", "Operations that wait for a connection of a pool", pending),
  ];
}
