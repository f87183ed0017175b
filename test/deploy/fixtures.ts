import type { HostFacts } from "../../packages/limmat-deploy/src/host-facts.ts";
import type { DeploySettings } from "../../packages/limmat-deploy/src/settings.ts";

/** Settings of a project without `deploy.json`. */
export const exampleSettings: DeploySettings = {
  hosts: ["example.com"],
  name: "shop",
  folder: "shop",
  workers: "auto",
  health: "/health/ready",
  healthTimeoutSeconds: 30,
  service: "auto",
  keepReleases: 5,
  include: [],
  sshConfig: undefined,
  allowRoot: false,
};

/** Properties of a host with systemd before the first deployment. */
export const exampleFacts: HostFacts = {
  user: "ada",
  isRoot: false,
  folder: "/home/ada/shop",
  cpu: "x64",
  libc: "glibc",
  hasNpm: false,
  services: ["systemd-user", "systemd"],
  lastService: undefined,
  current: undefined,
  releases: [],
};
