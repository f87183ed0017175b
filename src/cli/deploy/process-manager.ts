import { renderStub } from "../gen/stub.ts";
import type { ServiceDescription, ServiceManager } from "./service-manager.ts";
import { sh } from "./shell.ts";

/**
 * Returns the service manager of hosts without systemd: the server is a process in the background. Its supervisor replaces
 * workers that die, and nothing replaces the supervisor.
 */
export function processManager({ folder, workers }: ServiceDescription): ServiceManager {
  const output = `${folder}/shared/logs/output.log`;
  const state = `${folder}/run/server.json`;
  const start = `${folder}/bin/start`;
  return {
    kind: "process",
    install: () => sh`printf '%s' ${renderStub("deploy/start.sh", { folder, workers })} > ${start}
chmod 750 ${start}`,
    start: () => sh`${start}`,
    stop: () => sh`state=${state}
[ -r "$state" ] || exit 0
pid=$(sed -n 's/^{"pid":\\([0-9]*\\),.*/\\1/p' "$state")
# Another process can have the number. The command line of an ended process that is not collected yet is empty.
runs() { tr '\\0' '\\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -qxF "$state"; }
runs || exit 0
kill -TERM "$pid"
waited=0
while runs; do
  waited=$((waited + 1))
  if [ "$waited" -gt 400 ]; then kill -KILL "$pid"; fi
  sleep 0.1
done`,
    explain: () => sh`tail -n 30 ${output} 2>/dev/null || :`,
    limitation: `Nothing starts the server after a restart of the host. Add "@reboot ${start}" and "17 3 * * * ${folder}/bin/nightly" to the cron table of the user`,
  };
}
