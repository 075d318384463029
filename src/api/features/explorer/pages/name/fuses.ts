/** What each burnt fuse of the NameWrapper means. */
export const fusesInWords: Record<string, string> = {
  CANNOT_UNWRAP: "The owner cannot unwrap the name.",
  CANNOT_BURN_FUSES: "The owner cannot burn more fuses.",
  CANNOT_TRANSFER: "The name cannot be transferred.",
  CANNOT_SET_RESOLVER: "The resolver cannot be changed.",
  CANNOT_SET_TTL: "The TTL cannot be changed.",
  CANNOT_CREATE_SUBDOMAIN: "New subnames cannot be created.",
  CANNOT_APPROVE: "The approved account cannot be changed.",
  PARENT_CANNOT_CONTROL: "The parent has given up control of the name.",
  IS_DOT_ETH: "The name was issued by a registrar, directly under .eth or linea.eth.",
  CAN_EXTEND_EXPIRY: "The owner can extend the expiry.",
};
