"""From the plan of a query to the nodes that Flink executes: the positions of Calc nodes, and other nodes in front of
state.

The planner puts a projection (with the filters around it: a Calc) between two nodes unless the lower one gives exactly
the columns that the upper one needs. Aggregations without table-valued windows accept any order of columns, as they
refer to columns by number; other operators do not. Seen in the plans of Flink 1.20 and 2.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from keepstate.physical.execution_nodes import ENFORCER, EXCHANGE, MATERIALIZER, SINK, UNION, Conditions, ExecNode
from keepstate.physical.graph_options import PhysicalOptions
from keepstate.physical.layouts.grouping_sets import grouping_sets
from keepstate.physical.layouts.planned_calls import PlannedCalls, merged
from keepstate.physical.translation.distributions import is_single, shuffled
from keepstate.physical.translation.plain_times import with_plain_times
from keepstate.physical.translation.projections import (
    doubt_of_removal,
    filters_and_input,
    is_plain,
    stands_on_input,
    waits,
)
from keepstate.physical.translation.result_names import result_names
from keepstate.physical.translation.scans import NodeOutput, Row, columns_in, reads_table, scanned
from keepstate.physical.translation.sinks import Sink
from keepstate.physical.translation.translated_query import TranslatedQuery
from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import (
    AggregateCall,
    Expr,
    WindowField,
    WindowPart,
    holds_window_field,
    is_proctime,
)
from keepstate.plan.lowering.filter_placement import reads_function
from keepstate.plan.lowering.ordering import gives_keys, row_behind_ranking
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.metadata.output_rows import arranged, arranged_in_window, output_columns
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    GroupWindowAggregate,
    Join,
    Limit,
    LookupJoin,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowAggregate,
    WindowKind,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.optimizer.planners import PlannerGeneration
from keepstate.plan.optimizer.union_order import written_positions
from keepstate.plan.upsert_keys import Keys, upsert_keys


def translate(
    root: Operator,
    output: Row,
    sink: Sink,
    ordered: bool,
    catalog: Catalog,
    options: PhysicalOptions,
    merged: frozenset[str] = frozenset(),
) -> TranslatedQuery:
    """Return the nodes for the plan ``root`` whose select list is ``output``; keys are the numbers of operators.

    With ``ordered`` updates are ordered for the sink. ``merged`` are tables of which the planner may make one scan of
    several.
    """
    translation = _Translation(catalog, options, merged, None if ordered else sink.forwarded_scan(root))
    node = translation.input_of(root, output)
    if sink.is_enforced:
        node = ExecNode.of(ENFORCER, node, detail=sink.name)
    if ordered:
        node = ExecNode.of(MATERIALIZER, ExecNode.of(EXCHANGE, node), detail=sink.name, tasks=sink.tasks)
        translation.found.materializer = node
    elif sink.is_apart(node):
        node = ExecNode.of(EXCHANGE, node)
    translation.found.root = ExecNode.of(SINK, node, detail=(sink.name, ordered, sink.shared_by), tasks=sink.tasks)
    return translation.found


class _Translation:
    def __init__(self, catalog: Catalog, options: PhysicalOptions, merged: frozenset[str], direct: int | None) -> None:
        self._catalog, self._options = catalog, options
        self._merged, self._direct = merged, direct
        self.found = TranslatedQuery(ExecNode.of(SINK))

    def input_of(self, operator: Operator, reads: Row, any_order: bool = False) -> ExecNode:
        """Return the node that gives the columns ``reads`` of ``operator``, in any order if ``any_order``."""
        return self._input(operator, reads, any_order)[0]

    def _input(self, operator: Operator, reads: Row, any_order: bool = False) -> tuple[ExecNode, Row | None]:
        """Likewise, with the columns below if they come just as they are, without a Calc."""
        conditions, below = filters_and_input(operator)
        read_exprs = tuple(dict.fromkeys((*reads, *(column for each in conditions for column in columns_in(each)))))
        if isinstance(below, Rank):
            read_exprs = (*read_exprs, *conditions)
        if isinstance(below, TableSourceScan):
            rows, conditions = self._scan(below, read_exprs, conditions)
        elif isinstance(below, Correlate):
            rows, conditions = self._correlated(below, read_exprs, conditions), ()
        else:
            rows = self._rows(below, read_exprs)
        detail = (Conditions.of(conditions), reads)
        if conditions:
            return ExecNode.of("Calc", rows.node, detail=detail), None
        if rows.columns is None:
            return ExecNode.of("Calc", rows.node, detail=detail, doubt=rows.doubt), None
        if rows.columns == reads or (any_order and set(rows.columns) == set(reads)):
            return rows.node, rows.columns
        return ExecNode.of("Calc", rows.node, detail=detail), None

    def _rows(self, operator: Operator, reads: Row) -> NodeOutput:
        operator = any_operator(operator)
        match operator:
            case TableSourceScan():
                return self._scan(operator, reads)[0]
            case WindowTableFunction():
                return self._windows(operator, reads)
            case Aggregate():
                return self._aggregate(operator)
            case Rank():
                return self._rank(operator, reads)
            case OverAggregate():
                below = self.input_of(operator.input, operator.row)
                return self._keeping(operator, (below,), (*operator.row, *operator.aggregates))
            case LookupJoin():
                below = shuffled(operator, self.input_of(operator.left, operator.left_row), self._options.flink)
                node = ExecNode.of("LookupJoin", below, detail=bare(operator))
                return NodeOutput(node, (*operator.left_row, *operator.right_row))
            case Join():
                left, right = self.input_of(operator.left, operator.left_row), self._right(operator)
                if type(operator) is Join:
                    left = with_plain_times(left, operator.left, operator.left_row, self._catalog)
                both = operator.kind not in ("semi", "anti")
                columns = (*operator.left_row, *operator.right_row) if both else operator.left_row
                return self._keeping(operator, (left, right), columns)
            case Union():
                branches = (self.input_of(*both) for both in _as_written(operator))
                nodes = {node for expr in reads for node in expr.walk()}
                # Projections go into the inputs, but for those right below a ranking.
                return NodeOutput(
                    ExecNode.of(UNION, *branches), reads if nodes.issuperset(operator.columns) else operator.columns
                )
            case SetOperation():
                return self._all_rows_of_sets(operator) if operator.every else self._rows_of_sets(operator)
            case TemporalSort() | Limit():
                return self._sorted(operator, reads)
            case Correlate():
                return self._correlated(operator, reads)
            case Match():
                rows = self._keeping(operator, (self.input_of(operator.input, operator.row),), None)
                return replace(rows, doubt=f"it is not known what Flink puts behind {operator.title}")
            case Calc() | Values() | Unsupported():
                # A filter stands in front of a node that asks for its columns (``filters_and_input``).
                return self._opaque(operator, reads)
            case other:
                unhandled(other)

    def _right(self, join: Join) -> ExecNode:
        row = tuple(map(JoinSides.of(join).within_right, join.right_row))
        node = self.input_of(join.right, row)
        return with_plain_times(node, join.right, row, self._catalog) if type(join) is Join else node

    def _opaque(self, operator: Operator, reads: Row) -> NodeOutput:
        """Translate an operator whose requirements on its inputs are unknown: projections in front of it are in
        doubt.
        """
        doubt = f"it is not known what Flink puts in front of {operator.title}"
        inputs = (
            ExecNode.of("Calc", self._rows(filters_and_input(child)[1], ()).node, detail=(child, reads), doubt=doubt)
            for child in operator.inputs
        )
        rows = self._keeping(operator, tuple(inputs), None) if operator.stateful else None
        node = rows.node if rows is not None else ExecNode.of(operator.title, *inputs, detail=bare(operator))
        return NodeOutput(node, None, doubt)

    def _keeping(
        self, operator: Operator, inputs: tuple[ExecNode, ...], columns: Row | None, doubt: str = ""
    ) -> NodeOutput:
        """An operator with state, behind the exchange that brings the rows of a key together."""
        below = tuple(ExecNode.of(EXCHANGE, node) for node in inputs)
        names: tuple[object, ...] = ()
        if isinstance(operator, Aggregate):
            names = result_names(operator, self._catalog), tuple(call.operands for call in operator.translated)
        tasks = 1 if is_single(operator) else None
        node = ExecNode.of(operator.title, *below, detail=(bare(operator), names), doubt=doubt, tasks=tasks)
        self.found.stateful[operator.number] = node
        return NodeOutput(node, columns, "")

    # ---- sources, and what stands right behind them

    def _scan(self, scan: TableSourceScan, reads: Row, conditions: Row = ()) -> tuple[NodeOutput, Row]:
        """Return the rows of a source, and the conditions that remain to be applied."""
        facts = scan.table in self._merged, scan.number == self._direct
        table_scan = scanned(scan, reads, conditions, self._catalog, self._options, *facts)
        self.found.sources[scan.number] = table_scan.source
        if table_scan.normalized is not None:
            self.found.normalized[scan.number] = table_scan.normalized
        return table_scan.rows, table_scan.conditions

    def _correlated(self, operator: Correlate, reads: Row, conditions: Row = ()) -> NodeOutput:
        """Translate a function that reads whole rows; a projection follows. Filters without its result stand below."""
        first, below = filters_and_input(operator.input)
        row = operator.row or (below.columns if isinstance(below, TableSourceScan) else ())
        if set(reads) >= set(row):
            return self._opaque(operator, reads)
        below = below.in_order(row) if isinstance(below, Union) else below
        own_conditions = tuple(each for each in conditions if not reads_function(each, operator))
        input_ = Calc(below, (*first, *own_conditions)) if first or own_conditions else below
        node = ExecNode.of("Correlate", self.input_of(input_, row), detail=(bare(operator), conditions))
        return NodeOutput(node, ())

    def _sorted(self, operator: TemporalSort | Limit, reads: Row) -> NodeOutput:
        """A sort, or a limit. Projections go behind it, as long as it sorts by columns, some of which it does not give,
        and no filter has a projection below it anyway (``SortProjectTransposeRule``).
        """
        conditions, below = filters_and_input(operator.input)
        if not operator.stateful or (conditions and not isinstance(below, TableSourceScan)):
            return self._opaque(operator, reads)
        row = operator.row
        # Below watermarks computed columns are a projection of their own, which takes over what is not read.
        projected = isinstance(below, TableSourceScan) and not is_plain(below) and waits(below, self._catalog)
        stays = bool(conditions) or projected or gives_keys(operator, reads)
        rows = self._rows(below, row) if not stays else None
        if rows is not None and rows.columns is None:
            return self._opaque(operator, reads)
        if rows is not None and all(element.expr in (rows.columns or ()) for element in operator.order):
            row = row_behind_ranking(below, rows.columns or (), operator.row)
            node = rows.node if row == rows.columns else ExecNode.of("Calc", rows.node, detail=row)
        else:
            node = self.input_of(operator.input, row)
        self.found.rows[operator.number] = row
        return self._keeping(operator, (node,), row)

    def _rows_of_sets(self, operator: SetOperation) -> NodeOutput:
        """INTERSECT and EXCEPT: a semi or anti join of whole rows, and an aggregation that leaves each once, unless
        they are so already (``ReplaceIntersectWithSemiJoinRule``, ``ReplaceMinusWithAntiJoinRule``).
        """
        sides = (operator.left, operator.left_row), (operator.right, operator.right_row)
        inputs = (with_plain_times(self.input_of(*side), *side, self._catalog) for side in sides)
        join = ExecNode.of("Join", *(ExecNode.of(EXCHANGE, node) for node in inputs), detail=bare(operator))
        self.found.joins[operator.number] = join
        keys = upsert_keys(operator.left, self._catalog)
        if keys is None:
            doubt = "it is not known whether the rows of the left query are all different"
            return self._keeping(operator, (join,), operator.left_row, doubt)
        if any(key.issubset(operator.left_row) for key in keys):
            return NodeOutput(join, operator.left_row)
        return self._keeping(operator, (join,), operator.left_row)

    def _all_rows_of_sets(self, operator: SetOperation) -> NodeOutput:
        """With ALL the rows of both inputs are counted, and given out as often as they are to come."""
        sides = (operator.left, operator.left_row), (operator.right, operator.right_row)
        inputs = ((self._rows(filters_and_input(side)[1], row).node, (side, row)) for side, row in sides)
        marked = (ExecNode.of("Calc", node, detail=detail) for node, detail in inputs)
        counted = self._keeping(operator, (ExecNode.of(UNION, *marked),), ())
        calc = ExecNode.of("Calc", counted.node, detail=operator.words)
        return NodeOutput(ExecNode.of("Correlate", calc, detail=operator.words), ())

    def _windows(self, operator: WindowTableFunction, reads: Row) -> NodeOutput:
        fields = tuple(WindowField(part, operator.depth) for part in WindowPart)
        below = self._passed(operator.input, (*reads, *operator.window.partition), operator.window.time, fields)
        node, columns = self._input(operator.input, below)
        input_row = columns if columns is not None else below
        if operator.window.kind is WindowKind.SESSION:
            # Which session a row belongs to is known when it is over, so this one keeps state.
            self.found.rows[operator.number] = input_row
            return self._keeping(operator, (node,), (*input_row, *fields))
        return NodeOutput(ExecNode.of("WindowTableFunction", node, detail=operator.window), (*input_row, *fields))

    def _passed(self, input_: Operator, reads: Row, time: Expr, fields: Row) -> Row:
        """Return the columns that a window table function passes on, in the order of its input: the columns read above,
        and the time.
        """
        gives = frozenset(output_columns(input_))
        columns = (part for expr in reads for part in ((expr,) if expr in gives else columns_in(expr)))
        return arranged((*(column for column in columns if column not in fields), time), input_)

    # ---- operators with state

    def _aggregate(self, operator: Aggregate) -> NodeOutput:
        calls = merged(operator.translated or operator.aggregates)
        is_reduced = PlannedCalls.of(operator, self._options.flink).is_reduced
        if isinstance(operator, WindowAggregate):
            return self._window_aggregate(operator, calls, is_reduced)
        times = (operator.window.time,) if isinstance(operator, GroupWindowAggregate) else ()
        # What calls read that are dropped later is projected all the same.
        keys = operator.plain_keys if isinstance(operator, GroupWindowAggregate) else operator.keys
        counted = PlannerGeneration.of(self._options.flink).projected_columns(operator)
        reads = tuple(dict.fromkeys((*keys, *times, *operator.operands, *counted)))
        if stands_on_input(operator, calls, self._catalog):
            below, row = self._unprojected(operator.input, reads), None
        else:
            below, row = self._input(operator.input, reads, any_order=True)
        if row is not None:
            keys = tuple(column for column in row if column in keys)
        below = with_plain_times(below, operator.input, (*operator.plain_keys, *operator.operands), self._catalog)
        self.found.key_orders[operator.number] = keys
        expands = bool(grouping_sets(operator))
        if expands:
            below = _expanded(operator, below)
        if self._options.local_groups and not isinstance(operator, GroupWindowAggregate):
            below = ExecNode.of("LocalGroupAggregate", below, detail=bare(operator))
        results = None if is_reduced or expands else (*keys, *calls)
        if isinstance(operator, GroupWindowAggregate) and results is not None and operator.fields:
            # All properties of the window are there as soon as one is asked for.
            results = ()
        rows = self._keeping(operator, (below,), results, doubt_of_removal(operator, keys, self._catalog))
        # What is taken apart is put together again behind the aggregation, in a Calc.
        return rows if results is not None else replace(rows, columns=())

    def _unprojected(self, operator: Operator, reads: Row) -> ExecNode:
        """Return the node of an operator that gives at least the columns ``reads`` is computed from, without any
        projection.
        """
        leaves = tuple(dict.fromkeys(leaf for expr in reads for leaf in columns_in(expr)))
        return self._rows(filters_and_input(operator)[1], leaves).node

    def _window_aggregate(
        self,
        operator: WindowAggregate,
        calls: tuple[AggregateCall, ...],
        is_reduced: bool,
    ) -> NodeOutput:
        window = operator.window
        conditions, below = filters_and_input(operator.input)
        attached = not isinstance(below, WindowTableFunction) or any(
            holds_window_field(expr)
            for expr in (*conditions, *operator.set_conditions, *operator.operands, *operator.plain_keys)
        )
        if window.kind is WindowKind.SESSION:
            # Sessions of other keys than those of the groups are made before the rows are grouped.
            attached = attached or set(window.partition) != set(operator.plain_keys)
        reads = tuple(dict.fromkeys((*operator.keys, *operator.operands)))
        if stands_on_input(operator, calls, self._catalog):
            node = self._unprojected(operator.input, reads)
        elif attached:
            node = self.input_of(operator.input, reads)
        else:
            assert isinstance(below, WindowTableFunction)
            reads = tuple(dict.fromkeys((*operator.plain_keys, *operator.operands, window.time)))
            source = Calc(below.input, conditions) if conditions else below.input
            node = self.input_of(source, reads)
        node = with_plain_times(node, operator.input, (*operator.plain_keys, *operator.operands), self._catalog)
        expands = bool(grouping_sets(operator))
        if expands:
            node = _expanded(operator, node)
        if self._options.local_windows and window.kind is not WindowKind.SESSION and not is_proctime(window.time):
            doubt = ""
            if any(call.origin is not type(call.origin).BUILT_IN for call in calls):
                doubt = "it is not known whether a function of yours can be aggregated in two steps"
            node = ExecNode.of("LocalWindowAggregate", node, detail=bare(operator), doubt=doubt)
        grouped = {key.part for key in operator.window_keys}
        fields = tuple(WindowField(part, operator.depth) for part in WindowPart if part in grouped)
        columns = () if is_reduced or expands else (*operator.plain_keys, *calls, *fields)
        return self._keeping(operator, (node,), columns, doubt_of_removal(operator, operator.keys, self._catalog))

    def _rank(self, rank: Rank, reads: Row) -> NodeOutput:
        """A ranking, whose number is a column only if anything reads it and it is no constant
        (``ConstantRankNumberColumnRemoveRule``).
        """
        is_constant = rank.range is not None and rank.range.start == rank.range.end
        read = any(node == rank.rank_number for expr in reads for node in expr.walk())
        number = (rank.rank_number,) if read and not is_constant else ()
        conditions, below_filters = filters_and_input(rank.input)
        if isinstance(below_filters, WindowTableFunction) and below_filters.window.kind is not WindowKind.SESSION:
            windows = self._whole_windows(below_filters)
            columns = (*rank.row, *number)
            if conditions or windows.columns != rank.row:
                detail = (Conditions.of(conditions), rank.row)
                windows = replace(windows, node=ExecNode.of("Calc", windows.node, detail=detail))
            return self._keeping(rank, (windows.node,), columns)
        row = self._with_unique_keys(rank)
        below = self.input_of(rank.input, row)
        return self._keeping(rank, (below,), (*row, *number))

    def _with_unique_keys(self, rank: Rank) -> Row:
        """Return the row of a ranking. No projection removes what identifies its rows (``CalcRankTransposeRule``)."""
        more = {column for key in self._unique_keys(rank.input) if key.issubset(rank.input_columns) for column in key}
        if not more - set(rank.row):
            return rank.row
        row = arranged_in_window((*rank.row, *(column for column in rank.input_columns if column in more)), rank.input)
        if isinstance(rank.input, Rank) and set(row) <= set(rank.input_columns):
            row = tuple(column for column in rank.input_columns if column in row)
        self.found.rows[rank.number] = row
        return row

    def _unique_keys(self, operator: Operator) -> Keys:
        below = filters_and_input(operator)[1]
        if isinstance(below, GroupWindowAggregate):
            # Any property of a window tells it from the others.
            return frozenset(frozenset((*below.plain_keys, WindowField(part, below.depth))) for part in WindowPart)
        return upsert_keys(operator, self._catalog) or frozenset()

    def _whole_windows(self, operator: WindowTableFunction) -> NodeOutput:
        """A window table function right below a ranking, which keeps the planner from dropping columns below it."""
        fields = tuple(WindowField(part, operator.depth) for part in WindowPart)
        scan = operator.input
        is_whole = isinstance(scan, TableSourceScan) and operator.place is not None
        if isinstance(scan, TableSourceScan) and is_whole and reads_table(operator, scan.table):
            rows, _ = self._scan(scan, scan.columns)
            node = rows.node
            if rows.columns is None:
                node = ExecNode.of("Calc", node, detail=scan.table, doubt=rows.doubt)
            elif rows.columns != scan.columns:
                node = ExecNode.of("Calc", node, detail=scan.columns)
            row = scan.columns
        else:
            doubt = "it is not known which columns the query below a window table function selects"
            inner = self._rows(filters_and_input(scan)[1], ()).node
            words = operator.place.words if operator.place is not None else ()
            node = ExecNode.of("Calc", inner, detail=(scan, words), doubt=doubt)
            row = ()
        return NodeOutput(ExecNode.of("WindowTableFunction", node, detail=operator.window), (*row, *fields))


def _expanded(operator: Aggregate, below: ExecNode) -> ExecNode:
    """Every row once per grouping set, as far as the set's conditions let it."""
    node = ExecNode.of("Expand", below, detail=operator.grouping)
    conditions = operator.set_conditions
    return ExecNode.of("Calc", node, detail=Conditions.of(conditions)) if conditions else node


def _as_written(union: Union) -> Iterator[tuple[Operator, Row]]:
    """The inputs of a union with their rows, in the order of the text: operator ids follow it."""
    yield from ((union.branches[position], union.rows[position]) for position in written_positions(union))


def bare(operator: Operator) -> object:
    """Return what distinguishes an operator from others of its kind, without its inputs."""
    return operator.with_inputs(tuple(Values() for _ in operator.inputs))
