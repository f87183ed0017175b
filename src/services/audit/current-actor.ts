import { AsyncLocalStorage } from "node:async_hooks";
import type { AuditActor } from "./contract.ts";

/** Returns who acts. */
type ActorFinder = () => AuditActor | undefined | Promise<AuditActor | undefined>;

/** Actor of the current request, which `Audit.Web.middleware` sets. */
export const currentActor: AsyncLocalStorage<ActorFinder> = new AsyncLocalStorage({ name: "limmat.audit" });
