import { testDeployments } from "./deployments.ts";

testDeployments({ isUnderLoad: true });
