// Registers all services and commands of the application.
import { resolve } from "node:path";
import { App, Web } from "limmat";
import { router } from "../routes/routes.ts";
import { account, database, email, migration, passwordReset, queue, storage, token, user } from "../service/service.ts";

const http = Web.Http.service({ router });

export const app = App.create({
  root: resolve(import.meta.dirname, ".."),
  services: [database, migration, token, storage, http, queue, email, user, account, passwordReset],
});

if (import.meta.main) await app.run();
