import { bodyWorks } from "./bodies.ts";
import { crudWork } from "./crud.ts";
import { httpWorks } from "./http.ts";
import { loadWorks } from "./load.ts";
import { loginWork } from "./login.ts";
import { siteWorks } from "./site.ts";
import { staticWorks } from "./static.ts";
import { wireWorks } from "./wire.ts";
import type { Work } from "./work.ts";
import { cachedQueriesWork, worldWorks } from "./world.ts";

/** All benchmarks under load, in the order of the report. */
export const works: readonly Work[] = [
  ...httpWorks,
  ...staticWorks,
  ...siteWorks,
  loginWork,
  ...worldWorks,
  cachedQueriesWork,
  crudWork,
  ...wireWorks,
  ...bodyWorks,
  ...loadWorks,
];
