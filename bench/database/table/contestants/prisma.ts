import { PrismaPg } from "@prisma/adapter-pg";
import { lastBefore } from "../data.ts";
import { type OpenTable, pageSize } from "./contestant.ts";
import { PrismaClient } from "../prisma/client.mjs";

interface Delegate {
  readonly findUnique: (query: object) => Promise<unknown>;
  readonly findMany: (query: object) => Promise<readonly Item[]>;
  readonly create: (query: object) => Promise<unknown>;
  readonly createMany: (query: object) => Promise<unknown>;
  readonly update: (query: object) => Promise<unknown>;
}

interface Item {
  readonly labels: readonly { readonly label: unknown }[];
}

interface Client {
  readonly issue: Delegate;
  readonly entry: Delegate;
  readonly record: Delegate;
  readonly $connect: () => Promise<void>;
  readonly $disconnect: () => Promise<void>;
}

/** Opens Prisma with the adapter of pg. */
export const open: OpenTable = async (connectionString) => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: 10 }) }) as Client;
  await prisma.$connect();
  const page = {
    where: { state: "open" },
    orderBy: [{ created_at: "desc" }, { id: "desc" }],
    take: pageSize,
  };
  return {
    find: (id) => prisma.issue.findUnique({ where: { id } }),
    insert: (data) => prisma.entry.create({ data }),
    update: (id, title) => prisma.issue.update({ where: { id }, data: { title } }),
    with: async () => {
      const issues = await prisma.issue.findMany({
        orderBy: { id: "asc" },
        include: { assignee: true, labels: { orderBy: { label_id: "asc" }, include: { label: true } } },
      });
      return issues.map((issue) => ({ ...issue, labels: issue.labels.map(({ label }) => label) }));
    },
    insertAll: (data) => prisma.entry.createMany({ data }),
    page1: () => prisma.record.findMany(page),
    page10000: () => prisma.record.findMany({ ...page, cursor: { id: lastBefore.id }, skip: 1 }),
    close: () => prisma.$disconnect(),
  };
};
