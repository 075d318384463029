/** An amount of ether as people read it; more than six digits after the point say nothing to them. */
export const inEth = (ether: string): string => `${ether.replace(/(\.\d{6})\d+$/, "$1")} ETH`;
