export {
  type HeldLease,
  holdLease,
  type HoldLeaseOptions,
  type LeaseLoss,
  LeaseRenewer,
  type LeaseRenewerOptions,
  maxClockErrorMs,
} from "./lease-renewer.ts";
