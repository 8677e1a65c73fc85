package keepstate.flink;

import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.DataTypeFactory;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.table.functions.SpecializedFunction;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.ArgumentTypeStrategy;
import org.apache.flink.table.types.inference.InputTypeStrategies;
import org.apache.flink.table.types.inference.InputTypeStrategy;
import org.apache.flink.table.types.inference.TypeInference;
import org.apache.flink.table.types.inference.TypeStrategies;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.apache.flink.table.types.utils.DataTypeUtils;
import org.apache.flink.types.Row;

/**
 * Stand-ins for functions of the user, with the types of their declared signatures: no code of the user is run. Types
 * are read as data. A value follows from the arguments alone, and is NULL if one of them is.
 *
 * Written for Janino: neither lambdas nor generics.
 */
public final class Functions {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** The stand-ins that plans call: by script, whether Flink called each one of them while it planned. */
    private static final Map CALLED = new ConcurrentHashMap();
    private static final int DAY = 20514;
    private static final long DAY_MILLISECONDS = 86400000L;

    private Functions() {
    }

    /**
     * A stand-in. "signatures" is JSON: a list of "arguments" with a "result", or with "columns". Stand-ins of one
     * "identity" give the same values.
     */
    public static UserDefinedFunction standIn(String script, String name, String identity, String signatures)
            throws Exception {
        List read = (List) JSON.readValue(signatures, List.class);
        boolean isTable = ((Map) read.get(0)).get("columns") != null;
        Declared declared = new Declared(script, name, identity, signatures);
        return isTable ? (UserDefinedFunction) new Tabular(declared, null) : new Scalar(declared, null);
    }

    /** JSON of the stand-ins that the plans of a script called since the last question, as CALLED has them. */
    public static String called(String script) throws Exception {
        Map called = (Map) CALLED.remove(script);
        return JSON.writeValueAsString(called == null ? Collections.emptyMap() : called);
    }

    private static void note(Declared declared, boolean folded) {
        synchronized (CALLED) {
            Map called = (Map) CALLED.get(declared.script);
            if (called == null) {
                called = Collections.synchronizedMap(new TreeMap());
                CALLED.put(declared.script, called);
            }
            if (folded || !called.containsKey(declared.name)) {
                called.put(declared.name, Boolean.valueOf(folded));
            }
        }
    }

    /** What a stand-in is made of. */
    public static final class Declared implements java.io.Serializable {
        final String script;
        final String name;
        final String identity;
        final String signatures;

        Declared(String script, String name, String identity, String signatures) {
            this.script = script;
            this.name = name;
            this.identity = identity;
            this.signatures = signatures;
        }

        TypeInference inference(DataTypeFactory types) {
            Map outputs = new LinkedHashMap();
            List inputs = new ArrayList();
            try {
                for (Object each : (List) JSON.readValue(this.signatures, List.class)) {
                    Map signature = (Map) each;
                    List arguments = (List) signature.get("arguments");
                    ArgumentTypeStrategy[] given = new ArgumentTypeStrategy[arguments.size()];
                    for (int i = 0; i < given.length; i++) {
                        given[i] = InputTypeStrategies.explicit(this.type(types, arguments.get(i)));
                    }
                    InputTypeStrategy input = InputTypeStrategies.sequence(given);
                    inputs.add(input);
                    DataType output = DataTypeUtils.toInternalDataType(this.output(types, signature));
                    refuse(output.getLogicalType());
                    outputs.put(input, TypeStrategies.explicit(output));
                }
            } catch (java.io.IOException error) {
                throw new ValidationException("The signature of " + this.name + " cannot be read.", error);
            }
            InputTypeStrategy[] all = (InputTypeStrategy[]) inputs.toArray(new InputTypeStrategy[0]);
            return TypeInference.newBuilder()
                .inputTypeStrategy(all.length == 1 ? all[0] : InputTypeStrategies.or(all))
                .outputTypeStrategy(TypeStrategies.mapping(outputs))
                .build();
        }

        private DataType output(DataTypeFactory types, Map signature) {
            List columns = (List) signature.get("columns");
            if (columns == null) {
                return this.type(types, signature.get("result"));
            }
            List fields = new ArrayList();
            for (Object each : columns) {
                List column = (List) each;
                fields.add(DataTypes.FIELD((String) column.get(0), this.type(types, column.get(1))));
            }
            return (DataType) DataTypes.ROW(fields).notNull();
        }

