import { testRefusedReleases } from "./refused-releases.ts";

testRefusedReleases({ isUnderLoad: false });
