import { renderStub } from "./stub.ts";
import type { ServiceDescription, ServiceManager } from "./service-manager.ts";
import { type Script, sh } from "./shell.ts";

/** Returns the units of an application by file name. */
export function renderUnits(
  { name, folder, user, workers }: ServiceDescription,
  scope: "user" | "system",
): Readonly<Record<string, string>> {
  const isSystem = scope === "system";
  const userLine = isSystem ? `User=${user}` : "";
  return {
    [`${name}.service`]: renderStub("app.service", {
      name,
      folder,
      workers,
      user: userLine,
      network: isSystem ? "Wants=network-online.target\nAfter=network-online.target" : "",
      sandbox: isSystem ? systemSandbox(folder) : "",
      target: isSystem ? "multi-user.target" : "default.target",
    }),
    [`${name}-nightly.service`]: renderStub("nightly.service", {
      name,
      folder,
      user: userLine,
      sandbox: isSystem ? systemSandbox(folder) : "",
    }),
    [`${name}-nightly.timer`]: renderStub("nightly.timer", { name }),
  };
}

/**
 * Options that the manager of the system can enforce, and the manager of a user cannot on all systems. `ProtectSystem=strict`
 * leaves `/home`, `/root` and `/run/user` writable, so `ProtectHome=read-only` is needed as well. `ReadWritePaths` takes
 * precedence for the folder below them (systemd.exec(5)).
 */
const systemSandbox = (folder: string): string =>
  `ProtectSystem=strict
ProtectHome=read-only
ReadWritePaths=${folder}
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
CapabilityBoundingSet=
AmbientCapabilities=`;

/**
 * Enables lingering (loginctl(1)): systemd starts the manager of the user with the host, and does not stop it at the end of
 * the last session. The default policy of polkit allows it to the user. Without polkit, it needs sudo.
 */
const enableLinger = (user: string): Script =>
  sh`if [ "$(loginctl show-user ${user} -p Linger --value 2>/dev/null)" != yes ]; then
  loginctl enable-linger ${user} 2>/dev/null || sudo -n loginctl enable-linger ${user} 2>/dev/null || {
    echo "Without lingering, the server would stop at the end of the ssh session. Run this on the host once: sudo loginctl enable-linger" ${user} >&2
    exit 1
  }
fi`;

/** Returns the service manager that runs the server as a unit of systemd: of the user, or of the system with sudo. */
export function systemd(description: ServiceDescription, scope: "user" | "system"): ServiceManager {
  const { name, user } = description;
  const isSystem = scope === "system";
  const prelude: Script = isSystem
    ? sh`as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
units=/etc/systemd/system
manage() { as_root systemctl "$@"; }
query() { systemctl "$@"; }
put() { as_root tee "$units/$1" >/dev/null; as_root chmod 644 "$units/$1"; }`
    : sh`export XDG_RUNTIME_DIR="\${XDG_RUNTIME_DIR:-/run/user/$(id -u)}"
units=\${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
mkdir -p "$units"
manage() { systemctl --user "$@"; }
query() { manage "$@"; }
put() { cat > "$units/$1"; }`;
  const writes = Object.entries(renderUnits(description, scope)).map(
    ([file, text]) => sh`if [ "$(cat "$units"/${file} 2>/dev/null || :)" != ${text.trimEnd()} ]; then
  printf '%s' ${text} | put ${file}; changed=yes
fi`,
  );
  const journal = isSystem ? sh`as_root journalctl -u ${name}` : sh`journalctl --user -u ${name}`;
  const timer = `${name}-nightly.timer`;
  const started = [`${name}.service`, timer];
  const disable = `disable --now ${started.join(" ")}`;
  return {
    kind: isSystem ? "systemd" : "systemd-user",
    install: () => sh`${prelude}
${isSystem ? sh`` : enableLinger(user)}
changed=
${{ text: writes.map(({ text }) => text).join("\n") }}
if [ -n "$changed" ]; then manage daemon-reload; fi
for unit in ${started}; do
  query is-enabled --quiet "$unit" 2>/dev/null || manage enable --quiet "$unit"
done
query is-active --quiet ${timer} || manage start ${timer}
if [ -n "$changed" ]; then echo changed; fi`,
    start: () => sh`${prelude}
manage reset-failed ${`${name}.service`} 2>/dev/null || :
manage start ${`${name}.service`}`,
    stop: () => sh`${prelude}
manage stop ${`${name}.service`}`,
    explain: (periodMs) => sh`${prelude}
${journal} --quiet --since=-${Math.ceil(periodMs / 1000)}s -n 30 --no-pager -o cat 2>/dev/null || query status --no-pager ${`${name}.service`} 2>&1 || :`,
    limitation: undefined,
    removal: isSystem ? `sudo systemctl ${disable}` : `systemctl --user ${disable}`,
  };
}
