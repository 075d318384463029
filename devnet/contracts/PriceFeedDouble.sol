// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Stand-in for one aggregator of Chainlink's feed ETH/USD: it logs each answer as the real one does, in the transaction from
/// which on it is the answer. Whoever wants to can answer.
contract FeedAggregatorDouble {
  int256 public latestAnswer;
  uint256 public latestRound;

  event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

  constructor(int256 answer) {
    transmit(answer);
  }

  function transmit(int256 answer) public {
    latestAnswer = answer;
    emit AnswerUpdated(answer, ++latestRound, block.timestamp);
  }
}

/// Stand-in for the proxy that price oracles ask. A new aggregator begins a new phase, without a log.
contract FeedProxyDouble {
  FeedAggregatorDouble public aggregator;
  uint16 public phaseId;

  constructor(FeedAggregatorDouble first) {
    setAggregator(first);
  }

  function setAggregator(FeedAggregatorDouble next) public {
    aggregator = next;
    phaseId++;
  }

  function latestAnswer() external view returns (int256) {
    return aggregator.latestAnswer();
  }
}
