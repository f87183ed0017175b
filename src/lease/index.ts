export { type HeldLease, holdLease, type LeaseLoss, LeaseRenewer, maxClockErrorMs } from "./lease-renewer.ts";
