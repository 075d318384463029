/** An amount of ether as people read it; more than six digits after the point say nothing to them. */
export const inEth = (ether: string): string => {
  const [whole, digits = ""] = ether.split(".");
  const shown = digits.slice(0, 6).replace(/0+$/, "");
  return `${whole}${shown === "" ? "" : `.${shown}`} ETH`;
};
