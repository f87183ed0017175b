// Registers all services and commands of the application.
import { resolve } from "node:path";
import { App, Seed, Web } from "limmat";
import { deleteFiles } from "../app/domain/attachment/files.ts";
import * as seeds from "../database/seed.ts";
import { router } from "../routes/routes.ts";
import { account, database, email, migration, passwordReset, queue, storage, token, user } from "../service/service.ts";

const seed = Seed.service({ database, seeds });
const http = Web.Http.service({ router });

queue.register(deleteFiles);

export const app = App.create({
  root: resolve(import.meta.dirname, ".."),
  services: [database, migration, seed, token, storage, http, queue, email, user, account, passwordReset],
});

if (import.meta.main) await app.run();
