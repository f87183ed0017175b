// Registers all services of the application.
import { resolve } from "node:path";
import { App, Seed, Web } from "limmat";
import * as seeds from "../database/seed.ts";
import { router } from "../routes/routes.ts";
import { database, migration, token, user } from "../service/service.ts";
import { errorPage } from "../web/view/error.ts";

export const app = App.create({
  root: resolve(import.meta.dirname, ".."),
  services: [
    database,
    migration,
    user,
    token,
    Seed.service({ database, seeds }),
    Web.Http.service({ router, errorPage }),
  ],
});

if (import.meta.main) await app.run();
