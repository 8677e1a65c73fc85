"""Scripts to complete in, and the proposals at the mark ``|`` in a text."""

from __future__ import annotations

from keepstate.completion.completion_proposal import Completion, ProposalKind
from keepstate.draft import Draft

SHOP = """\
CREATE TABLE orders (
  id BIGINT NOT NULL,
  customer BIGINT,
  `user` STRING,
  amount DECIMAL(12, 2),
  address ROW<city STRING, Geo ROW<lat DOUBLE, lon DOUBLE>>,
  tags ARRAY<STRING>,
  items ARRAY<ROW<Sku STRING, price DECIMAL(9, 2)>>,
  order_time TIMESTAMP(3),
  seen_at AS PROCTIME(),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders');
CREATE TABLE customers (
  customer BIGINT, name STRING, PRIMARY KEY (customer) NOT ENFORCED
) WITH ('connector' = 'jdbc');
CREATE TABLE totals (customer BIGINT, total DECIMAL(38, 2), part STRING) PARTITIONED BY (part)
WITH ('connector' = 'filesystem');
CREATE VIEW spending AS SELECT customer, SUM(amount) AS spent, COUNT(*) AS n FROM orders GROUP BY customer;
CREATE VIEW doubtful AS SELECT customer AS who, amount FROM orders WHERE no_such_column > 1;
CREATE TEMPORARY FUNCTION MyScore AS 'com.example.Score';
"""


def completion(marked: str, script: str = SHOP) -> Completion:
    """The completion at the mark, of which there is one."""
    assert marked.count("|") == 1
    text = script + marked.replace("|", "")
    return Draft().complete(text, len(script) + marked.index("|"))


def labels(marked: str, *kinds: ProposalKind, script: str = SHOP) -> list[str]:
    """The labels of the proposals at the mark, of some kinds or of all."""
    return [each.label for each in completion(marked, script).proposals if not kinds or each.kind in kinds]


def inserted(marked: str, label: str, script: str = SHOP) -> str:
    """The marked text after the plain form of a proposal was taken."""
    found = completion(marked, script)
    proposal = next(each for each in found.proposals if each.label == label)
    text = script + marked.replace("|", "")
    return (text[: found.span.start] + proposal.insert + text[found.span.end :])[len(script) :]
