package com.acme;

import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.FunctionHint;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.types.Row;

/** Functions of a user, whose types Flink finds by itself. */
public final class UserFunctions {
    public static final class Norm extends ScalarFunction {
        public String eval(String text) {
            return text == null ? null : text.trim();
        }
    }

    public static final class Add extends ScalarFunction {
        public int eval(int value, int other) {
            return value + other;
        }

        public Long eval(Long value) {
            return value;
        }
    }

    @FunctionHint(output = @DataTypeHint("ROW<word STRING, length INT NOT NULL>"))
    public static final class Parts extends TableFunction {
        public void eval(String text) {
            this.collect(Row.of(new Object[] {text, Integer.valueOf(text.length())}));
        }
    }
}
