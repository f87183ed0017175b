// Preloaded by the programs on the host of a deployment. Stops the clock of the agent (packages/limmat-deploy/stubs/agent.mjs.stub),
// so that its time limit does not depend on the speed of the machine: the time has passed when the health page has answered with
// an error several times.
import { subscribe } from "node:diagnostics_channel";

const enoughErrors = 3;

function isAgent() {
  try {
    return "action" in JSON.parse(process.argv.at(-1) ?? "");
  } catch {
    return false;
  }
}

if (isAgent()) {
  let errors = 0;
  performance.now = () => (errors < enoughErrors ? 0 : Number.MAX_VALUE);
  subscribe("http.client.response.finish", ({ response }) => {
    if (response.statusCode !== 200) errors += 1;
  });
}
