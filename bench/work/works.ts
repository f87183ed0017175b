import { httpWorks } from "./http.ts";
import { loginWork } from "./login.ts";
import { siteWorks } from "./site.ts";
import { staticWorks } from "./static.ts";
import type { Work } from "./work.ts";
import { worldWorks } from "./world.ts";

/** All benchmarks under load, in the order of the report. */
export const works: readonly Work[] = [...httpWorks, ...staticWorks, ...siteWorks, loginWork, ...worldWorks];
