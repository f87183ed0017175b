import { testDeployments } from "./deployments.ts";

testDeployments({ isUnderLoad: false });
