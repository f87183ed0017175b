import { publicFolder, secret } from "../work/data.mjs";
import { limmatFlags, limmatFolderEnvironment } from "../harness/limmat.ts";

/** Framework on one host. */
export interface Contestant {
  readonly name: string;
  readonly host: "node" | "bun";
  /** Path relative to this folder. */
  readonly file: string;
  /** Applications that its file defines. */
  readonly applications: readonly string[];
  /** Packages that a user installs for the site with a database. "." is limmat itself. */
  readonly packages: readonly string[];
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const http = ["json", "routes", "middlewares", "orders"];
const wire = ["plaintext", "tls", "processes", "events"];
const bodies = ["report", "upload", "assets"];
const data = ["cached", "crud"];
const all = [...http, "static", "world", "site", "todos-postgresql", "login"];

const limmatEnvironment: Readonly<Record<string, string>> = {
  FRAMEWORK_ENV: "production",
  FRAMEWORK_SECRET: secret,
  HOST: "127.0.0.1",
  PORT: "0",
  PUBLIC_DIR: `${publicFolder}assets`,
  ...limmatFolderEnvironment,
};

/** All contestants. The first one of each host is the baseline of the others. */
export const contestants: readonly Contestant[] = [
  {
    name: "node:http",
    host: "node",
    file: "node/raw.mjs",
    applications: [...all, ...wire, ...bodies, ...data, "todos-sqlite", "todos-mariadb"],
    packages: [],
  },
  {
    name: "node:http with headers",
    host: "node",
    file: "node/raw-headers.mjs",
    applications: ["json"],
    packages: [],
  },
  {
    name: "limmat",
    host: "node",
    file: "node/limmat.mjs",
    applications: [...all, ...wire, ...bodies, ...data, "todos-sqlite", "todos-mariadb"],
    packages: ["."],
    flags: limmatFlags,
    environment: limmatEnvironment,
  },
  {
    name: "fastify",
    host: "node",
    file: "node/fastify.mjs",
    applications: [...all, ...wire, ...bodies, ...data],
    packages: [
      "fastify",
      "@fastify/csrf-protection",
      "@fastify/etag",
      "@fastify/flash",
      "@fastify/formbody",
      "@fastify/postgres",
      "@fastify/secure-session",
      "@fastify/static",
      "@fastify/view",
      "eta",
    ],
  },
  {
    name: "express",
    host: "node",
    file: "node/express.mjs",
    applications: [...all, "plaintext"],
    packages: ["express", "cookie-session", "connect-flash", "csrf-sync", "eta"],
  },
  {
    name: "hono",
    host: "node",
    file: "node/hono.mjs",
    applications: [...http, "plaintext", "static", "world"],
    packages: ["hono", "@hono/node-server"],
  },
  { name: "h3", host: "node", file: "node/h3.mjs", applications: [...http, "plaintext"], packages: ["h3"] },
  {
    name: "koa",
    host: "node",
    file: "node/koa.mjs",
    applications: [...http, "plaintext"],
    packages: ["koa", "@koa/router", "@koa/bodyparser"],
  },
  {
    name: "nest",
    host: "node",
    file: "node/nest.mjs",
    applications: [...http, "static"],
    packages: [
      "@nestjs/common",
      "@nestjs/core",
      "@nestjs/platform-fastify",
      "@fastify/static",
      "reflect-metadata",
      "rxjs",
    ],
  },
  {
    name: "adonis",
    host: "node",
    file: "node/adonis.mjs",
    applications: [...all, "plaintext"],
    packages: [
      "@adonisjs/core",
      "@adonisjs/lucid",
      "@adonisjs/session",
      "@adonisjs/shield",
      "@adonisjs/static",
      "@vinejs/vine",
      "edge.js",
    ],
  },
  { name: "Bun.serve", host: "bun", file: "bun/raw.mjs", applications: [...http, "plaintext"], packages: [] },
  {
    name: "Bun.serve with headers",
    host: "bun",
    file: "bun/raw-headers.mjs",
    applications: http,
    packages: [],
  },
  {
    name: "limmat",
    host: "bun",
    file: "bun/limmat.mjs",
    applications: [...http, "plaintext"],
    packages: ["."],
    flags: limmatFlags,
    environment: limmatEnvironment,
  },
  { name: "hono", host: "bun", file: "bun/hono.mjs", applications: [...http, "plaintext"], packages: ["hono"] },
  { name: "elysia", host: "bun", file: "bun/elysia.mjs", applications: [...http, "plaintext"], packages: ["elysia"] },
];
