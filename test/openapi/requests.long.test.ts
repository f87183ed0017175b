// Generated requests to the tracker: a short run of requests.nightly.test.ts.
import { testTracker } from "./tracker.ts";

await testTracker(1000);