        private DataType type(DataTypeFactory types, Object text) {
            try {
                return types.createDataType((String) text);
            } catch (RuntimeException error) {
                String reason = String.valueOf(error.getMessage()).split("\n")[0];
                throw new ValidationException(
                    "This version of Flink reads no type " + text + " in the signature of " + this.name + ": " + reason);
            }
        }

        private void refuse(LogicalType type) {
            for (Object child : type.getChildren()) {
                this.refuse((LogicalType) child);
            }
            String root = type.getTypeRoot().name();
            if (!KNOWN.contains(root)) {
                throw new ValidationException("The stand-in of " + this.name + " has no values of " + root + ".");
            }
        }

        /** A number that follows from the identity of the function and from the arguments. */
        int number(Object[] values) {
            StringBuilder text = new StringBuilder(this.identity);
            for (int i = 0; i < values.length; i++) {
                text.append('\u0000');
                write(values[i], text);
            }
            // The last bits of the hash of a text are those of its last letter.
            int hash = text.toString().hashCode();
            return ((hash ^ (hash >>> 16)) * 0x45d9f3b >>> 8) & 0xffff;
        }
    }

    private static final Set KNOWN = new TreeSet(Arrays.asList(new Object[] {
        "CHAR", "VARCHAR", "BOOLEAN", "BINARY", "VARBINARY", "DECIMAL", "TINYINT", "SMALLINT", "INTEGER", "BIGINT",
        "FLOAT", "DOUBLE", "DATE", "TIME_WITHOUT_TIME_ZONE", "TIMESTAMP_WITHOUT_TIME_ZONE",
        "TIMESTAMP_WITH_LOCAL_TIME_ZONE", "INTERVAL_YEAR_MONTH", "INTERVAL_DAY_TIME", "ARRAY", "MULTISET", "MAP", "ROW"
    }));

    private static void write(Object value, StringBuilder text) {
        if (value instanceof Object[]) {
            text.append('[');
            for (int i = 0; i < ((Object[]) value).length; i++) {
                write(((Object[]) value)[i], text);
                text.append(',');
            }
        } else if (value instanceof byte[]) {
            text.append(Arrays.toString((byte[]) value));
        } else if (value instanceof Row) {
            for (int i = 0; i < ((Row) value).getArity(); i++) {
                write(((Row) value).getField(i), text);
                text.append(';');
            }
        } else if (value instanceof Map) {
            // The order of its entries is not fixed.
            Set entries = new TreeSet();
            for (Object each : ((Map) value).entrySet()) {
                StringBuilder entry = new StringBuilder();
                write(((Map.Entry) each).getKey(), entry);
                entry.append('=');
                write(((Map.Entry) each).getValue(), entry);
                entries.add(entry.toString());
            }
            text.append(entries);
        } else {
            text.append(value instanceof BigDecimal ? ((BigDecimal) value).toPlainString() : String.valueOf(value));
        }
    }

    /** A number for a part of a value: parts of it do not follow from each other. */
    private static int mixed(int number, int part) {
        int bits = (number + 1) * 0x45d9f3b + part * 0x9e3779b9;
        return ((bits ^ (bits >>> 15)) * 0x45d9f3b >>> 9) & 0xffff;
    }

    private static boolean hasNull(Object[] values) {
        for (int i = 0; i < values.length; i++) {
            if (values[i] == null) {
                return true;
            }
        }
        return false;
    }

