// The single wiring point: services and commands are registered here.
import { resolve } from "node:path";
import { App, Seed, Web } from "limmat";
import { commands } from "../app/command/command.ts";
import * as seeds from "../database/seed.ts";
import { router } from "../routes/routes.ts";
import { database, migration } from "../service/service.ts";
import { serverTiming } from "../web/middleware/server-timing.ts";

const seed = Seed.service({ database, seeds });
const http = Web.Http.service({ router, middlewares: [serverTiming] });

export const app = App.create({
  root: resolve(import.meta.dirname, ".."),
  services: [database, migration, seed, http],
  commands,
});

if (import.meta.main) await app.run();
