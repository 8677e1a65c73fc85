/** Flink SQL in colours: strings, comments, names in backticks, keywords. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const KEYWORDS = new Set(
  `ADD ALL ALTER ANALYZE AND ANY AS ASC BEGIN BETWEEN BY CASE CAST CATALOG COLUMN CONSTRAINT CREATE CROSS CUBE CURRENT
  CURRENT_DATE CURRENT_TIMESTAMP DATABASE DEFINE DELETE DESC DISTINCT DISTRIBUTED DROP ELSE END ENFORCED ESCAPE EXCEPT
  EXECUTE EXISTS FALSE FETCH FILTER FIRST FOLLOWING FOR FROM FULL FUNCTION GROUP GROUPING HAVING IF IN INNER INSERT
  INTERSECT INTERVAL INTO IS JOIN KEY LAST LATERAL LEFT LIKE LIMIT MATCH_RECOGNIZE MEASURES METADATA MODEL NATURAL NOT
  NULL OF OFFSET ON ONLY OPTIONS OR ORDER ORDINALITY OUTER OVER OVERWRITE PARTITION PARTITIONED PATTERN PRECEDING
  PRIMARY RANGE RECURSIVE RENAME REPLACE RESET RIGHT ROLLUP ROW ROWS SELECT SET SETS STATEMENT SYSTEM_TIME TABLE
  TEMPORARY THEN TO TRUE UNBOUNDED UNION UNIQUE UNNEST UPDATE USE USING VALUES VIEW VIRTUAL WATERMARK WHEN WHERE WITH
  WITHIN WITHOUT`.split(/\s+/),
);
const TYPES = new Set(
  `ARRAY BIGINT BINARY BOOLEAN BYTES CHAR DATE DECIMAL DOUBLE FLOAT INT INTEGER MAP MULTISET NUMERIC RAW REAL SMALLINT
  STRING TIME TIMESTAMP TIMESTAMP_LTZ TINYINT VARBINARY VARCHAR VARIANT DAY HOUR MINUTE MONTH SECOND YEAR`.split(/\s+/),
);

interface State {
  /** The end of what a line break does not end. */
  within: RegExp | null;
  style: string;
}

const language = StreamLanguage.define<State>({
  name: "flink-sql",
  startState: () => ({ within: null, style: "" }),
  token(stream, state) {
    if (state.within !== null) {
      if (stream.match(state.within)) {
        state.within = null;
      } else {
        stream.skipToEnd();
      }
      return state.style;
    }
    if (stream.eatSpace()) {
      return null;
    }
    if (stream.match("--")) {
      stream.skipToEnd();
      return "comment";
    }
    for (const [start, end, style] of [["/*", /^.*?\*\//, "comment"], ["'", /^(?:[^']|'')*'(?!')/, "string"]] as const) {
      if (stream.match(start)) {
        [state.within, state.style] = [end, style];
        return style;
      }
    }
    if (stream.match(/^`(?:[^`]|``)*`?/)) {
      return "variableName";
    }
    if (stream.match(/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) {
      return "number";
    }
    const word = stream.match(/^[\p{L}_$][\p{L}\p{N}_$]*/u) as RegExpMatchArray | null;
    if (word === null) {
      stream.next();
      return "operator";
    }
    const name = word[0].toUpperCase();
    if (KEYWORDS.has(name)) {
      return "keyword";
    }
    return TYPES.has(name) ? "typeName" : stream.peek() === "(" ? "macroName" : "variableName";
  },
  languageData: { commentTokens: { line: "--", block: { open: "/*", close: "*/" } } },
});

/** The colours are classes, which the style sheet of the page gives for light and for dark. */
const style = HighlightStyle.define([
  { tag: tags.keyword, class: "sql-keyword" },
  { tag: tags.typeName, class: "sql-type" },
  { tag: tags.macroName, class: "sql-function" },
  { tag: tags.string, class: "sql-string" },
  { tag: tags.number, class: "sql-number" },
  { tag: tags.comment, class: "sql-comment" },
]);

export const flinkSql = [language, syntaxHighlighting(style)];
