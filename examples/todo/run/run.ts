// Registers all services and commands of the application.
import { resolve } from "node:path";
import { App, Seed, Web } from "limmat";
import { commands } from "../app/command/command.ts";
import * as seeds from "../database/seed.ts";
import { router } from "../routes/routes.ts";
import { database, migration } from "../service/service.ts";

export const app = App.create({
  root: resolve(import.meta.dirname, ".."),
  services: [database, migration, Seed.service({ database, seeds }), Web.Http.service({ router })],
  commands,
});

if (import.meta.main) await app.run();
