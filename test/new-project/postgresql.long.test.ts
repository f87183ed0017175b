import { postgresql } from "../servers/postgresql.ts";
import { testNewProjectOnServer } from "./new-project.ts";

await testNewProjectOnServer(postgresql);
