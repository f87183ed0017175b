import { mariadb } from "../servers/mariadb.ts";
import { testNewProjectOnServer } from "./new-project.ts";

await testNewProjectOnServer(mariadb);
