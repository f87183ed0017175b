/** Goal of limmat: an upper bound of the median ratio of CPU time per request. */
export interface Goal {
  readonly work: string;
  readonly host: "node" | "bun";
  /** Contestant that limmat is compared with, in another benchmark as `contestant/benchmark`. */
  readonly against: string;
  readonly atMost: number;
}

const goal = (work: string, against: string, atMost: number, host: Goal["host"] = "node"): Goal => ({
  work,
  host,
  against,
  atMost,
});

const everyPeer = ["fastify", "express", "hono", "h3", "koa", "nest", "adonis"];

/** Goals in the order of the report. */
export const goals: readonly Goal[] = [
  goal("json", "node:http", 1.08),
  goal("json", "fastify", 1),
  goal("routes", "node:http/json", 1.15),
  ...everyPeer.map((peer) => goal("routes", peer, 1)),
  goal("middlewares", "node:http/json", 1.15),
  ...everyPeer.map((peer) => goal("middlewares", peer, 1)),
  goal("site", "fastify", 0.65),
  goal("site", "adonis", 0.12),
  goal("index-postgresql", "fastify", 0.6),
  goal("index-postgresql", "adonis", 0.2),
  goal("form", "fastify", 0.6),
  goal("form", "adonis", 0.2),
  goal("db", "node:http", 1.15),
  goal("queries", "node:http", 1.15),
  goal("static-304", "fastify", 1),
  goal("static-304", "express", 1),
  goal("json", "Bun.serve", 1.15, "bun"),
  goal("json", "hono", 1, "bun"),
];
