// The attacks of two-teams.long.test.ts on the database servers.
import { mariadb } from "../servers/mariadb.ts";
import { postgresql } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { testTwoTeams } from "./two-teams.ts";

for (const kind of [postgresql, mariadb]) {
  await withServer(kind, ({ url }) => testTwoTeams(kind.name.toLowerCase(), url));
}
