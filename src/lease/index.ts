export { holdLease, type HeldLease, type HoldLeaseOptions } from "./held-lease.ts";
export { type LeaseLoss, LeaseRenewer, type LeaseRenewerOptions, maxClockErrorMs } from "./lease-renewer.ts";
