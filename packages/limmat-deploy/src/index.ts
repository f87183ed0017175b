export { deployDetails } from "./details.ts";
export { runDeploy } from "./run-deploy.ts";
