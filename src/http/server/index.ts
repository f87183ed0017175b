// Names that other modules import. The public entry point is ../index.ts.
export { makeFetch } from "./fetch.ts";
export {
  type Address,
  type Application,
  combineObservers,
  type Host,
  type RequestObserver,
  type HostServer,
  type TlsFiles,
} from "./host.ts";
export { hostName, loadHost, serverField } from "./load-host.ts";
export { AllowedHosts } from "./allowed-hosts.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export { trustedProxiesError, TrustedProxies } from "./trusted-proxies.ts";
export { openFileAdvice, openFileLimit } from "./open-files.ts";
export { type ServerSettings, ServerState } from "./server-state.ts";
