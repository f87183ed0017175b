import { renderStub } from "./stub.ts";
import type { ServiceDescription, ServiceManager } from "./service-manager.ts";
import { sh } from "./shell.ts";

/**
 * Returns the service manager of hosts without systemd: the server is a process in the background. Its supervisor replaces
 * workers that die, and nothing replaces the supervisor.
 */
export function processManager({ folder, workers }: ServiceDescription): ServiceManager {
  const output = `${folder}/shared/logs/output.log`;
  const start = `${folder}/bin/start`;
  const stop = `${folder}/bin/stop`;
  return {
    kind: "process",
    install: () => sh`printf '%s' ${renderStub("start.sh", { folder, workers })} > ${start}
printf '%s' ${renderStub("stop.sh", { folder })} > ${stop}
chmod 750 ${[start, stop]}`,
    start: () => sh`${start}`,
    stop: () => sh`${stop}`,
    explain: () => sh`tail -n 30 ${output} 2>/dev/null || :`,
    limitation: `Nothing starts the server after a restart of the host. Add "@reboot ${start}" and "17 3 * * * ${folder}/bin/nightly" to the cron table of the user`,
    removal: stop,
  };
}