    /** A small value of a type, in Flink's internal form. */
    private static Object value(LogicalType type, int number) {
        int small = number % 7;
        LogicalTypeRoot root = type.getTypeRoot();
        if (root == LogicalTypeRoot.CHAR || root == LogicalTypeRoot.VARCHAR) {
            int length = LogicalTypeChecks.getLength(type);
            StringBuilder text = new StringBuilder(length == 1 ? "" : "f").append(small);
            while (root == LogicalTypeRoot.CHAR && text.length() < length) {
                text.append(' ');
            }
            return StringData.fromString(text.toString());
        }
        if (root == LogicalTypeRoot.BINARY || root == LogicalTypeRoot.VARBINARY) {
            byte[] bytes = new byte[root == LogicalTypeRoot.BINARY ? LogicalTypeChecks.getLength(type) : 1];
            bytes[0] = (byte) small;
            return bytes;
        }
        if (root == LogicalTypeRoot.BOOLEAN) {
            return Boolean.valueOf(number % 2 == 0);
        }
        if (root == LogicalTypeRoot.DECIMAL) {
            return DecimalData.fromUnscaledLong(
                small, ((DecimalType) type).getPrecision(), ((DecimalType) type).getScale());
        }
        if (root == LogicalTypeRoot.TINYINT) {
            return Byte.valueOf((byte) small);
        }
        if (root == LogicalTypeRoot.SMALLINT) {
            return Short.valueOf((short) small);
        }
        if (root == LogicalTypeRoot.BIGINT || root == LogicalTypeRoot.INTERVAL_DAY_TIME) {
            return Long.valueOf(small);
        }
        if (root == LogicalTypeRoot.FLOAT) {
            return Float.valueOf(small);
        }
        if (root == LogicalTypeRoot.DOUBLE) {
            return Double.valueOf(small);
        }
        if (root == LogicalTypeRoot.DATE) {
            return Integer.valueOf(DAY + small);
        }
        if (root == LogicalTypeRoot.TIME_WITHOUT_TIME_ZONE) {
            return Integer.valueOf(small * 1000);
        }
        if (root == LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE
                || root == LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE) {
            return TimestampData.fromEpochMillis(DAY * DAY_MILLISECONDS + small * 1000L);
        }
        if (root == LogicalTypeRoot.ROW) {
            List fields = type.getChildren();
            GenericRowData row = new GenericRowData(fields.size());
            for (int i = 0; i < fields.size(); i++) {
                row.setField(i, value((LogicalType) fields.get(i), mixed(number, i)));
            }
            return row;
        }
        if (root == LogicalTypeRoot.ARRAY) {
            LogicalType element = (LogicalType) type.getChildren().get(0);
            return new GenericArrayData(new Object[] {value(element, number), value(element, mixed(number, 1))});
        }
        if (root == LogicalTypeRoot.MULTISET) {
            LogicalType element = (LogicalType) type.getChildren().get(0);
            return new GenericMapData(Collections.singletonMap(value(element, number), Integer.valueOf(1)));
        }
        if (root == LogicalTypeRoot.MAP) {
            LogicalType key = (LogicalType) type.getChildren().get(0);
            LogicalType of = (LogicalType) type.getChildren().get(1);
            return new GenericMapData(Collections.singletonMap(value(key, number), value(of, mixed(number, 1))));
        }
        return Integer.valueOf(small);
    }

    /** Whether Flink opens a function to call it with constants while it plans: then there is no task around it. */
    private static boolean isPlanning(FunctionContext context) throws Exception {
        Field task = FunctionContext.class.getDeclaredField("context");
        task.setAccessible(true);
        return task.get(context) == null;
    }

    public static final class Scalar extends ScalarFunction implements SpecializedFunction {
        private final Declared declared;
        /** The type of a call. */
        private final LogicalType type;

        Scalar(Declared declared, LogicalType type) {
            this.declared = declared;
            this.type = type;
        }

        public TypeInference getTypeInference(DataTypeFactory types) {
            return this.declared.inference(types);
        }

        public UserDefinedFunction specialize(SpecializedFunction.SpecializedContext context) {
            note(this.declared, false);
            DataType output = (DataType) context.getCallContext().getOutputDataType().get();
            return new Scalar(this.declared, output.getLogicalType());
        }

        public void open(FunctionContext context) throws Exception {
            if (isPlanning(context)) {
                note(this.declared, true);
            }
        }

        public Object eval(Object... given) {
            Object[] values = given == null ? new Object[] {null} : given;
            return hasNull(values) && this.type.isNullable() ? null : value(this.type, this.declared.number(values));
        }
    }

    public static final class Tabular extends TableFunction implements SpecializedFunction {
        private final Declared declared;
        private final RowType type;

        Tabular(Declared declared, RowType type) {
            this.declared = declared;
            this.type = type;
        }

        public TypeInference getTypeInference(DataTypeFactory types) {
            return this.declared.inference(types);
        }

        public UserDefinedFunction specialize(SpecializedFunction.SpecializedContext context) {
            note(this.declared, false);
            DataType output = (DataType) context.getCallContext().getOutputDataType().get();
            return new Tabular(this.declared, (RowType) output.getLogicalType());
        }

        /** One row or two; none where an argument is NULL. */
        public void eval(Object... given) {
            Object[] values = given == null ? new Object[] {null} : given;
            int number = this.declared.number(values);
            for (int i = 0; i <= number % 2 && !hasNull(values); i++) {
                this.collect(value(this.type, mixed(number, i)));
            }
        }
    }
}
