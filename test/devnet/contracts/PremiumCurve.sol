// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

uint256 constant ONE = 1e18;
uint256 constant START_PREMIUM = 100_000_000e18;
uint256 constant END_PREMIUM = START_PREMIUM >> 21;

// The premium of a .eth name at this many seconds after its release, in attoUSD: 100 million USD, halved every day, less
// what is left of that after 21 days.
function premiumAfter(uint256 elapsed) pure returns (uint256) {
  uint256 now_ = halvedDaily(elapsed);
  return now_ >= END_PREMIUM ? now_ - END_PREMIUM : 0;
}

// The start premium times one half to the number of days, the fraction of a day taken in steps of 1/65536.
function halvedDaily(uint256 elapsed) pure returns (uint256 amount) {
  uint256 daysPast = (elapsed * ONE) / 1 days;
  amount = START_PREMIUM >> (daysPast / ONE);
  uint256 fraction = ((daysPast % ONE) * 65536) / ONE;
  uint64[16] memory roots = rootsOfOneHalf();
  for (uint256 bit = 0; bit < 16; bit++) {
    if (fraction & (1 << bit) != 0) amount = (amount * roots[bit]) / ONE;
  }
}

// One half to the power 2^bit / 65536, times 1e18.
function rootsOfOneHalf() pure returns (uint64[16] memory) {
  return [
    999989423469314432,
    999978847050491904,
    999957694548431104,
    999915390886613504,
    999830788931929088,
    999661606496243712,
    999323327502650752,
    998647112890970240,
    997296056085470080,
    994599423483633152,
    989228013193975424,
    978572062087700096,
    957603280698573696,
    917004043204671232,
    840896415253714560,
    707106781186547584
  ];
}
