// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

uint256 constant ONE = 1e18;

// The premium at this many seconds after the release of a name: the start, halved every day, less the value of the end.
function premiumAfter(uint256 elapsed, uint256 start, uint256 end) pure returns (uint256) {
  uint256 now_ = halvedDaily(elapsed, start);
  return now_ >= end ? now_ - end : 0;
}

// The start premium times one half to the number of days, the fraction of a day taken in steps of 1/65536.
function halvedDaily(uint256 elapsed, uint256 start) pure returns (uint256 amount) {
  uint256 daysPast = (elapsed * ONE) / 1 days;
  amount = start >> (daysPast / ONE);
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

// A fixed-point number times two to the 96.
int256 constant LN_2 = 54916777467707473351141471128;

// e to a power, both in units of 1e-18, for powers from -41 to 0: the rational approximation of solady, bit for bit.
// Source: Vectorized/solady, src/utils/FixedPointMathLib.sol, `expWad`.
function exponential(int256 power) pure returns (uint256) {
  int256 x = (power * 2 ** 78) / 5 ** 18;
  int256 halvings = ((x * 2 ** 96) / LN_2 + 2 ** 95) >> 96;
  x -= halvings * LN_2;
  int256 y = ((x + 1346386616545796478920950773328) * x >> 96) + 57155421227552351082224309758442;
  int256 p = ((y + x - 94201549194550492254356042504812) * y >> 96) + 28719021644029726153956944680412240;
  p = p * x + (4385272521454847904659076985693276 << 96);
  int256[6] memory steps = [
    -2855989394907223263936484059900,
    int256(50020603652535783019961831881945),
    -533845033583426703283633433725380,
    3604857256930695427073651918689429,
    -14423608567350463180887372962807573,
    26449188498355588339934803723976023
  ];
  int256 q = x + steps[0];
  for (uint256 i = 1; i < 6; i++) q = (q * x >> 96) + steps[i];
  return (uint256(p / q) * 3822833074963236453042738258902158003155416615667) >> uint256(195 - halvings);
}
